package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/examples"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/procpool"
)

// BenchmarkEvaluate measures evaluations of a changing object with an unchanged CRD,
// with one client per core, in three variants:
//
//   - engine: the engine in this process, without JSON
//   - json: the same, with decoding of the scenario and encoding of the report
//   - server: the HTTP API with the process pool, without compression
//
// Clients and server share the cores. Run it with -cpu 1,2 to compare one and two cores.
func BenchmarkEvaluate(b *testing.B) {
	for name, scenario := range benchScenarios(b) {
		b.Run(name+"/engine", func(b *testing.B) {
			e := engine.New()
			measureParallel(b, func(i int64) error {
				_, err := e.Evaluate(context.Background(), keystroke(scenario, i))
				return err
			})
		})
		crd, err := json.Marshal(scenario.CRD)
		if err != nil {
			b.Fatal(err)
		}
		before := slices.Concat([]byte(`{"crd":`), crd, []byte(`,"object":`))
		behind := func(i int64) []byte {
			object, err := json.Marshal(keystroke(scenario, i).Object)
			if err != nil {
				b.Error(err)
			}
			return append(object, '}')
		}
		b.Run(name+"/json", func(b *testing.B) {
			e := engine.New()
			measureParallel(b, func(i int64) error { return evaluateJSON(e, slices.Concat(before, behind(i)), io.Discard) })
		})
		b.Run(name+"/server", func(b *testing.B) {
			url := benchServer(b)
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}}
			measureParallel(b, func(i int64) error { return post(client, url+"/api/v1/evaluate", before, behind(i)) })
		})
	}
}

// evaluateJSON evaluates a scenario in JSON, as strictly as the HTTP API, and writes
// the report in JSON.
func evaluateJSON(e *engine.Engine, body []byte, output io.Writer) error {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	var scenario playground.Scenario
	if err := decoder.Decode(&scenario); err != nil {
		return err
	}
	report, err := e.Evaluate(context.Background(), scenario)
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(output)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(report)
}

// benchScenarios returns the default example and, if CRDLAB_CORPUS is set, HTTPRoute,
// a CRD with a large number of rules.
func benchScenarios(b *testing.B) map[string]playground.Scenario {
	scenarios := map[string]playground.Scenario{"gallery": examples.Default().Scenario}
	corpus := filepath.Join(os.Getenv("CRDLAB_CORPUS"), "gateway-api")
	crd, err := os.ReadFile(filepath.Join(corpus, "crd.httproutes.gateway.networking.k8s.io.yaml"))
	if err != nil {
		b.Logf("HTTPRoute is not measured: %v", err)
		return scenarios
	}
	object, err := os.ReadFile(filepath.Join(corpus, "cr.httproutes.gateway.networking.k8s.io.1.yaml"))
	if err != nil {
		b.Fatal(err)
	}
	scenarios["httproute"] = playground.Scenario{CRD: string(crd), Object: string(object)}
	return scenarios
}

func keystroke(s playground.Scenario, i int64) playground.Scenario {
	s.Object += "\n# " + strconv.FormatInt(i, 10)
	return s
}

func benchServer(b *testing.B) string {
	pool := procpool.New(testChild, 2)
	app, err := newApp("127.0.0.1:0", "", appConfig{
		engine: pool.Render, assets: fstest.MapFS{}, log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- app.serve(ctx) }()
	b.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			b.Error(err)
		}
		pool.Close()
	})
	return app.url()
}

// post sends the parts as one body without concatenating them.
func post(client *http.Client, url string, parts ...[]byte) error {
	var body net.Buffers
	length := 0
	for _, part := range parts {
		body = append(body, part)
		length += len(part)
	}
	request, err := http.NewRequest(http.MethodPost, url, &body)
	if err != nil {
		return err
	}
	request.ContentLength = int64(length)
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("unexpected status %s", response.Status)
	}
	return nil
}

// measureParallel reports requests per second and the 99th percentile of the latency.
// It first warms up every client, so that the CRD is compiled.
func measureParallel(b *testing.B, ask func(i int64) error) {
	var (
		count atomic.Int64
		mu    sync.Mutex
		all   []time.Duration
	)
	warm(b, ask)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		var latencies []time.Duration
		for pb.Next() {
			start := time.Now()
			if err := ask(count.Add(1)); err != nil {
				b.Error(err)
				return
			}
			latencies = append(latencies, time.Since(start))
		}
		mu.Lock()
		defer mu.Unlock()
		all = append(all, latencies...)
	})
	b.StopTimer()
	slices.Sort(all)
	b.ReportMetric(float64(len(all))/b.Elapsed().Seconds(), "requests/s")
	b.ReportMetric(float64(all[len(all)*99/100].Nanoseconds()), "p99-ns")
}

func warm(b *testing.B, ask func(i int64) error) {
	var asking sync.WaitGroup
	for i := range 4 {
		asking.Go(func() {
			if err := ask(int64(-i)); err != nil {
				b.Error(err)
			}
		})
	}
	asking.Wait()
}
