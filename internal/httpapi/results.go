package httpapi

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/crdlab/crdlab/internal/playground"
)

const (
	// maxResults limits the compressed pages of links that the server keeps, in bytes.
	maxResults = 32 << 20
	// stoppedLifetime is the time for which the server keeps the page of an evaluation
	// that exceeded its limits. Under less load, the evaluation may succeed later.
	stoppedLifetime = 10 * time.Minute
	// pageDecompression is the speed in bytes per second at which the decompression of a
	// page is charged. It is costly compared with other reads.
	pageDecompression = 16 << 20
)

// resultKey identifies the page of a link. All pages are of the same build.
type resultKey struct {
	task playground.Task
	id   string
}

// result is the page of a link with the result of its scenario.
type result struct {
	gzip []byte
	// size is the length of the page in bytes.
	size int
	// isFinal reports that a repeated evaluation would have the same result.
	isFinal bool
	expires time.Time // zero if isFinal
}

// results keeps the pages of links, so that each link costs one evaluation for
// any number of clients.
type results struct {
	mu      sync.Mutex
	kept    *simplelru.LRU[resultKey, *result]
	bytes   int
	pending map[resultKey]*pendingResult
}

// pendingResult is a result for which at least one client waits. Each of these clients
// waits for a slot. The first that gets one evaluates for all, so that no client
// waits for the turn of another one.
type pendingResult struct {
	// clients is the number of clients that wait. The mutex of results guards it.
	clients int
	begun   context.Context // done when the evaluation begins
	begin   func()
	ended   chan struct{}
	// result and err are set when ended is closed.
	result *result
	err    error
}

func newResults() *results {
	r := &results{pending: map[resultKey]*pendingResult{}}
	r.kept, _ = simplelru.NewLRU(1<<20, func(_ resultKey, dropped *result) { r.bytes -= len(dropped.gzip) })
	return r
}

// get returns the kept result, or nil.
func (r *results) get(key resultKey, now time.Time) *result {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.find(key, now)
}

func (r *results) find(key resultKey, now time.Time) *result {
	found, ok := r.kept.Get(key)
	if !ok || !found.expires.IsZero() && now.After(found.expires) {
		return nil
	}
	return found
}

// join returns the kept result, or otherwise the pending one.
func (r *results) join(key resultKey, now time.Time) (*result, *pendingResult) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if found := r.find(key, now); found != nil {
		return found, nil
	}
	p := r.pending[key]
	if p == nil {
		p = &pendingResult{ended: make(chan struct{})}
		p.begun, p.begin = context.WithCancel(context.Background())
		r.pending[key] = p
	}
	p.clients++
	return nil, p
}

// leave ends the wait of a client. It drops a pending result that has not begun and for
// which no client waits any more.
func (r *results) leave(key resultKey, p *pendingResult) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p.clients--; p.clients == 0 && p.begun.Err() == nil {
		delete(r.pending, key)
	}
}

// begin returns true for the first caller, which must call end.
func (r *results) begin(p *pendingResult) (isFirst bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	isFirst = p.begun.Err() == nil
	p.begin()
	return isFirst
}

// end completes a pending result and keeps it unless it failed.
func (r *results) end(key resultKey, p *pendingResult, result *result, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p.result, p.err = result, err
	close(p.ended)
	delete(r.pending, key)
	if err != nil {
		return
	}
	r.kept.Remove(key)
	r.kept.Add(key, result)
	for r.bytes += len(result.gzip); r.bytes > maxResults; {
		r.kept.RemoveOldest()
	}
}

// errBegun means that another client's request evaluates the same link.
var errBegun = errors.New("the evaluation has begun for another client")

// renderOnce returns the page that the engine renders for a link. It is rendered for
// one client at a time, and kept for the others.
func (s *Server) renderOnce(r *http.Request, key resultKey, request playground.Request) (*result, error) {
	kept, pending := s.results.join(key, time.Now())
	if kept != nil {
		return kept, nil
	}
	defer s.results.leave(key, pending)
	// The evaluation continues for other clients if this one leaves.
	waiting, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	defer cancel()
	stopWaiting := context.AfterFunc(pending.begun, cancel)
	defer stopWaiting()
	isFirst := false
	begin := func() error {
		if isFirst = stopWaiting() && s.results.begin(pending); !isFirst {
			return errBegun
		}
		return nil
	}
	html, isStopped, err := s.render(r.WithContext(waiting), job{request: request, limit: sharedResultTimeout, begin: begin})
	if isFirst {
		rendered, err := newResult(html, isStopped, err)
		s.results.end(key, pending, rendered, err)
		return rendered, err
	}
	if pending.begun.Err() == nil {
		return nil, err
	}
	select {
	case <-pending.ended:
		return pending.result, pending.err
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

// newResult compresses a page.
func newResult(html []byte, isStopped bool, err error) (*result, error) {
	if err != nil {
		return nil, err
	}
	var compressed bytes.Buffer
	writer := gzip.NewWriter(&compressed)
	_, _ = writer.Write(html) // never fails for a buffer
	if err := writer.Close(); err != nil {
		return nil, fmt.Errorf("compress a page: %w", err)
	}
	rendered := &result{gzip: bytes.Clone(compressed.Bytes()), size: len(html), isFinal: !isStopped}
	if isStopped {
		rendered.expires = time.Now().Add(stoppedLifetime)
	}
	return rendered, nil
}

// writeResult responds with a page, compressed if the client accepts that.
func (s *Server) writeResult(w http.ResponseWriter, r *http.Request, policy string, page *result) error {
	if accepts(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		return writeRendered(w, http.StatusOK, policy, page.gzip)
	}
	// A page can be a thousand times as large as its compressed form.
	if err := reserveResponse(r.Context(), page.size); err != nil {
		return err
	}
	s.reads.charge(clientNetwork(r.Context()), time.Now(), time.Duration(page.size)*time.Second/pageDecompression)
	html, err := page.html()
	if err != nil {
		return err
	}
	return writeRendered(w, http.StatusOK, policy, html)
}

// html decompresses the page.
func (p *result) html() ([]byte, error) {
	reader, err := gzip.NewReader(bytes.NewReader(p.gzip))
	if err != nil {
		return nil, fmt.Errorf("decompress a page: %w", err)
	}
	html := make([]byte, p.size)
	if _, err := io.ReadFull(reader, html); err != nil {
		return nil, fmt.Errorf("decompress a page: %w", err)
	}
	return html, nil
}
