package httpapi

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"regexp"

	"github.com/go-chi/chi/v5/middleware"
)

const requestIDHeader = "X-Request-Id"

// validRequestID matches the request ids that the server takes over from clients.
var validRequestID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// setRequestID gives a request the id of its header, or a random one, and returns the id to
// the client.
func setRequestID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(requestIDHeader)
		if !validRequestID.MatchString(id) {
			id = rand.Text()
		}
		w.Header().Set(requestIDHeader, id)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), middleware.RequestIDKey, id)))
	})
}

// LogRequests returns a handler that adds the id of the request to the records that a request
// causes.
func LogRequests(h slog.Handler) slog.Handler { return requestLog{h} }

type requestLog struct{ slog.Handler }

func (l requestLog) Handle(ctx context.Context, r slog.Record) error {
	if id := middleware.GetReqID(ctx); id != "" {
		r.AddAttrs(slog.String("request", id))
	}
	return l.Handler.Handle(ctx, r)
}

func (l requestLog) WithAttrs(attributes []slog.Attr) slog.Handler {
	return requestLog{l.Handler.WithAttrs(attributes)}
}

func (l requestLog) WithGroup(name string) slog.Handler { return requestLog{l.Handler.WithGroup(name)} }
