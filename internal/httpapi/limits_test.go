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

func TestBodyMemoryLimit(t *testing.T) {
	server, _ := serve(t, Config{})
	handler := server.Config.Handler.(*Server)
	handler.bodies.left.Store(1000)
	large := `{"crd": "` + strings.Repeat("a", 1000) + `"}`
	response, body := post(t, server.URL+"/api/v1/evaluate", large)
	wantProblem(t, response, body, kindBusy, "The server is busy reading other requests. Try again in a moment.")
	if response.Header.Get("Retry-After") != "1" {
		t.Errorf("Retry-After is %q", response.Header.Get("Retry-After"))
	}
	for range 3 {
		if response, body := post(t, server.URL+"/api/v1/evaluate", large[:600]+`"}`); response.StatusCode != http.StatusOK {
			t.Errorf("status %d: %s", response.StatusCode, body)
		}
	}
	if left := handler.bodies.left.Load(); left != 1000 {
		t.Errorf("the budget is %d of 1000 bytes after all requests", left)
	}
}

// TestSlowClients checks that the server ends connections with an incomplete header,
// an incomplete body, or no further request.
func TestSlowClients(t *testing.T) {
	server := httptest.NewUnstartedServer(newServer(t, Config{}))
	Limit(server.Config)
	for _, timeout := range []*time.Duration{
		&server.Config.ReadHeaderTimeout, &server.Config.ReadTimeout, &server.Config.IdleTimeout, &server.Config.WriteTimeout,
	} {
		if *timeout <= 0 || *timeout > 5*time.Minute {
			t.Errorf("a timeout is %v", *timeout)
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
