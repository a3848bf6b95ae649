//go:build linux

package attack

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"testing"
	"time"
)

// costly returns the body of an evaluation that needs the processor until its time
// limit.
func costly(number int) (crd, of string) {
	if number%2 == 0 {
		return failingItems(fmt.Sprint(number))
	}
	return manyRules(1000, fmt.Sprint(number))
}

func attackCostly(t *testing.T) {
	s := launch(t, options{})
	c := newClient(hostileAddress, time.Minute)
	surviveAttack(t, s, "neighbour of 12 connections with CPU-heavy evaluations", 12, posting(c, s.url+"/api/v1/evaluate", func(number int) []byte {
		return scenario(costly(number))
	}))
}

func attackWaiting(t *testing.T) {
	s := launch(t, options{})
	c := newClient(hostileAddress, time.Minute)
	surviveAttack(t, s, "neighbour of 12 connections that wait for a lock", 12, posting(c, s.url+"/api/v1/complete", func(int) []byte {
		return deadlocking("1.30")
	}))
}

func attackQuick(t *testing.T) {
	s := launch(t, options{})
	c := newClient(hostileAddress, time.Minute)
	surviveAttack(t, s, "neighbour of 600 connections with quick evaluations", 600, posting(c, s.url+"/api/v1/evaluate", func(number int) []byte {
		return scenario(quick(number))
	}))
}

// attackPanels sends evaluations whose results are costly to render as HTML.
func attackPanels(t *testing.T) {
	s := launch(t, options{})
	c := newClient(hostileAddress, time.Minute)
	surviveAttack(t, s, "neighbour of 20 connections to /panels", 20, posting(c, s.url+"/panels", func(number int) []byte {
		if number%2 == 0 {
			return view(manyVersions(20, 1_000_000))
		}
		return view(manyRules(100, fmt.Sprint(number)))
	}))
}

func attackSharedPages(t *testing.T) {
	attackLinks(t, "/s/", "neighbour of 20 connections to /s/ID")
}

func attackEmbeds(t *testing.T) {
	attackLinks(t, "/embed/", "neighbour of 20 connections to /embed/ID")
}

// attackLinks opens links whose results are costly.
func attackLinks(t *testing.T, path, promise string) {
	s := launch(t, options{})
	c := newClient(hostileAddress, time.Minute)
	var urls []string
	for i := range 20 {
		crd, of := failingItems(fmt.Sprint(i))
		if i%4 == 0 {
			crd, of = manyRules(500, fmt.Sprint(i))
		}
		urls = append(urls, s.url+path+c.mustShare(t, s.url, scenario(crd, of)))
	}
	surviveAttack(t, s, promise, 20, getting(c, urls))
}

// attackSlowReaders reads large reports at 1 KiB/s.
func attackSlowReaders(t *testing.T) {
	s := launch(t, options{})
	body := scenario(manyVersions(50, 100<<10))
	surviveAttack(t, s, "neighbour of 50 connections that read 1 KiB/s", 50, func(ctx context.Context, _ int) error {
		connection, err := dial(ctx, s.host)
		if err != nil {
			return err
		}
		defer connection.Close()
		if _, err := connection.Write(append(header("/api/v1/evaluate", s.host, len(body)), body...)); err != nil {
			return err
		}
		return readSlowly(ctx, connection)
	})
}

// readSlowly reads 1 KiB/s until the server closes the connection.
func readSlowly(ctx context.Context, connection interface{ Read([]byte) (int, error) }) error {
	var part [1 << 10]byte
	for ctx.Err() == nil {
		n, err := connection.Read(part[:])
		if err != nil {
			return err
		}
		if bytes.HasPrefix(part[:n], []byte("HTTP/1.1 429")) {
			return errRefused
		}
		pause(ctx, time.Second)
	}
	return ctx.Err()
}

