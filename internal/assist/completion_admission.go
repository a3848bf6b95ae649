package assist

// admissionValues lists the values of a field of an admission document that follow from
// the other documents and the CRD.
func (c *cursorContext) admissionValues() []documentedValue {
	owner, field := c.fieldAt()
	switch owner + "." + field {
	case ".kind":
		return c.admissionKinds()
	case "ValidatingAdmissionPolicyBindingSpec.policyName":
		return c.documentNames("ValidatingAdmissionPolicy")
	case "MutatingAdmissionPolicyBindingSpec.policyName":
		return c.documentNames("MutatingAdmissionPolicy")
	case "ValidatingWebhook.admissionReviewVersions", "MutatingWebhook.admissionReviewVersions":
		return []documentedValue{{"v1", ""}, {"v1beta1", ""}}
	}
	if c.crd.Internal == nil || owner != "NamedRuleWithOperations" && owner != "RuleWithOperations" {
		return nil
	}
	return c.matchRuleValues(field)
}

// matchRuleValues lists the values of a match rule that select the objects of the CRD.
func (c *cursorContext) matchRuleValues(field string) []documentedValue {
	spec := c.crd.Internal.Spec
	var values []documentedValue
	switch field {
	case "apiGroups":
		return []documentedValue{{spec.Group, "The group of " + spec.Names.Kind + "."}, {"*", "All groups."}}
	case "apiVersions":
		for _, v := range spec.Versions {
			if v.Served {
				values = append(values, documentedValue{v.Name, "A version of " + spec.Names.Kind + "."})
			}
		}
		return append(values, documentedValue{"*", "All versions."})
	case "resources":
		plural := spec.Names.Plural
		return []documentedValue{
			{plural, "Objects of the kind " + spec.Names.Kind + "."}, {plural + "/status", "The status subresource."}, {plural + "/scale", "The scale subresource."},
			{"*", "All resources without their subresources."}, {"*/*", "All resources with their subresources."},
		}
	}
	return nil
}

func (c *cursorContext) admissionKinds() []documentedValue {
	group := groupOf(c.root().Scalar("apiVersion"))
	var values []documentedValue
	for _, d := range c.types.DocumentKinds(group) {
		values = append(values, documentedValue{d.Kind, c.types.Definitions[d.Definition].Schema.Description})
	}
	return values
}

// documentNames returns the names of the admission documents of a kind.
func (c *cursorContext) documentNames(kind string) []documentedValue {
	var values []documentedValue
	for _, document := range c.outline.Documents {
		if name := document.Child("metadata").Scalar("name"); name != "" && document.Scalar("kind") == kind {
			values = append(values, documentedValue{name, ""})
		}
	}
	return values
}
