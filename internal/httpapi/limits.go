package httpapi

import (
	"fmt"
	"net/http"
	"time"
)

const (
	// MaxBody is the size of a scenario's JSON in bytes that is still read.
	// The engine's own limits for each text are lower.
	MaxBody = 6 << 20

	// EvaluationTimeout is how long an evaluation may take by default. The
	// largest CRDs in public use take about a second.
	EvaluationTimeout = 20 * time.Second

	headerTimeout = 5 * time.Second
	bodyTimeout   = 30 * time.Second
	idleTimeout   = 2 * time.Minute
	maxHeader     = 16 << 10
)

// Limit sets how long a client may take, and how large a header it may send,
// on the server that is to serve a [Server].
func Limit(server *http.Server) {
	server.ReadHeaderTimeout = headerTimeout
	server.ReadTimeout = headerTimeout + bodyTimeout
	server.WriteTimeout = headerTimeout + bodyTimeout + EvaluationTimeout + bodyTimeout
	server.IdleTimeout = idleTimeout
	server.MaxHeaderBytes = maxHeader
}

func tooLarge(limit int64) *problem {
	return &problem{
		kind:   kindTooLarge,
		detail: "The request is larger than " + size(limit) + ", the most that this server reads.",
	}
}

// size is a number of bytes in words.
func size(bytes int64) string {
	switch {
	case bytes >= 1<<20 && bytes%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", bytes>>20)
	case bytes >= 1<<10 && bytes%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", bytes>>10)
	}
	return fmt.Sprintf("%d bytes", bytes)
}