// attackSlowWriters writes the last bytes of request bodies at 10 B/s. Together, the
// bodies once occupied all memory for bodies.
func attackSlowWriters(t *testing.T) {
	const begun, complete = (64<<20 - 30<<10) / 50, 2 << 20
	s := launch(t, options{})
	surviveAttack(t, s, "neighbour of 50 connections that write 10 B/s", 50, func(ctx context.Context, _ int) error {
		connection, err := beginBody(ctx, s.host, begun, complete)
		if err != nil {
			return err
		}
		defer connection.Close()
		for ctx.Err() == nil {
			if _, err := connection.Write([]byte(" ")); err != nil {
				return err
			}
			pause(ctx, 100*time.Millisecond)
		}
		return ctx.Err()
	})
}

// attackStalledBodies sends bodies without their last byte. Eleven bodies are as large
// as the limits permit. Together with the others, they once occupied all memory for
// bodies but a few bytes.
func attackStalledBodies(t *testing.T) {
	const connections = 100
	s := launch(t, options{})
	surviveAttack(t, s, fmt.Sprintf("neighbour of %d stalled bodies", connections), connections, func(ctx context.Context, number int) error {
		length := 1
		switch n := number % connections; {
		case 1 <= n && n <= 10:
			length = 6<<20 - 1
		case n == 11:
			length = 4_194_000
		}
		connection, err := beginBody(ctx, s.host, length, length+1)
		if err != nil {
			return err
		}
		defer connection.Close()
		return readSlowly(ctx, connection)
	})
}

// beginBody sends the first bytes of a body of the given length.
func beginBody(ctx context.Context, host string, begun, length int) (*net.TCPConn, error) {
	connection, err := dial(ctx, host)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { _ = connection.Close() })
	_, err = connection.Write(append(header("/api/v1/evaluate", host, length), bytes.Repeat([]byte(" "), begun)...))
	if err != nil {
		_ = connection.Close()
		return nil, err
	}
	return connection, nil
}

// attackDeadlock sends the assist request that once waited for its own lock.
func attackDeadlock(t *testing.T) {
	s := launch(t, options{})
	c := newClient(hostileAddress, time.Minute)
	for _, path := range []string{"complete", "hover"} {
		slowest, last := time.Duration(0), http.StatusOK
		for _, release := range []string{"1.30", "1.36", "1.37"} {
			start := time.Now()
			status, _, err := c.post(t.Context(), s.url+"/api/v1/"+path, deadlocking(release))
			if err != nil {
				t.Fatal(err)
			}
			if slowest = max(slowest, time.Since(start)); status != http.StatusOK {
				last = status
			}
		}
		report(t, "/api/v1/"+path+" with a trial on an older release", "status 200 within 2 s", last == http.StatusOK && slowest <= 2*time.Second,
			"status %d, at most %s", last, milliseconds(slowest))
	}
}

// attackDivision compares the completed work of two clients with the same evaluations, one
// with 12 connections and one with 1.
func attackDivision(t *testing.T) {
	s := launch(t, options{})
	many, one := newClient(hostileAddress, time.Minute), newClient(neighbourAddress, time.Minute)
	body := func(salt int) func(int) []byte {
		return func(number int) []byte { return scenario(manyRules(20, fmt.Sprint(salt+number))) }
	}
	ctx, cancel := context.WithTimeout(t.Context(), briefly(4*time.Second, 20*time.Second))
	defer cancel()
	greedy := startAttack(ctx, 12, posting(many, s.url+"/api/v1/evaluate", body(1_000_000)))
	modest := startAttack(ctx, 1, posting(one, s.url+"/api/v1/evaluate", body(2_000_000)))
	greedy.wait()
	modest.wait()
	ratio := float64(greedy.done.Load()) / float64(max(modest.done.Load(), 1))
	report(t, "a client with 12 connections beside one with 1 connection, same requests", "≤ 2 times its work", ratio <= 2,
		"%.1f times: %d and %d evaluations", ratio, greedy.done.Load(), modest.done.Load())
}
