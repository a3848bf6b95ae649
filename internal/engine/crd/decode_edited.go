package crd

import (
	"maps"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiequality "k8s.io/apimachinery/pkg/api/equality"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// A decodedCRD is a CRD after its decoding, with what later stages learned about it. Nothing changes it after its request.
type decodedCRD struct {
	file *source.File
	doc  *source.Document
	crd  *apiextensions.CustomResourceDefinition
	// isStrict reports that the document has neither unknown nor duplicate fields, and isUnique that it has no duplicates.
	isStrict, isUnique bool
	// validRelease is the release that finds a new CRD valid; empty if none does.
	validRelease string
	// valid is the last CRD that a release found valid, and change how this CRD differs from it. valid is nil if there is none
	// or it differs elsewhere, too.
	valid  *decodedCRD
	change *change
	// warnings are those of upstream about the schemas of a new CRD.
	warnings []string
	// size is that of a new CRD; nil if it is unknown.
	size *storedSize
	// served has the compiled versions for that release; nil if it accepts none.
	served *CRD
}

// unshared returns a copy of a CRD whose metadata, status and versions can be changed.
func unshared(crd *apiextensions.CustomResourceDefinition) *apiextensions.CustomResourceDefinition {
	out := *crd
	crd.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	crd.Status.DeepCopyInto(&out.Status)
	out.Spec.Versions = slices.Clone(crd.Spec.Versions)
	return &out
}

// remember remembers the decoded CRD. Older releases remove fields from its schemas, so that they cannot be shared.
func (r *Request) remember(isStrict, isUnique bool) {
	if release.HasRatcheting() {
		r.decoded = &decodedCRD{file: r.parsed, doc: r.Doc, crd: unshared(r.Internal), isStrict: isStrict, isUnique: isUnique}
	}
}

// decodeEdited decodes the schema node that differs from the last CRD. It returns false if the whole document is to be
// decoded.
func (r *Request) decodeEdited() bool {
	last := r.evaluator.last.Load()
	if last == nil || r.edit == nil || r.edit.Before != last.doc || !release.HasRatcheting() {
		return false
	}
	isUnique := last.isStrict || last.isUnique || len(last.doc.DuplicateKeys()) == 0
	if !isUnique || !last.isStrict && r.fieldValidation != playground.FieldValidationIgnore {
		return false
	}
	if len(r.edit.Names) == 0 {
		r.Internal = unshared(last.crd)
		r.remember(last.isStrict, isUnique)
		r.compareTo(last, nil)
		return true
	}
	version, path, ok := editedNode(r.edit.Path)
	if !ok || version >= len(last.crd.Spec.Versions) {
		return false
	}
	crd := unshared(last.crd)
	splitValidation(&crd.Spec)
	validation := crd.Spec.Versions[version].Schema
	if validation == nil {
		return false
	}
	former := SchemaAt(validation.OpenAPIV3Schema, path)
	if former == nil {
		return false
	}
	node, shared, ok := r.decodeNode(version, path, former)
	if !ok {
		return false
	}
	crd.Spec.Versions[version].Schema = &apiextensions.CustomResourceValidation{OpenAPIV3Schema: withNode(validation.OpenAPIV3Schema, path, node)}
	joinValidation(&crd.Spec, version, path)
	r.Internal = crd
	r.remember(last.isStrict, isUnique)
	r.compareTo(last, newChange(version, path, former, node, shared))
	return true
}

// splitValidation moves the schema of all versions to the versions.
func splitValidation(spec *apiextensions.CustomResourceDefinitionSpec) {
	if spec.Validation == nil {
		return
	}
	for i := range spec.Versions {
		spec.Versions[i].Schema = spec.Validation
	}
	spec.Validation = nil
}

// joinValidation moves equal schemas of the versions to the spec, as the conversion from v1 does. Only a node of one version
// has changed.
func joinValidation(spec *apiextensions.CustomResourceDefinitionSpec, version int, path crdschema.Path) {
	changed := spec.Versions[version].Schema
	node := SchemaAt(changed.OpenAPIV3Schema, path)
	for _, v := range spec.Versions {
		// The comparison of the node is fast, and almost always sufficient.
		if v.Schema != changed && (v.Schema == nil || !apiequality.Semantic.DeepEqual(SchemaAt(v.Schema.OpenAPIV3Schema, path), node)) {
			return
		}
	}
	for _, v := range spec.Versions {
		if !apiequality.Semantic.DeepEqual(v.Schema, changed) {
			return
		}
	}
	spec.Validation = changed
	for i := range spec.Versions {
		spec.Versions[i].Schema = nil
	}
}

// compareTo sets the last valid CRD and the change since then. edit is the change since the last CRD.
func (r *Request) compareTo(last *decodedCRD, edit *change) {
	if last.validRelease != "" {
		r.valid, r.change = last, edit
	} else if all, ok := last.change.and(edit, last.valid, r.Internal); ok {
		r.valid, r.change = last.valid, all
	}
	r.decoded.valid, r.decoded.change = r.valid, r.change
}

// schemaDepth is the number of steps to the schema of a version.
const schemaDepth = 5

// editedNode returns the version and the path of the innermost schema node that contains a mapping.
func editedNode(at []any) (version int, path crdschema.Path, ok bool) {
	if len(at) < schemaDepth || at[0] != "spec" || at[1] != "versions" || at[3] != "schema" || at[4] != "openAPIV3Schema" {
		return 0, nil, false
	}
	if version, ok = at[2].(int); !ok {
		return 0, nil, false
	}
	for rest := at[schemaDepth:]; len(rest) > 0; {
		step, _ := rest[0].(string)
		switch {
		case step == "properties" && len(rest) > 1:
			name, _ := rest[1].(string)
			path, rest = append(path, step, name), rest[2:]
		case step == "items", step == "additionalProperties":
			path, rest = append(path, step), rest[1:]
		default:
			return version, path, true
		}
	}
	return version, path, true
}

// nodeHeader is a document up to a schema node, which follows with an indentation of more than four spaces.
const nodeHeader = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n versions:\n - schema:\n    openAPIV3Schema:\n"

// decodeNode decodes a schema node of a version. It takes the nodes below from the former node, unless the edit adds or
// changes them, and returns the steps to these. It returns false after any error.
func (r *Request) decodeNode(version int, path crdschema.Path, former *apiextensions.JSONSchemaProps) (node *apiextensions.JSONSchemaProps, shared []crdschema.Path, ok bool) {
	at := r.SchemaPath(version, path)
	text, indent, ok := r.Doc.Excerpt(at, func(entry []any, isBlock bool) source.Part {
		if !isBlock && len(entry) == len(at)+1 {
			return source.Whole
		}
		switch entry[len(at)] {
		case "properties":
			if len(entry) == len(at)+1 {
				return source.Entries
			}
			name, _ := entry[len(at)+1].(string)
			if _, known := former.Properties[name]; known && !r.edit.Concerns(entry) {
				shared = append(shared, crdschema.Path{"properties", name})
				return source.Stub
			}
		case "items":
			if former.Items != nil && former.Items.Schema != nil && !r.edit.Concerns(entry) {
				shared = append(shared, crdschema.Path{"items"})
				return source.Stub
			}
		case "additionalProperties":
			if former.AdditionalProperties != nil && former.AdditionalProperties.Schema != nil && !r.edit.Concerns(entry) {
				shared = append(shared, crdschema.Path{"additionalProperties"})
				return source.Stub
			}
		}
		return source.Whole
	})
	if !ok || indent <= 4 {
		return nil, nil, false
	}
	object, _, err := decodeData([]byte(nodeHeader+text), true, true, &apiextensions.CustomResourceDefinition{})
	decoded, isCRD := object.(*apiextensions.CustomResourceDefinition)
	if err != nil || !isCRD || decoded.Spec.Validation == nil || decoded.Spec.Validation.OpenAPIV3Schema == nil {
		return nil, nil, false
	}
	node = decoded.Spec.Validation.OpenAPIV3Schema
	for _, step := range shared {
		switch step[0] {
		case "properties":
			node.Properties[step[1]] = former.Properties[step[1]]
		case "items":
			node.Items = former.Items
		default:
			node.AdditionalProperties = former.AdditionalProperties
		}
	}
	return node, shared, true
}

// withNode returns a schema with another node at a path. It shares all other nodes.
func withNode(root *apiextensions.JSONSchemaProps, path crdschema.Path, node *apiextensions.JSONSchemaProps) *apiextensions.JSONSchemaProps {
	if len(path) == 0 {
		return node
	}
	out := *root
	switch child, rest := childSchema(root, path); path[0] {
	case "items":
		items := *root.Items
		items.Schema = withNode(child, rest, node)
		out.Items = &items
	case "additionalProperties":
		additional := *root.AdditionalProperties
		additional.Schema = withNode(child, rest, node)
		out.AdditionalProperties = &additional
	default:
		out.Properties = maps.Clone(root.Properties)
		out.Properties[path[1]] = *withNode(child, rest, node)
	}
	return &out
}
