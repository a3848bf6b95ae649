package crdlab

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/constant"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// limitRow matches a row of the limits in docs/security.md: a value, its unit and the
// name of a constant, or of a field of a variable.
var limitRow = regexp.MustCompile("(?m)^\\| [^|]+ \\| ([0-9.,]+)(?: (\\w+))? \\| `([\\w.]+)` \\|$")

// units converts documented units to bytes and nanoseconds.
var units = map[string]float64{
	"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "s": 1e9, "min": 60e9,
}

// TestSecurityLimits compares the limits in docs/security.md with the code.
func TestSecurityLimits(t *testing.T) {
	document, err := os.ReadFile("docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := limitRow.FindAllStringSubmatch(string(document), -1)
	if len(rows) < 20 {
		t.Fatalf("found %d limits", len(rows))
	}
	values := constants(t, "cmd", "internal")
	for _, row := range rows {
		number, err := strconv.ParseFloat(strings.ReplaceAll(row[1], ",", ""), 64)
		unit, ok := units[row[2]]
		if err != nil || !ok {
			t.Errorf("%s: cannot read %s %s: %v", row[3], row[1], row[2], err)
			continue
		}
		want := fmt.Sprint(int64(number * unit))
		if got := values[row[3]]; len(got) != 1 || got[0] != want {
			t.Errorf("%s: docs/security.md has %s, the code has %v", row[3], want, got)
		}
	}
}

// constants returns the values of numeric constants and struct fields in
// package-level declarations, by name.
func constants(t *testing.T, roots ...string) map[string][]string {
	t.Helper()
	values := map[string][]string{}
	for _, root := range roots {
		err := filepath.WalkDir(root, func(name string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			return addConstants(values, name)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return values
}

func addConstants(values map[string][]string, file string) error {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	add := func(name string, expression ast.Expr) {
		if value, ok := evaluate(expression); ok {
			values[name] = append(values[name], value)
		}
	}
	for _, declaration := range parsed.Decls {
		general, ok := declaration.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range general.Specs {
			if value, ok := spec.(*ast.ValueSpec); ok {
				eachValue(value, add)
			}
		}
	}
	return nil
}

func eachValue(spec *ast.ValueSpec, visit func(name string, expression ast.Expr)) {
	for i, expression := range spec.Values {
		name := spec.Names[i].Name
		visit(name, expression)
		literal, ok := expression.(*ast.CompositeLit)
		if !ok {
			continue
		}
		for _, element := range literal.Elts {
			if field, ok := element.(*ast.KeyValueExpr); ok {
				if key, ok := field.Key.(*ast.Ident); ok {
					visit(name+"."+key.Name, field.Value)
				}
			}
		}
	}
}

// nanoseconds replaces the constants of package time in expressions.
var nanoseconds = strings.NewReplacer("time.Millisecond", "1000000", "time.Second", "1000000000", "time.Minute", "60000000000", "time.Hour", "3600000000000")

// evaluate evaluates a constant numeric expression of literals and durations.
func evaluate(expression ast.Expr) (value string, ok bool) {
	var source bytes.Buffer
	if err := format.Node(&source, token.NewFileSet(), expression); err != nil {
		return "", false
	}
	result, err := types.Eval(token.NewFileSet(), nil, token.NoPos, nanoseconds.Replace(source.String()))
	if err != nil || result.Value == nil || result.Value.Kind() != constant.Int {
		return "", false
	}
	return result.Value.ExactString(), true
}
