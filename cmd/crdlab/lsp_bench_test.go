package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/playground"
)

// BenchmarkLSP measures the program CRDLAB_BIN as a language server, in a workspace with 500 CRDs
// that are made from CRDLAB_CORPUS. "make bench-lsp" sets both.
func BenchmarkLSP(b *testing.B) {
	program, corpus := os.Getenv("CRDLAB_BIN"), os.Getenv("CRDLAB_CORPUS")
	if program == "" || corpus == "" {
		b.Skip("CRDLAB_BIN and CRDLAB_CORPUS are not set")
	}
	s := &session{
		t: b, directory: b.TempDir(), texts: map[string]string{}, versions: map[string]int{},
		markers: map[string]map[string]position{}, sources: map[string]string{}, published: map[string]chan json.RawMessage{},
	}
	addCRDs(b, s, corpus, 500)
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(corpus, name))
		if err != nil {
			b.Fatal(err)
		}
		return string(text)
	}
	crd, object := read("gateway-api/crd.httproutes.gateway.networking.k8s.io.yaml"), read("gateway-api/cr.httproutes.gateway.networking.k8s.io.1.yaml")
	s.add("large.yaml", read("kueue/crd.workloads.kueue.x-k8s.io.yaml"))
	s.add("httproutes.yaml", crd)
	s.add("route.yaml", object)

	start := time.Now()
	command := exec.Command(program, "lsp") //nolint:gosec // the program under test
	in, out := pipes(b, command)
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	s.conn = s.connect(b, editorStream{out, in})
	open := func(name string) {
		s.run("open " + name)
		s.diagnostics(name)
	}
	open("route.yaml")
	b.ReportMetric(milliseconds(time.Since(start)), "ms/start")

	name := s.markerAt("route.yaml", "  name: ")
	field := s.markerAt("route.yaml", "  parentRefs")
	s.markers["route.yaml"] = map[string]position{"end": name, "field": {field.Line, 4}}
	keystrokes := measure(50, func() {
		s.run("change route.yaml @end a")
		s.diagnostics("route.yaml")
	})
	report(b, "object", keystrokes)
	report(b, "completion", measure(50, func() {
		s.requestAt("", "textDocument/completion", "route.yaml", "@field")
	}))

	s.markers["large.yaml"] = map[string]position{"end": s.markerAt("large.yaml", "description: ")}
	s.run("open large.yaml")
	report(b, "beside", measure(50, func() {
		s.run("change large.yaml @end a")
		s.requestAt("", "textDocument/hover", "route.yaml", "@field")
	}))
	s.run("close large.yaml")

	description := s.markerAt("httproutes.yaml", "description: ")
	s.markers["httproutes.yaml"] = map[string]position{"end": description}
	open("httproutes.yaml")
	s.diagnostics("route.yaml")
	inCRD := measure(10, func() {
		s.run("change httproutes.yaml @end a")
		s.diagnostics("httproutes.yaml")
		s.diagnostics("route.yaml")
	})
	report(b, "crd", inCRD)
	e := engine.New()
	i := 0
	own := measure(10, func() {
		i++
		edited := strings.Replace(crd, "description: ", "description: "+strings.Repeat("a", i), 1)
		_, err := e.Evaluate(b.Context(), playground.Scenario{CRD: edited, Object: object})
		if err != nil {
			b.Fatal(err)
		}
	})
	b.ReportMetric(float64(inCRD[len(inCRD)/2])/float64(own[len(own)/2]), "crd/engine")
	b.ReportMetric(residentMiB(b, command.Process.Pid), "MiB")
	b.Logf("the last answers: %.300s", s.out.String())
	_ = command.Process.Kill()
	_ = command.Wait()
}

// addCRDs writes CRDs into the workspace, as copies of a corpus with other groups.
func addCRDs(b *testing.B, s *session, corpus string, count int) {
	paths, _ := filepath.Glob(filepath.Join(corpus, "*", "crd.*.yaml"))
	if len(paths) == 0 {
		b.Fatal("CRDLAB_CORPUS has no CRDs")
	}
	for i := range count {
		text, err := os.ReadFile(paths[i%len(paths)])
		if err != nil {
			b.Fatal(err)
		}
		s.write(fmt.Sprintf("crds/%d.yaml", i), strings.ReplaceAll(string(text), "  group: ", fmt.Sprintf("  group: copy%d.", i)))
	}
}

// markerAt returns the end of the first line that begins with a string after its indentation.
func (s *session) markerAt(name, prefix string) position {
	for i, line := range strings.Split(s.sources[name], "\n") {
		if strings.Contains(line, prefix) && !strings.HasSuffix(line, "|-") {
			return position{i, len(line)}
		}
	}
	s.t.Fatalf("%s has no line with %q", name, prefix)
	return position{}
}

func measure(n int, once func()) []time.Duration {
	var all []time.Duration
	for range n {
		start := time.Now()
		once()
		all = append(all, time.Since(start))
	}
	slices.Sort(all)
	return all
}

func report(b *testing.B, name string, sorted []time.Duration) {
	b.ReportMetric(milliseconds(sorted[len(sorted)/2]), "ms/"+name)
	b.ReportMetric(milliseconds(sorted[len(sorted)*95/100]), "p95/"+name)
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// residentMiB returns the memory of a process on Linux.
func residentMiB(b *testing.B, pid int) float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	kib, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		b.Fatal(err)
	}
	return float64(kib) / 1024
}
