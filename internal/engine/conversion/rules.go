package conversion

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	celgo "github.com/google/cel-go/cel"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	utilversion "k8s.io/apimachinery/pkg/util/version"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/crdlab/crdlab/internal/engine/celvalue"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/source"
)

// APIConversion is the type of a document with conversion rules, from kcp (apis.kcp.io/v1alpha1).
type APIConversion struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        map[string]any `json:"metadata"`
	Spec            struct {
		Conversions []versionConversion `json:"conversions"`
	} `json:"spec"`
}

type versionConversion struct {
	From     string           `json:"from"`
	To       string           `json:"to"`
	Rules    []conversionRule `json:"rules"`
	Preserve []string         `json:"preserve"`
}

type conversionRule struct {
	Field          string `json:"field"`
	Destination    string `json:"destination"`
	Transformation string `json:"transformation"`
}

// preserveAnnotation prefixes the name of the version whose fields it preserves.
const preserveAnnotation = "preserve.conversion.apis.kcp.io/"

// conversionRules convert objects from one version to another.
type conversionRules struct {
	versionConversion
	programs []celgo.Program              // parallel to Rules; nil copies the value
	broken   []error                      // parallel to Rules; the compile error of a transformation
	schema   *structuralschema.Structural // of the From version; nil if it is not served
	target   *structuralschema.Structural // of the To version; nil if it is not served
	at       source.Location              // in the document
}

// A ruleError is the failure of a rule for an object.
type ruleError struct {
	rule int
	key  string // of the rule, at which the cause is: field, transformation or destination
	err  error
}

func (e *ruleError) Error() string { return fmt.Sprintf("rule %d: %v", e.rule, e.err) }

func (c *conversionRules) converts(group, from, to string) bool {
	return from == group+"/"+c.From && to == group+"/"+c.To
}

// compile returns the program of rule i, or nil if the rule copies the value. Its
// error is the message of the CEL compiler.
func (c *conversionRules) compile(i int) (celgo.Program, error) {
	rule := c.Rules[i]
	if rule.Transformation == "" {
		return nil, nil
	}
	env, err := c.environment(rule.Field)
	if err != nil {
		return nil, fmt.Errorf("prepare CEL environment: %w", err)
	}
	ast, issues := env.Compile(rule.Transformation)
	if issues.Err() != nil {
		return nil, issues.Err()
	}
	return env.Program(ast, celgo.CostLimit(celconfig.PerCallLimit), celgo.InterruptCheckFrequency(celconfig.CheckFrequency))
}

// environment declares self with the type of the field in the schema.
func (c *conversionRules) environment(field string) (*celgo.Env, error) {
	options := environment.VersionedOptions{
		IntroducedVersion: utilversion.MajorMinor(1, 0),
		EnvOptions:        []celgo.EnvOption{celgo.Variable(cel.ScopedVarName, celgo.DynType)},
	}
	if declType := c.declType(field); declType != nil {
		declType = declType.MaybeAssignTypeName("selfType")
		options.EnvOptions = []celgo.EnvOption{celgo.Variable(cel.ScopedVarName, declType.CelType())}
		options.DeclTypes = []*apiservercel.DeclType{declType}
	}
	base, err := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).Extend(options)
	if err != nil {
		return nil, err
	}
	return base.StoredExpressionsEnv(), nil
}

func (c *conversionRules) declType(field string) *apiservercel.DeclType {
	if c.schema == nil {
		return nil
	}
	node, root := c.node(field)
	if node == nil {
		return nil
	}
	return model.SchemaDeclType(node, root)
}

// node returns the schema of a field, or nil. The root and embedded resources
// also have the type and object metadata, and root is true.
func (c *conversionRules) node(field string) (node *structuralschema.Structural, root bool) {
	path := jsonvalue.SplitJSONPath(field)
	node = property(c.schema, path)
	if node == nil || len(path) > 0 && !node.XEmbeddedResource {
		return node, false
	}
	return model.WithTypeAndObjectMeta(node), true
}

