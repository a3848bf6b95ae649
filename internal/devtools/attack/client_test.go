//go:build linux

package attack

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// client sends requests from one address.
type client struct{ http *http.Client }

func newClient(address string, timeout time.Duration) *client {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}, Timeout: timeout}
	return &client{&http.Client{
		Timeout:   timeout,
		Transport: &http.Transport{DialContext: dialer.DialContext, MaxIdleConnsPerHost: 1000, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}}
}

func (c *client) get(ctx context.Context, url string) (status int, body []byte, err error) {
	return c.send(ctx, http.MethodGet, url, nil)
}

func (c *client) post(ctx context.Context, url string, body []byte) (status int, response []byte, err error) {
	return c.send(ctx, http.MethodPost, url, body)
}

func (c *client) send(ctx context.Context, method, url string, body []byte) (status int, response []byte, err error) {
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/json")
	}
	answer, err := c.http.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	response, err = io.ReadAll(answer.Body)
	return answer.StatusCode, response, err
}

// share stores a scenario and returns the id of its link.
func (c *client) share(ctx context.Context, url string, scenario []byte) (id string, err error) {
	status, body, err := c.post(ctx, url+"/api/v1/share", scenario)
	if err != nil {
		return "", err
	}
	if status != http.StatusCreated && status != http.StatusOK {
		return "", fmt.Errorf("status %d: %.300s", status, body)
	}
	var link struct{ ID string }
	if err := json.Unmarshal(body, &link); err != nil {
		return "", err
	}
	return link.ID, nil
}

// mustShare is share for scenarios that must be stored.
func (c *client) mustShare(t *testing.T, url string, scenario []byte) (id string) {
	t.Helper()
	id, err := c.share(t.Context(), url, scenario)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// dial opens a raw connection from the hostile address that buffers little, so that
// the server notices when nobody reads.
func dial(ctx context.Context, host string) (*net.TCPConn, error) {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(hostileAddress)}}
	connection, err := dialer.DialContext(ctx, "tcp", host)
	if err != nil {
		return nil, err
	}
	tcp := connection.(*net.TCPConn)
	return tcp, tcp.SetReadBuffer(4 << 10)
}

// header returns the header of a POST request with a body of the given length.
func header(path, host string, length int) []byte {
	return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", path, host, length)
}
