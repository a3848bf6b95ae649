package httpapi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/crdlab/crdlab/internal/playground"
)

func TestMemoryBudget(t *testing.T) {
	a, b, c := netip.MustParsePrefix("192.0.2.1/32"), netip.MustParsePrefix("192.0.2.2/32"), netip.MustParsePrefix("192.0.2.3/32")
	const large = maxSmall + 1
	budget := newMemoryBudget(memoryLimits{large: 3 * large, small: 2 * maxSmall, client: 2 * large})
	documents := map[string]*reservation{}
	for i, step := range []struct {
		document string
		client   netip.Prefix
		grows    int64
		want     error
		used     int64
	}{
		{"a1", a, large, nil, large},
		{"a2", a, maxSmall, nil, large + maxSmall},
		{"a2", a, 1, nil, 2 * large}, // now a large document
		{"a3", a, 1, errClientMemory, 2 * large},
		{"b1", b, large, nil, 3 * large},
		{"c1", c, large, errMemory, 3 * large},
		{"c2", c, maxSmall, nil, 3*large + maxSmall}, // finds memory in the reserve
		{"c2", c, 1, errMemory, 3*large + maxSmall},
		{"b2", b, maxSmall, nil, 3*large + 2*maxSmall},
		{"c3", c, 1, errMemory, 3*large + 2*maxSmall},
	} {
		d := documents[step.document]
		if d == nil {
			d = budget.reserve(step.client)
			documents[step.document] = d
		}
		if err := d.grow(step.grows); !errors.Is(err, step.want) {
			t.Errorf("step %d: %v, want %v", i, err, step.want)
		}
		if used := budget.used(); used != step.used {
			t.Errorf("step %d: %d bytes are in use, want %d", i, used, step.used)
		}
	}
	for _, d := range documents {
		d.release()
		d.release() // has no effect
	}
	if used := budget.used(); used != 0 || len(budget.clients) != 0 {
		t.Errorf("%d bytes of %d clients are in use at the end", used, len(budget.clients))
	}
}

func TestBodyMemoryLimit(t *testing.T) {
	server, _ := serve(t, Config{})
	budget := newMemoryBudget(memoryLimits{large: 1 << 20, small: 2000, client: 1000})
	handler := server.Config.Handler.(*Server)
	handler.bodies = budget
	handler.routes = conformingRouter{handler.router(), t}
	large := `{"crd": "` + strings.Repeat("a", 1000) + `"}`
	response, body := post(t, server.URL+"/api/v1/evaluate", large)
	wantProblem(t, response, body, kindBusy, "Your other requests use all memory that one client gets. Try again when some of them have finished.")
	budget.limits.client, budget.limits.small = 2000, 1000
	response, body = post(t, server.URL+"/api/v1/evaluate", large)
	wantProblem(t, response, body, kindBusy, "The server is busy reading other requests. Try again in a moment.")
	if response.Header.Get("Retry-After") != "1" {
		t.Errorf("Retry-After is %q", response.Header.Get("Retry-After"))
	}
	for range 3 {
		if response, body := post(t, server.URL+"/api/v1/evaluate", large[:600]+`"}`); response.StatusCode != http.StatusOK {
			t.Errorf("status %d: %s", response.StatusCode, body)
		}
	}
	if used := budget.used(); used != 0 {
		t.Errorf("%d bytes are in use after all requests", used)
	}
}

// TestRunningEvaluationNeedsNoBodyMemory checks that the memory of a body is free again
// once the engine has it.
func TestRunningEvaluationNeedsNoBodyMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := newStuckEngine()
		server := newServer(t, Config{Engine: local(engine.evaluate), Evaluations: 2, Clients: Clients{Evaluations: 600}})
		ended := make(chan int)
		const body = `{"crd":"a"}`
		for range 2 {
			go func() { ended <- evaluateFrom(server, "192.0.2.1:1", body).Code }()
		}
		synctest.Wait()
		if used := server.bodies.used(); used != int64(len(body)) {
			t.Errorf("%d bytes are in use while one evaluation runs and one waits", used)
		}
		close(engine.release)
		<-ended
		<-ended
	})
}

// TestStalledBodies begins 100 bodies that together would exhaust the memory for
// bodies, and then sends a request from another address.
func TestStalledBodies(t *testing.T) {
	server, _ := serve(t, Config{})
	refused := make(chan string, 100)
	for i := range 100 {
		connection := dialFrom(t, "127.0.0.66", server.URL)
		size := 1
		if i < 11 {
			size = MaxBody - 1
		}
		go func() {
			_, _ = fmt.Fprintf(connection, "POST /api/v1/evaluate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", size+1, strings.Repeat(" ", size))
		}()
		go func() {
			line, _ := bufio.NewReader(connection).ReadString('\n')
			refused <- strings.TrimSpace(line)
		}()
	}
	if status := <-refused; status != "HTTP/1.1 429 Too Many Requests" {
		t.Errorf("the first response begins with %q", status)
	}
	bodies := server.Config.Handler.(*Server).bodies
	large := `{"crd": "` + strings.Repeat("a", 3<<20) + `"}`
	for range 20 {
		if response, body := post(t, server.URL+"/api/v1/evaluate", large); response.StatusCode != http.StatusOK {
			t.Fatalf("status %d: %s", response.StatusCode, body)
		}
	}
	if used := bodies.used(); used > maxClientBodyMemory {
		t.Errorf("stalled bodies occupy %d bytes", used)
	}
}

