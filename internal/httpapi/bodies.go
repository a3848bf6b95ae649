package httpapi

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"
)

// maxBodies is how many bytes of bodies are in memory at a time: those of the
// requests that are being answered, as far as they have arrived.
const maxBodies = 64 << 20

var errBodies = errors.New("the bodies of all requests take more memory than they may")

// bodies counts the bytes that the bodies of all requests may still take.
type bodies struct{ left atomic.Int64 }

func newBodies(limit int64) *bodies {
	b := &bodies{}
	b.left.Store(limit)
	return b
}

// bounded makes a body that is one too many end with errBodies. What a body
// took is given back when its request is answered.
func (b *bodies) bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		counted := &countedBody{ReadCloser: r.Body, all: b}
		defer func() { b.left.Add(counted.taken) }()
		r.Body = counted
		next.ServeHTTP(w, r)
	})
}

type countedBody struct {
	io.ReadCloser
	all   *bodies
	taken int64
}

func (c *countedBody) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.taken += int64(n)
	if c.all.left.Add(-int64(n)) < 0 {
		return n, errBodies
	}
	return n, err
}
