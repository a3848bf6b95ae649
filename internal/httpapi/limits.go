package httpapi

import (
	"fmt"
	"net/http"
	"time"
)

const (
	// MaxBody limits the JSON of a scenario or an assist request, in bytes. The
	// engine has lower limits for each document.
	MaxBody = 6 << 20

	// EvaluationTimeout is the default time limit of an evaluation. The largest
	// public CRDs need about one second.
	EvaluationTimeout = 20 * time.Second

	headerTimeout = 5 * time.Second
	// bodyTimeout and responseTimeout are the times in addition to the times that the
	// paces of bodies and responses allow.
	bodyTimeout     = 5 * time.Second
	responseTimeout = 10 * time.Second
	// bodiesTimeout is the longest time for a body.
	bodiesTimeout = 30 * time.Second
	idleTimeout   = 2 * time.Minute
	maxHeader     = 16 << 10
)

// Limit sets the timeouts and the maximum header size of the HTTP server that
// serves a [Server]. While a body is received or a response is sent, a [Server] moves
// the deadlines.
func Limit(server *http.Server) {
	server.ReadHeaderTimeout = headerTimeout
	server.ReadTimeout = headerTimeout + bodiesTimeout
	server.WriteTimeout = headerTimeout + bodiesTimeout + 2*EvaluationTimeout + responseTimeout
	server.IdleTimeout = idleTimeout
	server.MaxHeaderBytes = maxHeader
}

// formatBytes formats a number of bytes with the largest exact binary unit.
func formatBytes(bytes int64) string {
	switch {
	case bytes >= 1<<20 && bytes%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", bytes>>20)
	case bytes >= 1<<10 && bytes%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", bytes>>10)
	}
	return fmt.Sprintf("%d bytes", bytes)
}
