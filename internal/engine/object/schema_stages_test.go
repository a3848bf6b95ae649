package object

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
)

// schemaStageTest describes one run of a stage that follows the schema.
type schemaStageTest struct {
	schema, object string // YAML
	want           string // YAML
	changes        []string
}

// run runs a stage on the object and compares the object and the changes.
func (test schemaStageTest) run(t *testing.T, stage func(before map[string]any, object *unstructured.Unstructured, schema *structuralschema.Structural) []change) {
	t.Helper()
	object := &unstructured.Unstructured{Object: parseYAML(t, test.object)}
	changes := stage(runtime.DeepCopyJSON(object.Object), object, parseSchema(t, test.schema))
	if diff := cmp.Diff(parseYAML(t, test.want), object.Object); diff != "" {
		t.Errorf("object (-want +got):\n%s", diff)
	}
	var got []string
	for _, c := range changes {
		got = append(got, string(c.cause)+" "+c.Op+" "+jsonvalue.PathString(c.Path)+": "+c.because)
	}
	if diff := cmp.Diff(test.changes, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

func parseYAML(t *testing.T, document string) map[string]any {
	t.Helper()
	content := map[string]any{}
	if err := utilyaml.Unmarshal([]byte(document), &content); err != nil {
		t.Fatal(err)
	}
	return content
}

func parseSchema(t *testing.T, document string) *structuralschema.Structural {
	t.Helper()
	var v1 apiextensionsv1.JSONSchemaProps
	if err := yaml.Unmarshal([]byte(document), &v1); err != nil {
		t.Fatal(err)
	}
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&v1, &internal, nil); err != nil {
		t.Fatal(err)
	}
	schema, err := structuralschema.NewStructural(&internal)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

const replicasSchema = `
type: object
properties:
  spec:
    type: object
    properties:
      replicas: {type: integer}
      paused: {type: boolean, nullable: true}
      mode: {type: string, default: rolling}
      strategy:
        type: object
        default: {}
        properties:
          surge: {type: integer, default: 1}
`

func TestPrune(t *testing.T) {
	for name, test := range map[string]schemaStageTest{
		"a specified field stays": {
			schema: replicasSchema, object: "{spec: {mode: x}}", want: "{spec: {mode: x}}",
		},
		"an unknown field is removed": {
			schema: replicasSchema, object: "{spec: {mode: x, unknown: {a: 1}}}", want: "{spec: {mode: x}}",
			changes: []string{"pruned remove spec.unknown: not in the schema at properties[spec]"},
		},
		"a field of the root is removed": {
			schema: replicasSchema, object: "{other: 1}", want: "{}",
			changes: []string{"pruned remove other: not in the schema at its root"},
		},
		"apiVersion and kind stay": {
			schema: "{type: object}", object: "{apiVersion: v1, kind: A}", want: "{apiVersion: v1, kind: A}",
		},
		"metadata stays": {
			schema: "{type: object}", object: "{metadata: {name: a}}", want: "{metadata: {name: a}}",
		},
		"preserved fields stay": {
			schema: "{type: object, x-kubernetes-preserve-unknown-fields: true}", object: "{other: x}", want: "{other: x}",
		},
	} {
		t.Run(name, func(t *testing.T) {
			test.run(t, func(before map[string]any, object *unstructured.Unstructured, schema *structuralschema.Structural) []change {
				if _, err := prune(object, nil, schema, false); err != nil {
					t.Fatal(err)
				}
				return explainPruning(before, object.Object, schema)
			})
		})
	}
}

func TestPruneReturnsUnknownFields(t *testing.T) {
	object := &unstructured.Unstructured{Object: parseYAML(t, "{spec: {a: 1}, b: 2}")}
	unknown, err := prune(object, nil, parseSchema(t, replicasSchema), true)
	if diff := cmp.Diff([]string{"b", "spec.a"}, unknown); err != nil || diff != "" {
		t.Errorf("error %v, unknown fields (-want +got):\n%s", err, diff)
	}
}

func TestDropNulls(t *testing.T) {
	for name, test := range map[string]schemaStageTest{
		"neither nullable nor defaulted": {
			schema: replicasSchema, object: "{spec: {replicas: null}}", want: "{spec: {}}",
			changes: []string{"nullDropped remove spec.replicas: null, but properties[spec].properties[replicas] is not nullable and has no default"},
		},
		"nullable":  {schema: replicasSchema, object: "{spec: {paused: null}}", want: "{spec: {paused: null}}"},
		"defaulted": {schema: replicasSchema, object: "{spec: {mode: null}}", want: "{spec: {mode: null}}"},
	} {
		t.Run(name, func(t *testing.T) {
			test.run(t, func(before map[string]any, object *unstructured.Unstructured, schema *structuralschema.Structural) []change {
				return dropNulls(before, object.Object, schema)
			})
		})
	}
}

func TestApplyDefaults(t *testing.T) {
	const (
		mode     = "default at properties[spec].properties[mode]"
		strategy = "default at properties[spec].properties[strategy]"
	)
	for name, test := range map[string]schemaStageTest{
		"no parent": {schema: replicasSchema, object: "{}", want: "{}"},
		"a default and a default inside it": {
			schema: replicasSchema, object: "{spec: {}}", want: "{spec: {mode: rolling, strategy: {surge: 1}}}",
			changes: []string{
				"defaulted add spec.mode: " + mode,
				"defaulted add spec.strategy: " + strategy,
				"defaulted add spec.strategy.surge: " + strategy + ".properties[surge]",
			},
		},
		"a null and a set value": {
			schema: replicasSchema, object: "{spec: {mode: null, strategy: {surge: 2}}}", want: "{spec: {mode: rolling, strategy: {surge: 2}}}",
			changes: []string{"defaulted replace spec.mode: null replaced by the " + mode},
		},
	} {
		t.Run(name, func(t *testing.T) {
			test.run(t, func(before map[string]any, object *unstructured.Unstructured, schema *structuralschema.Structural) []change {
				return applyDefaults(before, object.Object, schema)
			})
		})
	}
}
