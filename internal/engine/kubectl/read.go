package kubectl

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"

	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// A File is a file with one document that a command of kubectl reads.
type File struct {
	Name, Text string
	Operation  playground.Operation
	// FieldValidation is the value of the flag --validate, which kubectl delete lacks.
	FieldValidation string
}

// Unsent returns the output for a document that kubectl cannot read and therefore does
// not send. For other documents, it returns an empty string.
func (f File) Unsent() string {
	err := upstream.Guard(playground.StageDecode, f.read)
	if err == nil {
		return ""
	}
	return "error: " + err.Error()
}

// read follows StreamVisitor.Visit of k8s.io/cli-runtime/pkg/resource.
func (f File) read() error {
	raw := runtime.RawExtension{}
	if err := utilyaml.NewYAMLOrJSONDecoder(strings.NewReader(f.Text), 4096).Decode(&raw); err != nil {
		return fmt.Errorf("error parsing %s: %w", f.Name, err)
	}
	data := bytes.TrimSpace(raw.Raw)
	if f.validates() {
		if err := validateKind(data); err != nil {
			return fmt.Errorf("error validating %q: error validating data: %w; "+
				"if you choose to ignore these errors, turn validation off with --validate=false", f.Name, err)
		}
	}
	if err := decode(data); err != nil {
		return fmt.Errorf("unable to decode %q: %w", f.Name, err)
	}
	return nil
}

func (f File) validates() bool {
	return f.Operation != playground.OperationDelete && f.FieldValidation != playground.FieldValidationIgnore
}

// validateKind follows getObjectKind of k8s.io/kubectl/pkg/validation. The package has
// too many dependencies for the WebAssembly modules.
func validateKind(data []byte) error {
	var fields map[string]any
	if err := utiljson.Unmarshal(data, &fields); err != nil {
		return errors.New("invalid object to validate")
	}
	var errs []error
	for _, name := range []string{"apiVersion", "kind"} {
		switch value := fields[name].(type) {
		case nil:
			errs = append(errs, fmt.Errorf("%s not set", name))
		case string:
			if name == "kind" {
				continue
			}
			if _, err := schema.ParseGroupVersion(value); err != nil {
				errs = append(errs, err)
			}
		default:
			errs = append(errs, fmt.Errorf("%s isn't string type", name))
		}
	}
	return utilerrors.NewAggregate(errs)
}

// decode follows metadataValidatingDecoder of k8s.io/cli-runtime/pkg/resource.
func decode(data []byte) error {
	object, _, err := unstructured.UnstructuredJSONScheme.Decode(data, nil, nil)
	if err != nil {
		return err
	}
	if _, isUnstructured := object.(runtime.Unstructured); !isUnstructured {
		return nil
	}
	return utiljson.Unmarshal(data, &metadataOnlyObject{})
}

// A metadataOnlyObject has the name that kubectl's messages contain.
type metadataOnlyObject struct {
	metav1.TypeMeta   `json:""`
	metav1.ObjectMeta `json:"metadata"`
}
