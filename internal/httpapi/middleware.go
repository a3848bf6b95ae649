package httpapi

import (
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
)

// pagePolicy is the content security policy of the page. The page loads only its own
// files and connects only to its own host. Inline scripts and styles are forbidden. Only
// web/src/trusted.ts may convert strings to HTML or to addresses of scripts.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
	"worker-src 'self'; img-src 'self' data:; font-src 'self'; manifest-src 'self'; " +
	"require-trusted-types-for 'script'; trusted-types crdlab; " + noFrames

// assetPolicy is the content security policy of the page's files. It governs the web
// workers that evaluate the user's documents. They cannot reach other hosts.
const assetPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; " + noFrames

// fetcherPolicy is the content security policy of the web worker that fetches documents
// from the URLs that the user opens.
const fetcherPolicy = "default-src 'none'; script-src 'self'; connect-src https:; " + noFrames

const policyHeader = "Content-Security-Policy"

const noFrames = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// securityHeaders are the default headers of every response. The page and its
// assets override the content security policy.
var securityHeaders = map[string]string{
	policyHeader:                   "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	"Cross-Origin-Embedder-Policy": "require-corp",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Referrer-Policy":              "no-referrer",
	"X-Content-Type-Options":       "nosniff",
}

// transportSecurity makes browsers use only TLS for a year.
const transportSecurity = "max-age=31536000"

func (s *Server) setSecurityHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range securityHeaders {
			w.Header().Set(name, value)
		}
		if s.isEncrypted(r) {
			w.Header().Set("Strict-Transport-Security", transportSecurity)
		}
		next.ServeHTTP(w, r)
	})
}

// closeOnShutdown makes clients with persistent connections close them before
// the server does, so that no request is lost.
func (s *Server) closeOnShutdown(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.stopping.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// Observation describes a completed request. It contains no user input and no
// client address.
type Observation struct {
	// Method is the HTTP method, or "other" for methods without a route.
	Method string
	// Route is the matching route pattern, or "none".
	Route  string
	Status int
	// Bytes is the length of the response body as sent.
	Bytes    int
	Duration time.Duration
}

// accessLog logs one line per request and notifies the observer.
func (s *Server) accessLog(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		recorder := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		defer func() {
			o := Observation{
				Method: knownMethod(r.Method), Route: route(r),
				Status: recorder.Status(), Bytes: recorder.BytesWritten(), Duration: time.Since(start),
			}
			s.log.InfoContext(r.Context(), "request",
				"method", o.Method,
				"route", o.Route,
				"status", o.Status,
				"bytes", o.Bytes,
				"duration", o.Duration.Round(time.Microsecond),
			)
			if s.observe != nil {
				s.observe(o)
			}
		}()
		next.ServeHTTP(recorder, r)
	})
}

func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

// route returns the matching route pattern of a request, or "none".
func route(r *http.Request) string {
	if pattern := chi.RouteContext(r.Context()).RoutePattern(); pattern != "" {
		return pattern
	}
	return "none"
}

// recoverPanics converts a panic of a handler into an internal error.
func (s *Server) recoverPanics(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			cause := recover()
			if cause == nil {
				return
			}
			if cause == http.ErrAbortHandler { //nolint:errorlint // net/http compares the value, too.
				panic(cause)
			}
			s.fail(w, r, fmt.Errorf("panic: %v\n%s", cause, debug.Stack()))
		}()
		next.ServeHTTP(w, r)
	})
}
