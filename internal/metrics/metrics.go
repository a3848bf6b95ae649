// Package metrics collects metrics of the server for Prometheus.
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

// Metrics holds the metrics of one server.
type Metrics struct {
	registry    *prometheus.Registry
	requests    *prometheus.CounterVec
	durations   *prometheus.HistogramVec
	bytes       *prometheus.CounterVec
	running     prometheus.Gauge
	evaluations *prometheus.HistogramVec
	operations  *prometheus.HistogramVec
	available   prometheus.Gauge
}

// buckets are histogram bounds in seconds, from the evaluation of a small object to
// the evaluation timeout.
var buckets = []float64{.001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 20}

// New registers the metrics of a server with this build.
func New(build httpapi.Build) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "crdlab_http_requests_total", Help: "Completed requests by route pattern.",
		}, []string{"method", "route", "code"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "crdlab_http_request_duration_seconds", Help: "Time from the request header to the end of the response.", Buckets: buckets,
		}, []string{"method", "route"}),
		bytes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "crdlab_http_response_bytes_total", Help: "Size of the response bodies as sent.",
		}, []string{"method", "route"}),
		running: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "crdlab_evaluations_running", Help: "Evaluations in progress.",
		}),
		evaluations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "crdlab_evaluation_duration_seconds", Help: "Duration of evaluations by outcome.", Buckets: buckets,
		}, []string{"outcome"}),
		operations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "crdlab_store_operation_duration_seconds", Help: "Duration of short-link store operations by outcome.", Buckets: buckets,
		}, []string{"operation", "outcome"}),
		available: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "crdlab_store_available", Help: "0 if the last operation of the short-link store failed, otherwise 1.",
		}),
	}
	m.registry.MustRegister(
		m.requests, m.durations, m.bytes, m.running, m.evaluations, m.operations, buildInfo(build),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return m
}

// buildInfo returns a gauge that is always 1. Its labels describe the build.
func buildInfo(build httpapi.Build) prometheus.Collector {
	labels := prometheus.Labels{"version": build.Version, "go": build.Go, "kubernetes": build.Kubernetes}
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "crdlab_build_info", Help: "Versions of the server, Go and the Kubernetes libraries.", ConstLabels: labels,
	})
	info.Set(1)
	return info
}

// Waiting adds a gauge for the number of waiting evaluations.
func (m *Metrics) Waiting(count func() int) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "crdlab_evaluations_waiting", Help: "Requests that wait for an evaluation.",
	}, func() float64 { return float64(count()) }))
}

// Handler serves the metrics at /metrics.
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

// Engine wraps an engine to measure its evaluations.
func (m *Metrics) Engine(engine httpapi.Engine) httpapi.Engine {
	return func(ctx context.Context, request playground.Request) ([]byte, error) {
		if request.Task == playground.TaskAssist || request.Stopped != nil {
			return engine(ctx, request)
		}
		m.running.Inc()
		defer m.running.Dec()
		start := time.Now()
		body, err := engine(ctx, request)
		if errors.Is(err, playground.ErrUnreadable) {
			return body, err // no evaluation took place
		}
		m.evaluations.WithLabelValues(outcome(err)).Observe(time.Since(start).Seconds())
		return body, err
	}
}

// outcome returns the label for the error of an evaluation.
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
