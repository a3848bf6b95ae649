package assist

import (
	"slices"
	"strings"

	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
)

// admissionKind is the type of a document among the admission texts: of what
// declares admission, or of parameters that are objects of the CRD. Until the
// document says what it is, it has the fields that say so. It is nil if it is
// something else.
func (p *cursorContext) admissionKind() *crdschema.Kind {
	root := p.root()
	group, _ := splitVersion(root.Scalar("apiVersion"))
	kind := root.Scalar("kind")
	if p.isKindOfCRD(group, kind) {
		return p.crd.KindOf(p.types, root)
	}
	possible := p.types.DocumentKinds(group)
	isChoice := len(p.Path) == 1 && (p.Path[0] == "kind" || p.Path[0] == "apiVersion")
	at := slices.IndexFunc(possible, func(d *crdschema.DocumentKind) bool { return d.Kind == kind })
	switch {
	case len(possible) == 0 || at < 0 && kind != "" && !isChoice:
		return nil
	case at < 0:
		undecided := crdschema.Schema{Schema: p.types.WithTypeMeta(&spec.Schema{}), Types: p.types}
		return &crdschema.Kind{Root: withChoice(undecided, possible, possible)}
	}
	return &crdschema.Kind{Root: withChoice(p.types.Definition(possible[at].Definition), possible, possible[at:at+1])}
}

func (p *cursorContext) isKindOfCRD(group, kind string) bool {
	if kind == "" || p.crd.Internal == nil || kind != p.crd.Internal.Spec.Names.Kind {
		return false
	}
	return group == "" || group == p.crd.Internal.Spec.Group
}

// withChoice is a document's type that may be of any of the kinds, and of the
// versions of some.
func withChoice(schema crdschema.Schema, kinds, versions []*crdschema.DocumentKind) crdschema.Schema {
	var kindNames, apiVersions []string
	for _, d := range kinds {
		kindNames = append(kindNames, d.Kind)
	}
	for _, d := range versions {
		if !slices.Contains(apiVersions, d.APIVersion) {
			apiVersions = append(apiVersions, d.APIVersion)
		}
	}
	schema.Properties["kind"] = crdschema.WithEnum(schema.Properties["kind"], kindNames...)
	schema.Properties["apiVersion"] = crdschema.WithEnum(schema.Properties["apiVersion"], apiVersions...)
	schema.Required = crdschema.RequireFirst(schema.Required, "apiVersion", "kind", "metadata")
	return schema
}

func splitVersion(apiVersion string) (group, version string) {
	group, version, ok := strings.Cut(apiVersion, "/")
	if !ok {
		return "", apiVersion
	}
	return group, version
}

// namedInAdmission lists the values of a field of an admission text that follow
// from the other documents and the CRD.
func (p *cursorContext) namedInAdmission() []namedValue {
	owner, field := p.fieldAt()
	switch owner + "." + field {
	case ".kind":
		return p.describedKinds()
	case "ValidatingAdmissionPolicyBindingSpec.policyName":
		return p.namesOf("ValidatingAdmissionPolicy")
	case "MutatingAdmissionPolicyBindingSpec.policyName":
		return p.namesOf("MutatingAdmissionPolicy")
	case "ValidatingWebhook.admissionReviewVersions", "MutatingWebhook.admissionReviewVersions":
		return []namedValue{{"v1", ""}, {"v1beta1", ""}}
	}
	if p.crd.Internal == nil || owner != "NamedRuleWithOperations" && owner != "RuleWithOperations" {
		return nil
	}
	return p.namedInRule(field)
}

// namedInRule lists what matches the objects of the CRD.
func (p *cursorContext) namedInRule(field string) []namedValue {
	of := p.crd.Internal.Spec
	var named []namedValue
	switch field {
	case "apiGroups":
		return []namedValue{{of.Group, "The group of " + of.Names.Kind + "."}, {"*", "All groups."}}
	case "apiVersions":
		for _, v := range of.Versions {
			if v.Served {
				named = append(named, namedValue{v.Name, "Of " + of.Names.Kind + "."})
			}
		}
		return append(named, namedValue{"*", "All versions."})
	case "resources":
		plural := of.Names.Plural
		return []namedValue{
			{plural, "Objects of the kind " + of.Names.Kind + "."}, {plural + "/status", "Their status."}, {plural + "/scale", "Their scale."},
			{"*", "All resources, but not their subresources."}, {"*/*", "All resources and their subresources."},
		}
	}
	return nil
}

func (p *cursorContext) describedKinds() []namedValue {
	group, _ := splitVersion(p.root().Scalar("apiVersion"))
	var named []namedValue
	for _, d := range p.types.DocumentKinds(group) {
		named = append(named, namedValue{d.Kind, p.types.Definitions[d.Definition].Schema.Description})
	}
	return named
}

// namesOf are the names of the documents of a kind.
func (p *cursorContext) namesOf(kind string) []namedValue {
	var named []namedValue
	for _, document := range p.outline.Documents {
		if name := document.Child("metadata").Scalar("name"); name != "" && document.Scalar("kind") == kind {
			named = append(named, namedValue{name, ""})
		}
	}
	return named
}