// apply converts an object. Fields without a rule keep their paths; the API
// server then prunes the fields that the new version lacks. It does not prune the
// object that a server-side apply converts, so a field that a rule moves away is gone
// as it is with a webhook that has types.
func (c *conversionRules) apply(object map[string]any, to string) (map[string]any, error) {
	converted := runtime.DeepCopyJSON(object)
	converted["apiVersion"] = to
	for i := range c.Rules {
		if err := c.applyRule(i, object, converted); err != nil {
			return nil, err
		}
	}
	for _, rule := range c.Rules {
		path := jsonvalue.SplitJSONPath(rule.Field)
		if len(path) > 0 && path[0] != "metadata" && c.target != nil && property(c.target, path) == nil {
			unstructured.RemoveNestedField(converted, path...)
		}
	}
	return converted, c.preserve(object, converted)
}

func (c *conversionRules) applyRule(i int, object, converted map[string]any) error {
	rule := c.Rules[i]
	if c.broken[i] != nil {
		return fmt.Errorf("rule %d: transformation of %s does not compile", i, rule.Field)
	}
	value, found, err := unstructured.NestedFieldNoCopy(object, jsonvalue.SplitJSONPath(rule.Field)...)
	if rule.Destination == "" || rule.Destination == "." {
		return &ruleError{i, "destination", errors.New("the destination must be a field")}
	}
	if err != nil {
		return &ruleError{i, "field", fmt.Errorf("field %s: %w", rule.Field, err)}
	}
	if !found {
		return nil
	}
	out := runtime.DeepCopyJSONValue(value)
	if c.programs[i] != nil {
		if out, err = c.transform(i, value); err != nil {
			return &ruleError{i, "transformation", fmt.Errorf("transformation of %s: %w", rule.Field, err)}
		}
	}
	if err := unstructured.SetNestedField(converted, out, jsonvalue.SplitJSONPath(rule.Destination)...); err != nil {
		return &ruleError{i, "destination", fmt.Errorf("destination %s: %w", rule.Destination, err)}
	}
	return nil
}

func (c *conversionRules) transform(i int, value any) (any, error) {
	self := value
	if c.schema != nil {
		if node, _ := c.node(c.Rules[i].Field); node != nil {
			self = cel.UnstructuredToVal(value, node)
		}
	}
	result, _, err := c.programs[i].Eval(map[string]any{cel.ScopedVarName: self})
	if err != nil {
		return nil, err
	}
	return celvalue.ToJSON(result)
}

// preserve saves fields that the new version lacks in an annotation, or restores
// the fields that an earlier conversion saved.
func (c *conversionRules) preserve(object, converted map[string]any) error {
	out := &unstructured.Unstructured{Object: converted}
	annotations := out.GetAnnotations()
	if kept := annotations[preserveAnnotation+c.To]; kept != "" {
		delete(annotations, preserveAnnotation+c.To)
		setAnnotations(out, annotations)
		return restorePreserved(converted, kept)
	}
	keep := map[string]any{}
	for _, field := range c.Preserve {
		value, found, err := unstructured.NestedFieldNoCopy(object, jsonvalue.SplitJSONPath(field)...)
		if err != nil {
			return fmt.Errorf("preserve %s: %w", field, err)
		}
		if found {
			keep[strings.TrimPrefix(field, ".")] = value
		}
	}
	if len(keep) == 0 {
		return nil
	}
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[preserveAnnotation+c.From] = string(jsonvalue.Encode(keep))
	setAnnotations(out, annotations)
	return nil
}

func restorePreserved(converted map[string]any, kept string) error {
	fields := map[string]any{}
	if err := utiljson.Unmarshal([]byte(kept), &fields); err != nil {
		return fmt.Errorf("read preserved fields: %w", err)
	}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if err := unstructured.SetNestedField(converted, fields[field], jsonvalue.SplitJSONPath(field)...); err != nil {
			return fmt.Errorf("restore %s: %w", field, err)
		}
	}
	return nil
}

func setAnnotations(object *unstructured.Unstructured, annotations map[string]string) {
	if len(annotations) == 0 {
		annotations = nil
	}
	object.SetAnnotations(annotations)
}

// property returns the schema of the field at path, or nil.
func property(root *structuralschema.Structural, path []string) *structuralschema.Structural {
	node := root
	for _, step := range path {
		if node == nil {
			return nil
		}
		if child, ok := node.Properties[step]; ok {
			node = &child
		} else if node.AdditionalProperties != nil {
			node = node.AdditionalProperties.Structural
		} else {
			return nil
		}
	}
	return node
}
