package deploy

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/txtar"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/load"
	"github.com/crdlab/crdlab/internal/playground"
)

var update = flag.Bool("update", false, "write the rendered manifests and the table of values")

// TestChart renders the chart with the values of each case. The section want.yaml has the
// documents that the values change, and the section error the message for invalid values.
func TestChart(t *testing.T) {
	defaults := render(t, "chart/values.yaml")
	files, err := filepath.Glob("testdata/chart/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			values := filepath.Join(t.TempDir(), "values.yaml")
			if err := os.WriteFile(values, archive.Files[0].Data, 0o600); err != nil {
				t.Fatal(err)
			}
			output, message := helm(t, "template", "crdlab", "chart", "--values", values)
			got := txtar.File{Name: "error", Data: message}
			if len(message) == 0 {
				got = txtar.File{Name: "want.yaml", Data: without(output, defaults)}
				checkObjects(t, decode(t, withoutCustomResources(output)))
			}
			if *update {
				archive.Files = []txtar.File{archive.Files[0], got}
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want := archive.Files[1]; want.Name != got.Name || string(want.Data) != string(got.Data) {
				t.Errorf("got %s\n%s\nwant %s\n%s", got.Name, got.Data, want.Name, want.Data)
			}
		})
	}
}

// TestLint runs Helm's own checks of the chart.
func TestLint(t *testing.T) {
	if output, message := helm(t, "lint", "--strict", "chart"); len(message) > 0 {
		t.Errorf("%s%s", output, message)
	}
}

