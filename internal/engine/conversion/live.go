package conversion

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"syscall"
	"time"
)

// Webhooks says which conversion webhooks may really be called. The zero value
// allows none, so that no text makes the engine send anything.
type Webhooks struct {
	// URLs are the exact addresses, path included.
	URLs []string
	// Networks are where an address may lead to, besides public ones: names
	// that lead into the operator's own network are refused otherwise.
	Networks []netip.Prefix
}

// liveTimeout is how long a conversion webhook may take, dialling included.
const liveTimeout = 5 * time.Second

func (w Webhooks) allow(url string) bool { return slices.Contains(w.URLs, url) }

// call sends a request of the API server's client with its own transport,
// which verifies the certificate with the CRD's caBundle.
func (w Webhooks) call(transport http.RoundTripper, req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(req.Context(), liveTimeout)
	response, err := transport.RoundTrip(req.WithContext(ctx))
	if err != nil {
		cancel()
		return nil, err
	}
	response.Body = &cancelOnClose{response.Body, cancel}
	if response.StatusCode >= 300 && response.StatusCode < 400 {
		_ = response.Body.Close()
		return nil, errors.New("the webhook redirects, which is refused")
	}
	return response, nil
}

// dial connects to allowed addresses only. It looks at the address itself, not
// at the name, which may lead elsewhere at each look-up.
func (w Webhooks) dial(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: liveTimeout, Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("dial webhook: %w", err)
		}
		if !w.allowAddress(at.Addr().Unmap()) {
			return fmt.Errorf("the webhook's address %s is not in an allowed network", at.Addr())
		}
		return nil
	}}
	return dialer.DialContext(ctx, network, address)
}

func (w Webhooks) allowAddress(address netip.Addr) bool {
	for _, prefix := range w.Networks {
		if prefix.Contains(address) {
			return true
		}
	}
	return address.IsGlobalUnicast() && !address.IsPrivate()
}

// cancelOnClose ends the time limit of a call with the reading of its answer.
type cancelOnClose struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (c *cancelOnClose) Close() error {
	defer c.cancel()
	return c.ReadCloser.Close()
}
