//go:build !js

package engine_test

import (
	"context"
	"regexp"
	"strconv"
	"testing"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/playground"
)

// BenchmarkCRDEdit measures a pasted CRD with empty caches, and a keystroke in the
// schema of a cached CRD.
func BenchmarkCRDEdit(b *testing.B) {
	for _, w := range workloads(b) {
		b.Run(w.name+"/pasted", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				evaluateOnce(b, engine.New(), playground.Scenario{CRD: editSchema(b, w.crd, i), Object: w.object})
			}
		})
		b.Run(w.name+"/engine", func(b *testing.B) {
			e := engine.New()
			evaluateOnce(b, e, playground.Scenario{CRD: w.crd, Object: w.object})
			for i := 0; b.Loop(); i++ {
				evaluateOnce(b, e, playground.Scenario{CRD: editSchema(b, w.crd, i), Object: w.object})
			}
		})
		b.Run(w.name+"/upstream", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				bareObject(b, bareCRD(b, editSchema(b, w.crd, i)), w.object)
			}
		})
	}
}

// BenchmarkObjectEdit measures a keystroke in the object of a cached CRD.
func BenchmarkObjectEdit(b *testing.B) {
	for _, w := range workloads(b) {
		b.Run(w.name+"/engine", func(b *testing.B) {
			e := engine.New()
			evaluateOnce(b, e, playground.Scenario{CRD: w.crd, Object: w.object})
			for i := 0; b.Loop(); i++ {
				evaluateOnce(b, e, playground.Scenario{CRD: w.crd, Object: w.object + "\n# " + strconv.Itoa(i)})
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

// BenchmarkCRDUpdate measures a keystroke in the schema of a CRD that is compared with an
// old CRD: the preliminary report, and the final report with the search for witnesses.
func BenchmarkCRDUpdate(b *testing.B) {
	for _, w := range workloads(b) {
		e := engine.New()
		scenario := func(i int) playground.Scenario {
			return playground.Scenario{CRD: editSchema(b, w.crd, i), OldCRD: w.crd, Object: w.object}
		}
		b.Run(w.name+"/preliminary", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if _, _, err := e.Preliminary(context.Background(), scenario(i)); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(w.name+"/final", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				evaluateOnce(b, e, scenario(-i-1))
			}
		})
	}
}

var specStart = regexp.MustCompile(`openAPIV3Schema:\n(?s:.*?)\n +spec:\n( +)`)

// editSchema returns a CRD with a changed keyword at spec of its first schema.
func editSchema(b *testing.B, crd string, i int) string {
	at := specStart.FindStringSubmatchIndex(crd)
	if at == nil {
		b.Fatal("no schema in block style with spec")
	}
	return crd[:at[3]] + "maxProperties: " + strconv.Itoa(1_000_000+i) + "\n" + crd[at[2]:at[3]] + crd[at[3]:]
}

func evaluateOnce(b *testing.B, e *engine.Engine, s playground.Scenario) {
	s.FieldValidation = playground.FieldValidationIgnore
	report, err := e.Evaluate(context.Background(), s)
	if err != nil || !report.CRD.Accepted {
		b.Fatalf("%v: %s", err, report.CRD.Output)
	}
}
