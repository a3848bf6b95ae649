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

// maxClients is how many clients a rate remembers in each generation.
const maxClients = 1 << 16

// rates bounds how often each client may ask. A client that has asked for
// nothing for a minute may ask as often as a new one, so that only the last
// minute's are remembered: those in recent, and those in older that have not
// come since.
type rates struct {
	perMinute int
	// most is how many clients a generation holds.
	most int

	mu            sync.Mutex
	begun         time.Time // of the generation recent
	recent, older map[netip.Prefix]*rate.Limiter
}

// newRates returns rates of so many requests at once, and so many a minute; nil,
// which bounds nothing, for 0.
func newRates(perMinute int) *rates {
	if perMinute <= 0 {
		return nil
	}
	return &rates{perMinute: perMinute, most: maxClients, recent: map[netip.Prefix]*rate.Limiter{}}
}

// take counts a request of the client. If it is one too many, wait is the time
// after which it would not be.
func (l *rates) take(client netip.Prefix, now time.Time) (wait time.Duration) {
	if l == nil {
		return 0
	}
	reservation := l.limiter(client, now).ReserveN(now, 1)
	if wait = reservation.DelayFrom(now); wait > 0 {
		reservation.CancelAt(now)
	}
	return wait
}

func (l *rates) limiter(client netip.Prefix, now time.Time) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.begun) >= time.Minute || len(l.recent) >= l.most {
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

// limited refuses the requests of a client that asks more often than it may.
func (s *Server) limited(l *rates) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return s.handler(func(w http.ResponseWriter, r *http.Request) error {
			if wait := l.take(client(r), time.Now()); wait > 0 {
				w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
				return &problem{kind: kindTooMany, detail: "You ask more often than this server answers one client. Try again in a while."}
			}
			next.ServeHTTP(w, r)
			return nil
		})
	}
}
