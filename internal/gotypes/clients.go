package gotypes

import (
	"cmp"
	"fmt"
	"go/types"
	"regexp"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// testedField matches a test for a field in a CEL rule. controller-tools makes such rules of the
// markers of unions, too.
var testedField = regexp.MustCompile(`\bhas\(\s*self\.(\w+)\s*\)`)

// clientProblems reports the fields of a struct whose zero value Go clients cannot send, or always
// send although the API server rejects it.
func (p *places) clientProblems(ident crd.TypeIdent, info *markers.TypeInfo) []manifest.Finding {
	schema := p.parser.Schemata[ident] // It has no properties if no CRD needs the struct.
	tested := map[string]bool{}
	for _, rule := range schema.XValidations {
		for _, match := range testedField.FindAllStringSubmatch(rule.Rule, -1) {
			tested[match[1]] = true
		}
	}
	var all []manifest.Finding
	for _, field := range info.Fields {
		name, _ := jsonName(field)
		property, isProperty := schema.Properties[name]
		zero := zeroValue(ident.Package, field)
		if !isProperty || zero == "" || len(field.RawField.Names) == 0 {
			continue
		}
		accepted, preset := p.accepts(ident.Package, property, zero)
		problem := manifest.Finding{Place: p.nameOf(origin{ident.Package, field.RawField}), Severity: playground.SeverityInfo, Hint: fmt.Sprintf("Use a pointer if %s differs from no value.", zero)}
		switch omits := omitsZero(field); {
		case omits && accepted && preset != "" && preset != zero:
			problem.Message = fmt.Sprintf("Go clients cannot set %s to %s: they leave it out because of omitempty, and the API server sets the default %s.", field.Name, zero, preset)
		case omits && accepted && preset == "" && tested[name]:
			problem.Message = fmt.Sprintf("Go clients cannot set %s to %s: they leave it out because of omitempty, and has(self.%s) is false.", field.Name, zero, name)
		case omits || accepted || preset != "":
			continue
		case slices.Contains(schema.Required, name):
			if zero != `""` {
				continue // The message of the API server is clear.
			}
			problem.Message = fmt.Sprintf("Go clients that do not set %s send %s, which the API server rejects as an invalid value.", field.Name, zero)
			problem.Hint = "With omitempty in the JSON tag, the API server says that the required field is missing."
		default:
			problem.Severity = playground.SeverityWarning
			problem.Message = fmt.Sprintf("Go clients cannot leave out %s: they send %s, which the API server rejects.", field.Name, zero)
			problem.Hint, problem.Fixes = "Add omitempty to the JSON tag.", p.omitFix(ident.Package, field.RawField)
		}
		all = append(all, problem)
	}
	return all
}

// zeroValue returns the zero value of a field as JSON; empty for a field that is no string, number or
// boolean.
func zeroValue(pkg *loader.Package, field markers.FieldInfo) string {
	pkg.NeedTypesInfo()
	basic, ok := pkg.TypesInfo.TypeOf(field.RawField.Type).Underlying().(*types.Basic)
	switch {
	case !ok:
		return ""
	case basic.Info()&types.IsString != 0:
		return `""`
	case basic.Info()&types.IsNumeric != 0:
		return "0"
	case basic.Info()&types.IsBoolean != 0:
		return "false"
	}
	return ""
}

// accepts reports whether a schema and those to which it refers accept a zero value, and returns their
// default as JSON.
func (p *places) accepts(pkg *loader.Package, schema apiextensionsv1.JSONSchemaProps, zero string) (accepted bool, preset string) {
	accepted = (schema.MinLength == nil || *schema.MinLength == 0 || zero != `""`) &&
		(schema.Minimum == nil || *schema.Minimum < 0 || *schema.Minimum == 0 && !schema.ExclusiveMinimum || zero != "0") &&
		(schema.Maximum == nil || *schema.Maximum > 0 || *schema.Maximum == 0 && !schema.ExclusiveMaximum || zero != "0")
	if len(schema.Enum) > 0 {
		accepted = accepted && slices.ContainsFunc(schema.Enum, func(value apiextensionsv1.JSON) bool { return string(value.Raw) == zero })
	}
	if pattern, err := regexp.Compile(schema.Pattern); err == nil && zero == `""` {
		accepted = accepted && pattern.MatchString("")
	}
	if schema.Default != nil {
		preset = string(schema.Default.Raw)
	}
	if schema.Ref == nil {
		return accepted, preset
	}
	next, ok := p.referred(pkg, *schema.Ref)
	if !ok {
		return accepted, preset
	}
	alsoAccepted, otherPreset := p.accepts(next.Package, p.parser.Schemata[next], zero)
	return accepted && alsoAccepted, cmp.Or(preset, otherPreset)
}
