// Package metrics counts what a server does, for Prometheus.
package metrics

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/crdlab/crdlab/internal/httpapi"
	"github.com/crdlab/crdlab/internal/playground"
)

// Metrics are the counts of one server.
type Metrics struct {
	registry    *prometheus.Registry
	requests    *prometheus.CounterVec
	durations   *prometheus.HistogramVec
	bytes       *prometheus.CounterVec
	running     prometheus.Gauge
	evaluations *prometheus.HistogramVec
	operations  *prometheus.HistogramVec
}

// buckets are in seconds: from a small object to the longest evaluation.
var buckets = []float64{.001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 20}

// New returns counts that begin at 0, and say what is counted.
func New(from httpapi.Build) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "crdlab_http_requests_total", Help: "Requests that were answered, by the pattern of their address.",
		}, []string{"method", "route", "code"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "crdlab_http_request_duration_seconds", Help: "Time from a request's header to the end of its answer.", Buckets: buckets,
		}, []string{"method", "route"}),
		bytes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "crdlab_http_response_bytes_total", Help: "Bytes of the answers' bodies.",
		}, []string{"method", "route"}),
		running: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "crdlab_evaluations_running", Help: "Scenarios that are being evaluated.",
		}),
		evaluations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "crdlab_evaluation_duration_seconds", Help: "Time of evaluations, by how they ended.", Buckets: buckets,
		}, []string{"outcome"}),
		operations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "crdlab_store_operation_duration_seconds", Help: "Time of operations of the store of short links, by how they ended.", Buckets: buckets,
		}, []string{"operation", "outcome"}),
	}
	m.registry.MustRegister(
		m.requests, m.durations, m.bytes, m.running, m.evaluations, m.operations, build(from),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return m
}

// build is always 1; its labels say what was built.
func build(from httpapi.Build) prometheus.Collector {
	labels := prometheus.Labels{"version": from.Version, "go": from.Go, "kubernetes": from.Kubernetes}
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "crdlab_build_info", Help: "What the server was built from.", ConstLabels: labels,
	})
	info.Set(1)
	return info
}

// Handler answers with the counts at /metrics.
func (m *Metrics) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	return mux
}

// Observe counts a request.
func (m *Metrics) Observe(o httpapi.Observation) {
	m.requests.WithLabelValues(o.Method, o.Route, strconv.Itoa(o.Status)).Inc()
	m.durations.WithLabelValues(o.Method, o.Route).Observe(o.Duration.Seconds())
	m.bytes.WithLabelValues(o.Method, o.Route).Add(float64(o.Bytes))
}

// Evaluate is an engine whose evaluations are counted.
func (m *Metrics) Evaluate(evaluate httpapi.Evaluate) httpapi.Evaluate {
	return count(m, evaluate)
}

// EvaluateJSON is the same of an engine whose reports are JSON.
func (m *Metrics) EvaluateJSON(evaluate httpapi.EvaluateJSON) httpapi.EvaluateJSON {
	return count(m, evaluate)
}

func count[Scenario, Report any](m *Metrics, evaluate func(context.Context, Scenario) (Report, error)) func(context.Context, Scenario) (Report, error) {
	return func(ctx context.Context, scenario Scenario) (Report, error) {
		m.running.Inc()
		defer m.running.Dec()
		start := time.Now()
		report, err := evaluate(ctx, scenario)
		if errors.Is(err, playground.ErrUnreadable) {
			return report, err // nothing was evaluated
		}
		m.evaluations.WithLabelValues(outcome(err)).Observe(time.Since(start).Seconds())
		return report, err
	}
}

// outcome is how an evaluation ended, in a word.
func outcome(err error) string {
	var (
		invalid *playground.InvalidScenarioError
		stopped *playground.StoppedError
	)
	switch {
	case err == nil:
		return "answered"
	case errors.As(err, &invalid):
		return "refused"
	case errors.As(err, &stopped):
		return "stopped"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(err, context.Canceled):
		return "canceled"
	}
	return "failed"
}
