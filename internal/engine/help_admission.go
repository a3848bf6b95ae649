package engine

import (
	"slices"
	"strings"

	"k8s.io/kube-openapi/pkg/validation/spec"
)

// admissionKind is the type of a document among the admission texts: of what
// declares admission, or of parameters that are objects of the CRD. Until the
// document says what it is, it has the fields that say so. It is nil if it is
// something else.
func (p *writingPlace) admissionKind() *kindSchema {
	root := p.root()
	group, _ := splitVersion(root.Scalar("apiVersion"))
	kind := root.Scalar("kind")
	if p.isKindOfCRD(group, kind) {
		return p.crd.kindOf(p.types, root)
	}
	possible := p.types.declaredIn(group)
	isChoice := len(p.Path) == 1 && (p.Path[0] == "kind" || p.Path[0] == "apiVersion")
	at := slices.IndexFunc(possible, func(d *declaredKind) bool { return d.kind == kind })
	switch {
	case len(possible) == 0 || at < 0 && kind != "" && !isChoice:
		return nil
	case at < 0:
		undecided := typedSchema{Schema: p.types.withTypeMeta(&spec.Schema{}), types: p.types}
		return &kindSchema{root: withChoice(undecided, possible, possible)}
	}
	return &kindSchema{root: withChoice(p.types.definition(possible[at].definition), possible, possible[at:at+1])}
}

func (p *writingPlace) isKindOfCRD(group, kind string) bool {
	if kind == "" || p.crd.internal == nil || kind != p.crd.internal.Spec.Names.Kind {
		return false
	}
	return group == "" || group == p.crd.internal.Spec.Group
}

// withChoice is a document's type that may be of any of the kinds, and of the
// versions of some.
func withChoice(schema typedSchema, kinds, versions []*declaredKind) typedSchema {
	var kindNames, apiVersions []string
	for _, d := range kinds {
		kindNames = append(kindNames, d.kind)
	}
	for _, d := range versions {
		if !slices.Contains(apiVersions, d.apiVersion) {
			apiVersions = append(apiVersions, d.apiVersion)
		}
	}
	schema.Properties["kind"] = constant(schema.Properties["kind"], kindNames...)
	schema.Properties["apiVersion"] = constant(schema.Properties["apiVersion"], apiVersions...)
	schema.Required = append([]string{"apiVersion", "kind", "metadata"}, without(schema.Required, "apiVersion", "kind", "metadata")...)
	return schema
}

// declaredKind is a type of documents among the definitions.
type declaredKind struct{ group, apiVersion, kind, definition string }

// declaredIn are those of a group; without a group, all.
func (t *kubernetesTypes) declaredIn(group string) []*declaredKind {
	all := t.declaredKinds()
	if group == "" {
		return all
	}
	return slices.DeleteFunc(all, func(d *declaredKind) bool { return d.group != group })
}

// declaredKinds are those that an admission text may have, policies first.
func (t *kubernetesTypes) declaredKinds() []*declaredKind {
	var declared []*declaredKind
	for name, definition := range t.definitions {
		kinds, _ := definition.Schema.Extensions["x-kubernetes-group-version-kind"].([]any)
		for _, of := range kinds {
			names, _ := of.(map[string]any)
			group, _ := names["group"].(string)
			version, _ := names["version"].(string)
			kind, _ := names["kind"].(string)
			declared = append(declared, &declaredKind{group, strings.TrimPrefix(group+"/"+version, "/"), kind, name})
		}
	}
	slices.SortFunc(declared, func(a, b *declaredKind) int { return strings.Compare(declaredRank(a), declaredRank(b)) })
	return declared
}

// declaredRank sorts policies, their bindings and webhooks before the rest, and
// what validates before what mutates.
func declaredRank(d *declaredKind) string {
	for rank, part := range []string{"ValidatingAdmission", "MutatingAdmission", "ValidatingWebhook", "MutatingWebhook", "AdmissionReview"} {
		if strings.HasPrefix(d.kind, part) {
			return string(rune('0'+rank)) + d.kind
		}
	}
	return "9" + d.kind
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
func (p *writingPlace) namedInAdmission() []namedValue {
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
	if p.crd.internal == nil || owner != "NamedRuleWithOperations" && owner != "RuleWithOperations" {
		return nil
	}
	return p.namedInRule(field)
}

// namedInRule lists what matches the objects of the CRD.
func (p *writingPlace) namedInRule(field string) []namedValue {
	of := p.crd.internal.Spec
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

func (p *writingPlace) describedKinds() []namedValue {
	group, _ := splitVersion(p.root().Scalar("apiVersion"))
	var named []namedValue
	for _, d := range p.types.declaredIn(group) {
		named = append(named, namedValue{d.kind, p.types.definitions[d.definition].Schema.Description})
	}
	return named
}

// namesOf are the names of the documents of a kind.
func (p *writingPlace) namesOf(kind string) []namedValue {
	var named []namedValue
	for _, document := range p.outline.Documents {
		if name := document.Child("metadata").Scalar("name"); name != "" && document.Scalar("kind") == kind {
			named = append(named, namedValue{name, ""})
		}
	}
	return named
}
