package httpapi

import (
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
)

// pagePolicy lets the page load its own files, run WebAssembly, and read the
// documents at addresses that its user opens; and nothing else: no inline script,
// nothing of another host but data.
const pagePolicy = ownFiles + "; connect-src 'self' https:"

// assetPolicy is for the page's files. Its workers, where what users typed is
// evaluated, are under the policy of their own script: they reach no other host.
const assetPolicy = ownFiles + "; connect-src 'self'"

const ownFiles = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; " +
	"worker-src 'self'; img-src 'self' data:; font-src 'self'; manifest-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// securityHeaders go with every answer. The page and its assets have a policy
// of their own.
var securityHeaders = map[string]string{
	"Content-Security-Policy":      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	"Cross-Origin-Embedder-Policy": "require-corp",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Referrer-Policy":              "no-referrer",
	"X-Content-Type-Options":       "nosniff",
}

// transportSecurity keeps browsers that came over TLS from coming without.
const transportSecurity = "max-age=31536000"

func (s *Server) secured(next http.Handler) http.Handler {
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

// closing lets clients that keep their connections open know that this one ends,
// so that no request is under way on it when it does.
func (s *Server) closing(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.stopping.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// Observation is what is known of a request that was answered. What users type,
// and where they come from, is not in it.
type Observation struct {
	// Method is that of the request, or "other".
	Method string
	// Route is the pattern that the address matched, or "none".
	Route  string
	Status int
	// Bytes is the length of the answer's body as it was sent.
	Bytes    int
	Duration time.Duration
}

// observed writes one line for each request, and tells the observer of it.
func (s *Server) observed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		recorder := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		defer func() {
			seen := Observation{
				Method: knownMethod(r.Method), Route: route(r),
				Status: recorder.Status(), Bytes: recorder.BytesWritten(), Duration: time.Since(start),
			}
			s.log.InfoContext(r.Context(), "request",
				"method", seen.Method,
				"route", seen.Route,
				"status", seen.Status,
				"bytes", seen.Bytes,
				"duration", seen.Duration.Round(time.Microsecond),
			)
			if s.observe != nil {
				s.observe(seen)
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

// route is the pattern that the request matched, or "none".
func route(r *http.Request) string {
	if pattern := chi.RouteContext(r.Context()).RoutePattern(); pattern != "" {
		return pattern
	}
	return "none"
}

// recovered turns a panic into an internal error.
func (s *Server) recovered(next http.Handler) http.Handler {
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
