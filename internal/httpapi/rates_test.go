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

func TestRateLimitCharge(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	a := netip.MustParsePrefix("192.0.2.1/32")
	for _, c := range []struct {
		name    string
		took    []time.Duration
		want    time.Duration // until the next request
		isHeavy bool
	}{
		{"nothing", nil, 0, false},
		{"less than one request", []time.Duration{requestTime - 1}, 0, false},
		{"a quarter of the bucket", []time.Duration{15 * requestTime}, 0, false},
		{"more than a quarter", []time.Duration{16 * requestTime}, 0, true},
		{"the whole bucket", []time.Duration{59 * requestTime}, 0, true},
		{"one more", []time.Duration{60 * requestTime}, time.Second, true},
		{"twice the bucket", []time.Duration{60 * requestTime, 30 * requestTime}, 31 * time.Second, true},
		{"an hour", []time.Duration{time.Hour, time.Hour, time.Hour}, time.Minute + time.Second, true},
	} {
		l := newRateLimits(60)
		for _, took := range c.took {
			l.charge(a, start, took)
		}
		if got := l.isHeavy(a, start); got != c.isHeavy {
			t.Errorf("%s: heavy is %v", c.name, got)
		}
		if got := l.take(a, start); got != c.want {
			t.Errorf("%s: wait %v, want %v", c.name, got, c.want)
		}
		if got := l.take(a, start.Add(forgetAfter)); got != 0 {
			t.Errorf("%s: wait %v after two minutes", c.name, got)
		}
	}
	unlimited := (*rateLimits)(nil)
	unlimited.charge(a, start, time.Hour)
	if unlimited.isHeavy(a, start) {
		t.Error("a client without a limit is heavy")
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
