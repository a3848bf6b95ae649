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

// rateLimits holds a token bucket per client. A bucket is full again after a
// minute without requests and can then be dropped. Buckets therefore live in two
// generations: recent holds the clients of the current minute, older those of the
// minute before. A new generation starts every minute or at maxClients, which bounds
// the memory.
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

func (l *rateLimits) limiter(client netip.Prefix, now time.Time) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.begun) >= time.Minute || len(l.recent) >= l.maxClients {
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
			if wait := l.take(clientNetwork(r), time.Now()); wait > 0 {
				w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
				return &problem{kind: kindRateLimited, detail: "Rate limit exceeded. Try again later."}
			}
			next.ServeHTTP(w, r)
			return nil
		})
	}
}