// dialFrom connects to a server from a local address.
func dialFrom(t *testing.T, address, url string) net.Conn {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	connection, err := dialer.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	return connection
}

// TestUnreadResponses requests large reports without reading them, and then requests
// one from another address.
func TestUnreadResponses(t *testing.T) {
	large := strings.Repeat("a", 5<<20)
	server, _ := serve(t, Config{Engine: local(func(ctx context.Context, _ playground.Scenario) (playground.Report, error) {
		return echo(ctx, playground.Scenario{CRD: large})
	})})
	const connections = 20
	refused := make(chan string, connections)
	for range connections {
		connection := dialFrom(t, "127.0.0.66", server.URL)
		_ = connection.(*net.TCPConn).SetReadBuffer(4 << 10)
		if _, err := fmt.Fprint(connection, "POST /api/v1/evaluate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"); err != nil {
			t.Fatal(err)
		}
		go func() {
			response, err := http.ReadResponse(bufio.NewReader(connection), nil)
			if err != nil || response.StatusCode == http.StatusOK {
				return // without reading the report
			}
			body, _ := io.ReadAll(response.Body)
			refused <- string(body)
		}()
	}
	const accepted = maxClientResponseMemory / (5<<20 + compressorMemory)
	for range connections - accepted {
		if body := <-refused; !strings.Contains(body, "You have not read other responses of the server. Read them, then try again.") {
			t.Errorf("got %s", body)
		}
	}
	if used := server.Config.Handler.(*Server).responses.used(); used > maxClientResponseMemory {
		t.Errorf("unread responses occupy %d bytes", used)
	}
	response, body := post(t, server.URL+"/api/v1/evaluate", "{}")
	if response.StatusCode != http.StatusOK || len(body) < len(large) {
		t.Errorf("the other client has status %d and %d bytes", response.StatusCode, len(body))
	}
}

// TestSlowReader checks that the server ends a connection whose client does not read.
func TestSlowReader(t *testing.T) {
	handler := newServer(t, Config{Engine: local(func(ctx context.Context, _ playground.Scenario) (playground.Report, error) {
		return echo(ctx, playground.Scenario{CRD: strings.Repeat("a", 12<<20)})
	})})
	handler.responsePace = pace{grace: 50 * time.Millisecond, bytesPerSecond: 1 << 30}
	handler.routes = handler.router()
	server := httptest.NewServer(handler)
	defer server.Close()
	connection := dialFrom(t, "127.0.0.66", server.URL)
	_ = connection.(*net.TCPConn).SetReadBuffer(4 << 10)
	if _, err := fmt.Fprint(connection, "POST /api/v1/evaluate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(connection).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	for begun := time.Now(); handler.responses.used() > 0; time.Sleep(time.Millisecond) {
		if time.Since(begun) > 10*time.Second {
			t.Fatal("the server still waits for the client")
		}
	}
}

func TestPace(t *testing.T) {
	start := time.Now()
	for _, c := range []struct {
		pace        pace
		transferred int64
		want        time.Duration
	}{
		{bodyPace, 0, 5 * time.Second},
		{bodyPace, 256 << 10, 6 * time.Second},
		{bodyPace, MaxBody, 29 * time.Second},
		{responsePace, 0, 10 * time.Second},
		{responsePace, 64 << 10, 11 * time.Second},
		{responsePace, 16 << 20, 266 * time.Second},
	} {
		if got := c.pace.deadline(start, c.transferred).Sub(start); got != c.want {
			t.Errorf("after %d bytes, the deadline is in %v, want %v", c.transferred, got, c.want)
		}
	}
}

// TestSlowClients checks that the server ends connections with an incomplete header,
// an incomplete body, or no further request.
func TestSlowClients(t *testing.T) {
	handler := newServer(t, Config{})
	handler.bodyPace.grace = 20 * time.Millisecond
	server := httptest.NewUnstartedServer(handler)
	Limit(server.Config)
	for _, timeout := range []*time.Duration{
		&server.Config.ReadHeaderTimeout, &server.Config.ReadTimeout, &server.Config.IdleTimeout, &server.Config.WriteTimeout,
	} {
		if *timeout <= 0 || *timeout > 5*time.Minute {
			t.Errorf("a timeout is %v", *timeout)
		}
		*timeout /= 50
	}
	// The deadline of the body must end the connection.
	server.Config.ReadTimeout = 2 * time.Minute
	server.Start()
	defer server.Close()
	const header = "POST /api/v1/evaluate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
	for name, c := range map[string]struct{ sent, want string }{
		"header": {header, ""},
		"body":   {header + "\r\n{", "HTTP/1.1 408 Request Timeout"},
		"idle":   {header + "\r\n{}", "HTTP/1.1 200 OK"},
	} {
		connection, err := net.Dial("tcp", strings.TrimPrefix(server.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		_ = connection.SetDeadline(time.Now().Add(time.Minute))
		if _, err := fmt.Fprint(connection, c.sent); err != nil {
			t.Fatal(err)
		}
		response := bufio.NewReader(connection)
		line, _ := response.ReadString('\n')
		if strings.TrimSpace(line) != c.want {
			t.Errorf("%s: the response begins with %q", name, line)
		}
		if _, err := io.Copy(io.Discard, response); err != nil {
			t.Errorf("%s: the connection stays open: %v", name, err)
		}
		connection.Close()
	}
}

// used returns the bytes in use.
func (b *memoryBudget) used() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.large + b.small
}
