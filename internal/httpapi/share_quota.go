package httpapi

import (
	"net/netip"
	"sync"
	"time"
)

// shareQuota counts the bytes that each client has shared on the current day (UTC). Its
// zero value limits nothing.
type shareQuota struct {
	limit int64

	mu   sync.Mutex
	day  time.Time
	used map[netip.Prefix]int64
}

// take counts bytes of the client and returns true, or returns false if they exceed the
// limit. A negative size returns bytes that were counted at the time now. Clients beyond the first maxClients of a day share
// one limit.
func (q *shareQuota) take(client netip.Prefix, size int64, now time.Time) bool {
	if q.limit <= 0 {
		return true
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if day := now.UTC().Truncate(24 * time.Hour); !day.Equal(q.day) {
		if size < 0 {
			return true // the quotas of that day are forgotten
		}
		q.day, q.used = day, map[netip.Prefix]int64{}
	}
	if _, isKnown := q.used[client]; !isKnown && len(q.used) >= maxClients {
		client = netip.Prefix{}
	}
	used := q.used[client] + size
	if used > q.limit {
		return false
	}
	q.used[client] = max(0, used)
	return true
}
