package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/playground"
)

// TestSchemas compares the published schemas of a CRD with the recorded schemas of a
// cluster and the output of kubectl 1.37.
func TestSchemas(t *testing.T) {
	const file = "testdata/published.txtar"
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	report, err := engine.New().Evaluate(context.Background(), playground.Scenario{CRD: string(archive.Files[0].Data), Schemas: true})
	if err != nil {
		t.Fatal(err)
	}
	got := &txtar.Archive{Comment: archive.Comment, Files: archive.Files[:1]}
	for _, s := range report.Schemas {
		got.Files = append(got.Files,
			txtar.File{Name: s.Version + "/explain", Data: []byte(s.Explain)},
			txtar.File{Name: s.Version + "/explain-recursive", Data: []byte(s.ExplainRecursive)},
			txtar.File{Name: s.Version + "/kind.json", Data: indentJSON(t, s.Kind)},
			txtar.File{Name: s.Version + "/kind-v2.json", Data: indentJSON(t, s.KindV2)},
			txtar.File{Name: s.Version + "/lost-in-v2", Data: []byte(strings.Join(s.LostInV2, "\n") + "\n")},
		)
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(txtar.Format(archive)), string(txtar.Format(got))); diff != "" {
		t.Errorf("schemas differ (-want +got):\n%s", diff)
	}
}

func TestSchemasOfRejectedCRD(t *testing.T) {
	report, err := engine.New().Evaluate(context.Background(), playground.Scenario{CRD: "kind: Deployment", Schemas: true})
	if err != nil || len(report.Schemas) != 0 {
		t.Errorf("got %v, %v; want no schemas", report.Schemas, err)
	}
}

func indentJSON(t *testing.T, data []byte) []byte {
	var b bytes.Buffer
	if err := json.Indent(&b, data, "", "  "); err != nil {
		t.Fatal(err)
	}
	b.WriteByte('\n')
	return b.Bytes()
}
