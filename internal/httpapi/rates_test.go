package httpapi

import (
	"net/netip"
	"testing"
	"time"
)

func TestRateLimitTake(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	a, b := netip.MustParsePrefix("192.0.2.1/32"), netip.MustParsePrefix("192.0.2.2/32")
	l := newRateLimits(4)
	for i, c := range []struct {
		client netip.Prefix
		after  time.Duration // after start
		want   time.Duration
	}{
		{a, 0, 0}, {a, 0, 0}, {a, 0, 0}, {a, 0, 0},
		{a, 0, 15 * time.Second}, {a, 0, 15 * time.Second}, // rejected requests do not count
		{b, 0, 0},
		{a, 5 * time.Second, 10 * time.Second},
		{a, 15 * time.Second, 0}, {a, 15 * time.Second, 15 * time.Second},
		{a, 70 * time.Second, 0}, {a, 70 * time.Second, 0}, {a, 70 * time.Second, 0}, {a, 70 * time.Second, 5 * time.Second},
		{a, time.Hour, 0},
	} {
		if got := l.take(c.client, start.Add(c.after)); got != c.want {
			t.Errorf("request %d, after %v: wait %v, want %v", i, c.after, got, c.want)
		}
	}
	if got := (*rateLimits)(nil).take(a, start); got != 0 {
		t.Errorf("without a limit: wait %v", got)
	}
}

func TestRateLimitsForgetOldClients(t *testing.T) {
	l := newRateLimits(1)
	l.maxClients = 8
	now := time.Now()
	for i := range 1000 {
		address := netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)})
		l.take(netip.PrefixFrom(address, 32), now)
		if known := len(l.recent) + len(l.older); known > 2*l.maxClients {
			t.Fatalf("%d clients are remembered", known)
		}
	}
}
