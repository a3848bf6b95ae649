package httpapi

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestBodiesTakeBoundedMemory(t *testing.T) {
	server, _ := serve(t, Config{})
	handler := server.Config.Handler.(*Server)
	handler.bodies.left.Store(1000)
	large := `{"crd": "` + strings.Repeat("a", 1000) + `"}`
	response, body := post(t, server.URL+"/api/v1/evaluate", large)
	wantProblem(t, response, body, kindBusy, "The server is busy reading other requests. Try again in a moment.")
	if response.Header.Get("Retry-After") != "1" {
		t.Errorf("again after %q", response.Header.Get("Retry-After"))
	}
	for range 3 {
		if response, body := post(t, server.URL+"/api/v1/evaluate", large[:600]+`"}`); response.StatusCode != http.StatusOK {
			t.Errorf("status %d: %s", response.StatusCode, body)
		}
	}
	if left := handler.bodies.left.Load(); left != 1000 {
		t.Errorf("%d bytes are left of 1000 when all is answered", left)
	}
}

// TestSlowClients sends parts of requests and waits: for a header that does not
// end, a body that does not, and the next request on an idle connection.
func TestSlowClients(t *testing.T) {
	server := httptest.NewUnstartedServer(newServer(t, Config{}))
	Limit(server.Config)
	for _, timeout := range []*time.Duration{
		&server.Config.ReadHeaderTimeout, &server.Config.ReadTimeout, &server.Config.IdleTimeout, &server.Config.WriteTimeout,
	} {
		if *timeout <= 0 || *timeout > 5*time.Minute {
			t.Errorf("a client may take %v", *timeout)
		}
		*timeout /= 50
	}
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
		answer := bufio.NewReader(connection)
		line, _ := answer.ReadString('\n')
		if strings.TrimSpace(line) != c.want {
			t.Errorf("%s: the answer begins %q", name, line)
		}
		if _, err := io.Copy(io.Discard, answer); err != nil {
			t.Errorf("%s: the connection does not end: %v", name, err)
		}
		connection.Close()
	}
}
