//go:build !js

package engine_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	apiservervalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/versioning"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/whole"
	"github.com/crdlab/crdlab/internal/playground"
)

// A workload is a CRD and an object of it that people edit.
type workload struct{ name, crd, object string }

// workloads are the CronTab of the documentation, some whose rules double, to
// see how the cost grows with them, and the
// CRDs of real projects if CRDLAB_CORPUS names their directory.
func workloads(b *testing.B) []workload {
	all := []workload{crontab(b), generated(50), generated(100), generated(200), generated(400)}
	dir := os.Getenv("CRDLAB_CORPUS")
	if dir == "" {
		b.Log("CRDLAB_CORPUS is not set: no CRDs of real projects")
		return all
	}
	for _, name := range []string{
		"cert-manager/*.certificates.cert-manager.io",
		"gateway-api/*.httproutes.gateway.networking.k8s.io",
		"kueue/*.workloads.kueue.x-k8s.io",
		"kyverno/*.clusterpolicies.kyverno.io",
	} {
		all = append(all, workload{
			name:   strings.SplitN(name, "*.", 2)[1],
			crd:    readMatch(b, dir, strings.Replace(name, "*", "crd", 1)+".yaml"),
			object: readMatch(b, dir, strings.Replace(name, "*", "cr", 1)+".1.yaml"),
		})
	}
	return all
}

func readMatch(b *testing.B, dir, name string) string {
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		b.Fatal(err)
	}
	return string(data)
}

func crontab(b *testing.B) workload {
	for _, c := range readCases(b) {
		if c.Name == "docs/validation-rules" {
			return workload{"crontab", c.Scenario.CRD, c.Scenario.Object}
		}
	}
	b.Fatal("no case docs/validation-rules")
	return workload{}
}

// generated is a CRD with so many fields, each with a rule.
func generated(fields int) workload {
	var crd, object strings.Builder
	crd.WriteString(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: things, kind: Thing}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
`)
	object.WriteString("apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\nspec:\n")
	for i := range fields {
		fmt.Fprintf(&crd, `              field%d:
                type: object
                x-kubernetes-validations:
                - {rule: self.low <= self.high, message: low must not exceed high}
                properties:
                  low: {type: integer, minimum: 0}
                  high: {type: integer, default: 10}
`, i)
		fmt.Fprintf(&object, "  field%d: {low: %d}\n", i, i%10)
	}
	return workload{fmt.Sprintf("generated-%d", fields), crd.String(), object.String()}
}

// BenchmarkCRDEdit is a CRD that is pasted, of which nothing is known before,
// and a keystroke in it, which leaves most of the schema as it was.
func BenchmarkCRDEdit(b *testing.B) {
	for _, w := range workloads(b) {
		b.Run(w.name+"/pasted", func(b *testing.B) {
			for b.Loop() {
				measured(b, whole.New(), playground.Scenario{CRD: w.crd, Object: w.object})
			}
		})
		b.Run(w.name+"/engine", func(b *testing.B) {
			e := whole.New()
			measured(b, e, playground.Scenario{CRD: w.crd, Object: w.object})
			for i := 0; b.Loop(); i++ {
				measured(b, e, playground.Scenario{CRD: w.crd + fmt.Sprintf("\n# %d", i), Object: w.object})
			}
		})
		b.Run(w.name+"/upstream", func(b *testing.B) {
			for b.Loop() {
				bareObject(b, bareCRD(b, w.crd), w.object)
			}
		})
	}
}

// BenchmarkObjectEdit is a keystroke in the object: the CRD is compiled.
func BenchmarkObjectEdit(b *testing.B) {
	for _, w := range workloads(b) {
		b.Run(w.name+"/engine", func(b *testing.B) {
			e := whole.New()
			measured(b, e, playground.Scenario{CRD: w.crd, Object: w.object})
			for i := 0; b.Loop(); i++ {
				measured(b, e, playground.Scenario{CRD: w.crd, Object: w.object + fmt.Sprintf("\n# %d", i)})
			}
		})
		b.Run(w.name+"/upstream", func(b *testing.B) {
			compiled := bareCRD(b, w.crd)
			for b.Loop() {
				bareObject(b, compiled, w.object)
			}
		})
	}
}

func measured(b *testing.B, e *engine.Engine, s playground.Scenario) {
	s.FieldValidation = playground.FieldValidationIgnore
	report, err := e.Evaluate(context.Background(), s)
	if err != nil || !report.CRD.Accepted {
		b.Fatalf("%v: %s", err, report.CRD.Output)
	}
}

// bareVersion is what upstream's calls need to judge an object.
type bareVersion struct {
	schema    *structuralschema.Structural
	validator apiservervalidation.SchemaValidator
	rules     *cel.Validator
}

// bareCRD decodes, validates and compiles a CRD with upstream's calls alone:
// the least that an API server does until it can serve the last version.
func bareCRD(b *testing.B, text string) bareVersion {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	serializer := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{Yaml: true})
	codec := versioning.NewCodec(nil, serializer, runtime.UnsafeObjectConvertor(scheme), scheme, scheme, scheme, nil, apiextensions.SchemeGroupVersion, "bench")
	kind := apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition")
	crd := &apiextensions.CustomResourceDefinition{}
	if _, _, err := codec.Decode([]byte(text), &kind, crd); err != nil {
		b.Fatal(err)
	}
	strategy := customresourcedefinition.NewStrategy(scheme)
	strategy.PrepareForCreate(b.Context(), crd)
	if errs := strategy.Validate(b.Context(), crd); len(errs) > 0 {
		b.Fatal(errs.ToAggregate())
	}
	var compiled bareVersion
	for _, v := range crd.Spec.Versions {
		compiled = bareCompile(b, crd, v.Name)
	}
	return compiled
}

func bareCompile(b *testing.B, crd *apiextensions.CustomResourceDefinition, version string) bareVersion {
	schema, err := apiextensions.GetSchemaForVersion(crd, version)
	if err != nil {
		b.Fatal(err)
	}
	validator, _, err := apiservervalidation.NewSchemaValidator(schema.OpenAPIV3Schema)
	if err != nil {
		b.Fatal(err)
	}
	structural, err := structuralschema.NewStructural(schema.OpenAPIV3Schema)
	if err != nil {
		b.Fatal(err)
	}
	structural = structural.DeepCopy()
	if err := defaulting.PruneDefaults(structural); err != nil {
		b.Fatal(err)
	}
	return bareVersion{structural, validator, cel.NewValidator(structural, true, celconfig.PerCallLimit)}
}

// bareObject judges an object with upstream's calls alone.
func bareObject(b *testing.B, v bareVersion, text string) {
	content := map[string]any{}
	if err := utilyaml.Unmarshal([]byte(text), &content); err != nil {
		b.Fatal(err)
	}
	object := &unstructured.Unstructured{Object: content}
	pruning.Prune(object.Object, v.schema, true)
	defaulting.PruneNonNullableNullsWithoutDefaults(object.Object, v.schema)
	defaulting.Default(object.Object, v.schema)
	apiservervalidation.ValidateCustomResource(nil, object.Object, v.validator)
	listtype.ValidateListSetsAndMaps(nil, v.schema, object.Object)
	v.rules.Validate(b.Context(), nil, v.schema, object.Object, nil, celconfig.RuntimeCELCostBudget)
}