// TestManifestsAreRendered renders the chart again to compare the manifests for kubectl.
func TestManifestsAreRendered(t *testing.T) {
	for directory := range kinds {
		file := filepath.Join(directory, "crdlab.yaml")
		want := slices.Concat([]byte("# Rendered from deploy/chart and values.yaml by \"make chart\".\n"), render(t, filepath.Join(directory, "values.yaml")))
		if *update {
			if err := os.WriteFile(file, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if read(t, file) != string(want) {
			t.Errorf("%s is not current: run make chart", file)
		}
	}
}

// TestCustomResources judges the chart's HTTPRoute with the CRD of the Gateway API.
func TestCustomResources(t *testing.T) {
	corpus := os.Getenv("CRDLAB_CORPUS")
	if corpus == "" {
		t.Skip("CRDLAB_CORPUS is not set")
	}
	archive, err := txtar.ParseFile("testdata/chart/httproute.txtar")
	if err != nil {
		t.Fatal(err)
	}
	route := filepath.Join(t.TempDir(), "route.yaml")
	if err := os.WriteFile(route, archive.Files[1].Data, 0o600); err != nil {
		t.Fatal(err)
	}
	crd := filepath.Join(corpus, "gateway-api", "crd.httproutes.gateway.networking.k8s.io.yaml")
	result, err := check.Run(t.Context(), load.Reader{}.Read(t.Context(), []string{crd, route}), check.Options{
		Releases: []string{""}, FieldValidation: playground.FieldValidationStrict,
		NewEngine: func() check.Engine { return check.Engine{Evaluate: engine.New().Evaluate} },
	})
	if err != nil {
		t.Fatal(err)
	}
	judged := 0
	for _, d := range result.Documents {
		if d.CRD == "" {
			continue
		}
		judged++
		if !d.Verdicts[0].Accepted {
			t.Errorf("%s is rejected: %+v", d.Kind, d.Verdicts[0])
		}
	}
	if judged != 1 {
		t.Errorf("%d custom resources were judged, want 1", judged)
	}
}

// TestSchemaOfSettings checks that the schema permits all settings of the server, except
// settings that other values set.
func TestSchemaOfSettings(t *testing.T) {
	var schema struct {
		Properties struct {
			Settings struct{ Properties map[string]any }
		}
	}
	if err := json.Unmarshal([]byte(read(t, "chart/values.schema.json")), &schema); err != nil {
		t.Fatal(err)
	}
	got := slices.Sorted(maps.Keys(schema.Properties.Settings.Properties))
	known := knownVariables(t)
	for _, other := range []string{"ADDR", "DRAIN", "METRICS_ADDR", "OPERATOR_TOKEN", "OPERATOR_TOKEN_FILE", "PUBLIC_URL", "STORE", "STORE_FILE", "TRUSTED_PROXIES"} {
		delete(known, "CRDLAB_"+other)
	}
	if want := slices.Sorted(maps.Keys(known)); !slices.Equal(got, want) {
		t.Errorf("the schema has the settings %v, want %v", got, want)
	}
}

const (
	valuesDocument = "../docs/self-hosting.md"
	valuesStart    = "<!-- values: make chart -->\n"
	valuesEnd      = "<!-- end of values -->\n"
)

// TestValuesTable compares the values in docs/self-hosting.md with the comments of the chart.
func TestValuesTable(t *testing.T) {
	before, rest, foundStart := strings.Cut(read(t, valuesDocument), valuesStart)
	table, after, foundEnd := strings.Cut(rest, valuesEnd)
	if !foundStart || !foundEnd {
		t.Fatalf("%s lacks the markers of the values", valuesDocument)
	}
	var values yaml.Node
	if err := yaml.Unmarshal([]byte(read(t, "chart/values.yaml")), &values); err != nil {
		t.Fatal(err)
	}
	want := "| value | default | meaning |\n|---|---|---|\n" + strings.Join(valueRows(t, "", values.Content[0]), "")
	if *update {
		if err := os.WriteFile(valuesDocument, []byte(before+valuesStart+want+valuesEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if table != want {
		t.Errorf("%s is not current: run make chart", valuesDocument)
	}
}

// valueRows returns a row for each value with a comment. A value without a comment must
// contain other values.
func valueRows(t *testing.T, prefix string, values *yaml.Node) (rows []string) {
	t.Helper()
	for i := 0; i < len(values.Content); i += 2 {
		key, value := values.Content[i], values.Content[i+1]
		meaning, isDescribed := strings.CutPrefix(key.HeadComment, "# ")
		name := prefix + key.Value
		switch {
		case isDescribed:
			rows = append(rows, fmt.Sprintf("| `%s` | %s | %s |\n", name, code(t, value), meaning))
		case value.Kind == yaml.MappingNode && len(value.Content) > 0:
			rows = append(rows, valueRows(t, name+".", value)...)
		default:
			t.Errorf("%s has no comment", name)
		}
	}
	return rows
}

func code(t *testing.T, value *yaml.Node) string {
	t.Helper()
	if value.Kind == yaml.ScalarNode && value.Value == "" {
		return ""
	}
	var decoded any
	if err := value.Decode(&decoded); err != nil {
		t.Fatal(err)
	}
	if text, ok := decoded.(string); ok {
		return "`" + text + "`"
	}
	text, err := json.Marshal(decoded)
	if err != nil {
		t.Fatal(err)
	}
	return "`" + string(text) + "`"
}

// render returns the manifests of the chart for a release named crdlab.
func render(t *testing.T, values string) []byte {
	t.Helper()
	output, message := helm(t, "template", "crdlab", "chart", "--values", values)
	if len(message) > 0 {
		t.Fatalf("%s", message)
	}
	return output
}

// helm runs the program, and returns its output without the names of the templates and
// empty lines. The message is empty on success.
func helm(t *testing.T, arguments ...string) (output, message []byte) {
	t.Helper()
	command := exec.Command(program(t, "HELM"), arguments...)
	command.Env = append(os.Environ(), "HELM_NO_PLUGINS=1", "HOME="+t.TempDir())
	var stderr bytes.Buffer
	command.Stderr = &stderr
	output, err := command.Output()
	if err != nil {
		return output, stderr.Bytes()
	}
	return regexp.MustCompile("(?m)^(# Source: .*)?\n").ReplaceAll(output, nil), nil
}

var separator = regexp.MustCompile("(?m)^---\n")

// without returns the documents that are not among others.
func without(stream, others []byte) []byte {
	known := separator.Split(string(others), -1)
	different := slices.DeleteFunc(separator.Split(string(stream), -1), func(document string) bool { return slices.Contains(known, document) })
	return []byte(strings.TrimPrefix(strings.Join(different, "---\n"), "---\n"))
}

// withoutCustomResources removes the documents without a type in Kubernetes.
func withoutCustomResources(stream []byte) []byte {
	documents := slices.DeleteFunc(separator.Split(string(stream), -1), func(document string) bool {
		return strings.TrimSpace(document) == "" || strings.Contains(document, "\nkind: HTTPRoute\n") || strings.Contains(document, "\nkind: ServiceMonitor\n")
	})
	return []byte(strings.Join(documents, "\n---\n"))
}
