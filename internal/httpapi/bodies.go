package httpapi

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"
)

// maxBodyMemory limits the memory in bytes that the bodies of all open requests
// may occupy together.
const maxBodyMemory = 64 << 20

var errBodyMemory = errors.New("request bodies exceed their memory limit")

// bodyBudget is the remaining memory in bytes for request bodies.
type bodyBudget struct{ left atomic.Int64 }

func newBodyBudget(limit int64) *bodyBudget {
	b := &bodyBudget{}
	b.left.Store(limit)
	return b
}

// limitBodies makes reads of a request body fail with errBodyMemory once the
// budget is exhausted. The memory of a body is returned to the budget after the
// response.
func (b *bodyBudget) limitBodies(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := &budgetedBody{ReadCloser: r.Body, budget: b}
		defer func() { b.left.Add(body.used) }()
		r.Body = body
		next.ServeHTTP(w, r)
	})
}

type budgetedBody struct {
	io.ReadCloser
	budget *bodyBudget
	used   int64
}

func (b *budgetedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.used += int64(n)
	if b.budget.left.Add(-int64(n)) < 0 {
		return n, errBodyMemory
	}
	return n, err
}
