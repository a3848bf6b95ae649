// Package fairqueue divides a fixed number of slots between clients, so that no
// client waits for the requests of another one while a slot is free for it.
//
// Requests cannot be preempted. The queue therefore keeps slots free in advance:
//
//   - A client gets a second slot only while few slots are in use.
//   - Heavy requests together never hold all slots.
//   - Waiting clients take turns, one request at a time.
//   - If the queue is full, a new request displaces the newest request of the
//     client with the most waiting requests.
package fairqueue

import (
	"context"
	"errors"
	"slices"
	"sync"
)

var (
	// ErrClientFull means that the client has reached its limit of waiting requests.
	ErrClientFull = errors.New("the client has too many waiting requests")
	// ErrFull means that all clients together have reached their limit.
	ErrFull = errors.New("too many requests are waiting")
)

// Limits configures a [Queue].
type Limits struct {
	// Slots is the number of requests that run concurrently, at least 2.
	Slots int
	// Shared limits concurrent requests of one client: a client with a running
	// request gets another slot only while fewer than Shared slots are in use.
	// With Shared = Slots, one client may use all slots.
	Shared int
	// Waiting limits the waiting requests of all clients. ClientWaiting is the limit
	// for each client.
	Waiting, ClientWaiting int
}

// Queue assigns slots to requests. It is safe for concurrent use.
type Queue[Client comparable] struct {
	limits Limits

	mu             sync.Mutex
	clients        map[Client]*share[Client]
	turns          []*share[Client] // clients with waiting requests, the next one first
	running, heavy int              // slots in use, and those with heavy requests
	waiting        int
}

// share is the part of the queue that one client occupies.
type share[Client comparable] struct {
	client  Client
	running int
	waiting []*request[Client]
}

// request is a running or waiting request.
type request[Client comparable] struct {
	share   *share[Client]
	isHeavy bool
	// decided is closed when the request starts or is displaced.
	decided     chan struct{}
	isStarted   bool
	isDisplaced bool
}

// New returns an empty queue.
func New[Client comparable](limits Limits) *Queue[Client] {
	return &Queue[Client]{limits: limits, clients: map[Client]*share[Client]{}}
}

// Acquire waits for a slot until the context is done. The caller must call release
// once, after the request ended. isHeavy marks a request that probably needs much
// time. The error is [ErrClientFull], [ErrFull] or the context's.
func (q *Queue[Client]) Acquire(ctx context.Context, client Client, isHeavy bool) (release func(), err error) {
	r, err := q.arrive(client, isHeavy)
	if err != nil {
		return nil, err
	}
	select {
	case <-r.decided:
	case <-ctx.Done():
		q.leave(r)
		return nil, ctx.Err()
	}
	if r.isDisplaced {
		return nil, ErrFull
	}
	return func() { q.leave(r) }, nil
}

// Full returns the error with which Acquire would refuse a request of the client now. The
// request is assumed not to be heavy.
func (q *Queue[Client]) Full(client Client) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := q.shareOf(client)
	if q.startsNow(&request[Client]{share: s}) {
		return nil
	}
	return q.full(s)
}

// shareOf returns the share of a client, which may be new.
func (q *Queue[Client]) shareOf(client Client) *share[Client] {
	if s := q.clients[client]; s != nil {
		return s
	}
	return &share[Client]{client: client}
}

// startsNow reports whether a new request would not wait.
func (q *Queue[Client]) startsNow(r *request[Client]) bool {
	return len(r.share.waiting) == 0 && q.mayStart(r)
}

// full returns the error for another waiting request of the client.
func (q *Queue[Client]) full(s *share[Client]) error {
	switch {
	case len(s.waiting) >= q.limits.ClientWaiting:
		return ErrClientFull
	case q.waiting >= q.limits.Waiting && q.displaceable(s) == nil:
		return ErrFull
	}
	return nil
}

// Usage returns the number of running and of waiting requests.
func (q *Queue[Client]) Usage() (running, waiting int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.running, q.waiting
}

// arrive adds a request, which may start immediately.
func (q *Queue[Client]) arrive(client Client, isHeavy bool) (*request[Client], error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := q.shareOf(client)
	r := &request[Client]{share: s, isHeavy: isHeavy, decided: make(chan struct{})}
	if q.startsNow(r) {
		q.clients[client] = s
		q.start(r)
		return r, nil
	}
	if err := q.full(s); err != nil {
		return nil, err
	}
	if q.waiting >= q.limits.Waiting {
		q.displace(q.displaceable(s))
	}
	q.clients[client] = s
	if len(s.waiting) == 0 {
		q.turns = append(q.turns, s)
	}
	s.waiting = append(s.waiting, r)
	q.waiting++
	return r, nil
}

// leave removes a request that ended or no longer waits, and starts others.
func (q *Queue[Client]) leave(r *request[Client]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case r.isDisplaced:
		return
	case r.isStarted:
		q.running--
		r.share.running--
		if r.isHeavy {
			q.heavy--
		}
	default:
		q.removeWaiting(r)
	}
	q.forget(r.share)
	for q.startNext() {
	}
}

// startNext starts the first waiting request that may start. Its client then waits
// for its next turn.
func (q *Queue[Client]) startNext() bool {
	for _, s := range q.turns {
		if r := s.waiting[0]; q.mayStart(r) {
			q.removeWaiting(r)
			if len(s.waiting) > 0 {
				q.turns = append(slices.DeleteFunc(q.turns, s.is), s)
			}
			q.start(r)
			return true
		}
	}
	return false
}

func (q *Queue[Client]) mayStart(r *request[Client]) bool {
	switch {
	case q.running >= q.limits.Slots:
		return false
	case r.share.running > 0 && q.running >= q.limits.Shared:
		return false
	case r.isHeavy && q.heavy >= q.limits.Slots-1:
		return false
	}
	return true
}

func (q *Queue[Client]) start(r *request[Client]) {
	q.running++
	r.share.running++
	if r.isHeavy {
		q.heavy++
	}
	r.isStarted = true
	close(r.decided)
}

// displaceable returns the newest request of the client with the most waiting
// requests, or nil if s would become that client with another one.
func (q *Queue[Client]) displaceable(s *share[Client]) *request[Client] {
	longest := s
	for _, other := range q.turns {
		if len(other.waiting) > len(longest.waiting) {
			longest = other
		}
	}
	if len(longest.waiting) <= len(s.waiting)+1 {
		return nil
	}
	return longest.waiting[len(longest.waiting)-1]
}

func (q *Queue[Client]) displace(r *request[Client]) {
	q.removeWaiting(r)
	r.isDisplaced = true
	close(r.decided)
}

func (q *Queue[Client]) removeWaiting(r *request[Client]) {
	s := r.share
	s.waiting = slices.DeleteFunc(s.waiting, func(other *request[Client]) bool { return other == r })
	q.waiting--
	if len(s.waiting) == 0 {
		q.turns = slices.DeleteFunc(q.turns, s.is)
	}
}

// forget drops the share of a client without requests.
func (q *Queue[Client]) forget(s *share[Client]) {
	if s.running == 0 && len(s.waiting) == 0 {
		delete(q.clients, s.client)
	}
}

func (s *share[Client]) is(other *share[Client]) bool { return s == other }
