package finding

import (
	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"

	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// CheckClientApply returns a warning if kubectl apply without --server-side fails for a
// document. It stores the document's JSON in an annotation, and the size of annotations
// is limited (ValidateAnnotationsSize in k8s.io/apimachinery/pkg/api/validation). size is its [DocumentBytes].
func CheckClientApply(document playground.Document, stage playground.StageName, doc *source.Document, size int) []playground.Finding {
	bytes := len(corev1.LastAppliedConfigAnnotation) + size + len("\n") + annotationBytes(doc)
	if bytes <= validation.TotalAnnotationSizeLimitB {
		return nil
	}
	at := doc.Line(1)
	if location, ok := doc.At("metadata"); ok {
		at = location.Key()
	}
	f := Warning(document, stage, at, "kubectl apply without --server-side fails: metadata.annotations: Too long: may not be more than 262144 bytes")
	f.Field = "metadata.annotations"
	f.Hint = "kubectl apply stores the whole document in the annotation " + corev1.LastAppliedConfigAnnotation + ". Use kubectl apply --server-side, or kubectl create and kubectl replace."
	return []playground.Finding{f}
}

// DocumentBytes returns the size of a document's JSON in bytes. It counts numbers and
// booleans as written in YAML, whose notation may differ from JSON.
func DocumentBytes(doc *source.Document) int { return nodeBytes(doc.Root().Node(), 0) }

// maxAliases limits the nesting of aliases, which may refer to themselves.
const maxAliases = 10

func nodeBytes(n *yaml.Node, aliases int) (bytes int) {
	switch {
	case n == nil || aliases > maxAliases:
		return 0
	case n.Kind == yaml.AliasNode:
		return nodeBytes(n.Alias, aliases+1)
	case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str":
		return jsonvalue.Size(n.Value)
	case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null":
		return len("null")
	case n.Kind == yaml.ScalarNode:
		return len(n.Value)
	}
	bytes = len("{}")
	for i, child := range n.Content {
		isKey := n.Kind == yaml.MappingNode && i%2 == 0
		if isKey {
			bytes += jsonvalue.Size(child.Value)
		} else {
			bytes += nodeBytes(child, aliases)
		}
		if i < len(n.Content)-1 {
			bytes++ // a comma or a colon
		}
	}
	return bytes
}

// annotationBytes returns the size of the keys and values of a document's annotations.
func annotationBytes(doc *source.Document) (bytes int) {
	location, ok := doc.At("metadata", "annotations")
	if !ok || location.Node() == nil {
		return 0
	}
	for _, scalar := range location.Node().Content {
		bytes += len(scalar.Value)
	}
	return bytes
}
