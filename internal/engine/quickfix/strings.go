package quickfix

import (
	"fmt"
	"regexp"
	"strings"

	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/playground"
)

// explainFormat sets the hint for a string without the format of its schema.
func explainFormat(p *problem) []playground.Fix {
	format := p.match[1]
	if sample := crdschema.FormatSample(format); sample != "" {
		p.Hint = fmt.Sprintf("For example, %q is a valid %s.", sample, format)
	}
	return nil
}

// explainPattern sets the hint for a string that does not match the pattern of its schema, and
// corrects the white space and the case of the string.
func explainPattern(p *problem) []playground.Fix {
	written := p.match[1]
	matcher, err := regexp.Compile(written)
	if err != nil {
		return nil
	}
	value := p.scalar(p.path...)
	if trimmed := strings.TrimSpace(value); matcher.MatchString(trimmed) {
		p.Hint = "The string matches without the white space around it. In YAML, a block that begins with | or > ends with a line break. Use |- or >- instead."
		return p.setAccepted(trimmed)
	}
	if unquoted := unquotePattern(written); unquoted != written {
		if corrected, err := regexp.Compile(unquoted); err == nil && corrected.MatchString(value) {
			p.Hint = fmt.Sprintf("The string matches %s. In the CRD, the quotes, slashes and doubled backslashes are part of the pattern. YAML needs two backslashes only in double quotes.", unquoted)
			return nil
		}
	}
	if samples := crdschema.StringSamples(p.stringSchema(written)); len(samples) > 0 {
		p.Hint = fmt.Sprintf("For example, %q matches.", samples[0])
	}
	if lower := strings.ToLower(value); matcher.MatchString(lower) {
		return p.setAccepted(lower)
	}
	return nil
}

// stringSchema returns a schema with the lengths and the format for the value, and the pattern.
func (p *problem) stringSchema(pattern string) crdschema.Schema {
	props := spec.SchemaProps{Type: spec.StringOrArray{"string"}, Pattern: pattern}
	if schema := p.valueSchema(); schema != nil {
		props.MinLength, props.MaxLength, props.Format = schema.MinLength, schema.MaxLength, schema.Format
	}
	return crdschema.Schema{Schema: &spec.Schema{SchemaProps: props}}
}

// unquotePattern removes what other languages, or YAML in double quotes, need around and in a
// regular expression.
func unquotePattern(pattern string) string {
	for _, quote := range []string{"/", `"`, "'", "`"} {
		if inner, found := strings.CutPrefix(pattern, quote); found && strings.HasSuffix(inner, quote) {
			pattern = strings.TrimSuffix(inner, quote)
		}
	}
	return strings.ReplaceAll(pattern, `\\`, `\`)
}
