//go:build !js || program

package refserver

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
)

// A responseRecorder is an [http.ResponseWriter] that keeps the response in
// memory.
type responseRecorder struct {
	code   int // 0 until the header is written
	header http.Header
	body   bytes.Buffer
}

func newResponseRecorder() *responseRecorder { return &responseRecorder{header: http.Header{}} }

func (r *responseRecorder) Header() http.Header { return r.header }

func (r *responseRecorder) WriteHeader(code int) {
	if r.code == 0 {
		r.code = code
	}
}

func (r *responseRecorder) Write(data []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.body.Write(data)
}

// Flush implements [http.Flusher], which some handlers of the API server
// require.
func (r *responseRecorder) Flush() { r.WriteHeader(http.StatusOK) }

// statusCode returns the status code; a handler that writes no header means
// 200.
func (r *responseRecorder) statusCode() int {
	if r.code == 0 {
		return http.StatusOK
	}
	return r.code
}

// response returns the response in the form that an HTTP client receives.
func (r *responseRecorder) response(request *http.Request) *http.Response {
	code := r.statusCode()
	return &http.Response{
		Status: strconv.Itoa(code) + " " + http.StatusText(code), StatusCode: code,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: r.header, Body: io.NopCloser(&r.body), ContentLength: int64(r.body.Len()), Request: request,
	}
}
