package assist

import "github.com/crdlab/crdlab/internal/documented"

// admissionValues lists the values of a field of an admission document that follow from
// the other documents and the CRD.
func (c *cursorContext) admissionValues() []documented.Value {
	owner, field := c.fieldAt()
	switch owner + "." + field {
	case ".kind":
		return c.admissionKinds()
	case "ValidatingAdmissionPolicyBindingSpec.policyName":
		return c.documentNames("ValidatingAdmissionPolicy")
	case "MutatingAdmissionPolicyBindingSpec.policyName":
		return c.documentNames("MutatingAdmissionPolicy")
	case "ValidatingWebhook.admissionReviewVersions", "MutatingWebhook.admissionReviewVersions":
		return []documented.Value{{Value: "v1"}, {Value: "v1beta1"}}
	}
	if c.crd.Internal == nil || owner != "NamedRuleWithOperations" && owner != "RuleWithOperations" {
		return nil
	}
	return c.matchRuleValues(field)
}

// matchRuleValues lists the values of a match rule that select the objects of the CRD.
func (c *cursorContext) matchRuleValues(field string) []documented.Value {
	spec := c.crd.Internal.Spec
	var values []documented.Value
	switch field {
	case "apiGroups":
		return []documented.Value{{Value: spec.Group, Description: "The group of " + spec.Names.Kind + "."}, {Value: "*", Description: "All groups."}}
	case "apiVersions":
		for _, v := range spec.Versions {
			if v.Served {
				values = append(values, documented.Value{Value: v.Name, Description: "A version of " + spec.Names.Kind + "."})
			}
		}
		return append(values, documented.Value{Value: "*", Description: "All versions."})
	case "resources":
		plural := spec.Names.Plural
		return []documented.Value{
			{Value: plural, Description: "Objects of the kind " + spec.Names.Kind + "."}, {Value: plural + "/status", Description: "The status subresource."}, {Value: plural + "/scale", Description: "The scale subresource."},
			{Value: "*", Description: "All resources without their subresources."}, {Value: "*/*", Description: "All resources with their subresources."},
		}
	}
	return nil
}

func (c *cursorContext) admissionKinds() []documented.Value {
	group := groupOf(c.root().Scalar("apiVersion"))
	var values []documented.Value
	for _, d := range c.types.DocumentKinds(group) {
		values = append(values, documented.Value{Value: d.Kind, Description: c.types.Definitions[d.Definition].Schema.Description})
	}
	return values
}

// documentNames returns the names of the admission documents of a kind.
func (c *cursorContext) documentNames(kind string) []documented.Value {
	var values []documented.Value
	for _, document := range c.outline.Documents {
		if name := document.Child("metadata").Scalar("name"); name != "" && document.Scalar("kind") == kind {
			values = append(values, documented.Value{Value: name})
		}
	}
	return values
}
