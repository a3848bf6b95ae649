package httpapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

const (
	// maxBodyMemory limits the memory in bytes that the bodies above [maxSmall] of all
	// open requests occupy together.
	maxBodyMemory = 64 << 20
	// maxSmallBodyMemory limits the memory of the other bodies.
	maxSmallBodyMemory = 16 << 20
	// maxClientBodyMemory limits the memory of the bodies of one client.
	maxClientBodyMemory = 12 << 20
	// maxShareMemory limits the memory of scenarios that are being shared. They have
	// their own limit, because they occupy memory while the store is slow.
	maxShareMemory = 16 << 20
)

// shareMemory returns the limits for scenarios that are being shared. One of the
// maximum size always finds memory.
func shareMemory(maxSize int64) memoryLimits {
	return memoryLimits{large: max(maxShareMemory, maxSize), small: maxShareMemory, client: max(maxClientBodyMemory, maxSize)}
}

// bodyPace is the pace at which a client must send a body.
var bodyPace = pace{grace: bodyTimeout, bytesPerSecond: 256 << 10}

// limitBodies ends reads of a request body with an error if the client sends it too
// slowly, or if the budget is exhausted. The memory of a body is returned to the budget by
// releaseBody, at the latest after the response.
func (s *Server) limitBodies(budget *memoryBudget) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			memory := budget.reserve(clientNetwork(r.Context()))
			defer memory.release()
			body := &limitedBody{
				ReadCloser: r.Body, memory: memory,
				connection: http.NewResponseController(w), pace: s.bodyPace, begun: time.Now(),
			}
			body.setDeadline()
			r = r.WithContext(context.WithValue(r.Context(), bodyMemory{}, memory))
			r.Body = body
			next.ServeHTTP(w, r)
		})
	}
}

// bodyMemory is the context key of the memory of the request's body.
type bodyMemory struct{}

// releaseBody returns the memory of the request's body to the budget, because other
// limits apply to it now.
func releaseBody(ctx context.Context) {
	if memory, ok := ctx.Value(bodyMemory{}).(*reservation); ok {
		memory.release()
	}
}

type limitedBody struct {
	io.ReadCloser
	memory     *reservation
	connection *http.ResponseController
	pace       pace
	begun      time.Time
	received   int64
}

func (b *limitedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.received += int64(n)
	switch {
	case err == nil:
		b.setDeadline()
	case errors.Is(err, io.EOF):
		// The deadline must not end the connection while the server responds.
		_ = b.connection.SetReadDeadline(time.Time{})
	}
	if memoryErr := b.memory.grow(int64(n)); memoryErr != nil {
		return n, memoryErr
	}
	return n, err
}

// setDeadline has no effect in tests without a connection.
func (b *limitedBody) setDeadline() {
	_ = b.connection.SetReadDeadline(b.pace.deadline(b.begun, b.received))
}
