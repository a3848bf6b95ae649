package httpapi

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/crdlab/crdlab/internal/playground"
)

// TestClientThatLeavesIsNoFault closes a connection in the middle of a large response.
func TestClientThatLeavesIsNoFault(t *testing.T) {
	server, log := serve(t, Config{Engine: local(func(ctx context.Context, scenario playground.Scenario) (playground.Report, error) {
		return echo(ctx, playground.Scenario{CRD: strings.Repeat("a", 8<<20)})
	})})
	connection, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(connection, "POST /api/v1/evaluate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatal(response, err)
	}
	if err := connection.Close(); err != nil {
		t.Fatal(err)
	}
	server.Close()
	if strings.Contains(log.String(), "request failed") {
		t.Errorf("the log reports a fault:\n%s", log)
	}
}
