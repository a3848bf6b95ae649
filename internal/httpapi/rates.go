package httpapi

import (
	"math"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxClients limits the number of clients in each of the two generations.
const maxClients = 1 << 16

// requestTime is the time that one request of a rate limit pays for. A longer
// evaluation counts as several requests.
const requestTime = 50 * time.Millisecond

// forgetAfter is the time after which an unused bucket is full again, even if the
// client owed the requests of a whole minute.
const forgetAfter = 2 * time.Minute

// rateLimits holds a token bucket per client. A bucket is full again after
// [forgetAfter] without requests and can then be dropped. Buckets therefore live in
// two generations: recent holds the clients of the current generation, and older
// the previous ones. A new generation starts after forgetAfter or at maxClients, which
// bounds the memory.
type rateLimits struct {
	perMinute  int
	maxClients int

	mu            sync.Mutex
	begun         time.Time // start of the recent generation
	recent, older map[netip.Prefix]*rate.Limiter
}

// newRateLimits returns limits of perMinute requests per client, which may arrive
// in one burst. For 0 it returns nil, which limits nothing.
func newRateLimits(perMinute int) *rateLimits {
	if perMinute <= 0 {
		return nil
	}
	return &rateLimits{perMinute: perMinute, maxClients: maxClients, recent: map[netip.Prefix]*rate.Limiter{}}
}

// take counts a request of the client. It returns 0 if the request is allowed,
// and otherwise the time until the next one will be.
func (l *rateLimits) take(client netip.Prefix, now time.Time) (wait time.Duration) {
	if l == nil {
		return 0
	}
	reservation := l.limiter(client, now).ReserveN(now, 1)
	if wait = reservation.DelayFrom(now); wait > 0 {
		reservation.CancelAt(now)
	}
	return wait
}

// charge counts the time that a request took, apart from the first [requestTime],
// for which take has paid. The bucket may become negative, but the client never owes
// more than the requests of a minute.
func (l *rateLimits) charge(client netip.Prefix, now time.Time, took time.Duration) {
	if l == nil {
		return
	}
	limiter := l.limiter(client, now)
	affordable := int(limiter.TokensAt(now)) + l.perMinute
	if cost := min(int(took/requestTime), affordable, l.perMinute); cost > 0 {
		limiter.ReserveN(now, cost)
	}
}

// isHeavy reports whether the client has used more than a quarter of its bucket.
// One evaluation that reaches its time limit suffices by default.
func (l *rateLimits) isHeavy(client netip.Prefix, now time.Time) bool {
	return l != nil && l.limiter(client, now).TokensAt(now) < float64(l.perMinute)*3/4
}

func (l *rateLimits) limiter(client netip.Prefix, now time.Time) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.begun) >= forgetAfter || len(l.recent) >= l.maxClients {
		l.begun, l.recent, l.older = now, map[netip.Prefix]*rate.Limiter{}, l.recent
	}
	known, ok := l.recent[client]
	if !ok {
		if known, ok = l.older[client]; !ok {
			known = rate.NewLimiter(rate.Limit(float64(l.perMinute)/60), l.perMinute)
		}
		l.recent[client] = known
	}
	return known
}

// rateLimit rejects the requests of clients that exceed the limits.
func (s *Server) rateLimit(l *rateLimits) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return s.handler(func(w http.ResponseWriter, r *http.Request) error {
			if wait := l.take(clientNetwork(r.Context()), time.Now()); wait > 0 {
				s.slowDown(r)
				return rateLimited(w, wait)
			}
			next.ServeHTTP(w, r)
			return nil
		})
	}
}

func rateLimited(w http.ResponseWriter, wait time.Duration) error {
	seconds := strconv.Itoa(int(math.Ceil(wait.Seconds())))
	w.Header().Set("Retry-After", seconds)
	return &problem{kind: kindRateLimited, detail: "You have reached the limit of requests per minute. Try again in " + seconds + " s."}
}
