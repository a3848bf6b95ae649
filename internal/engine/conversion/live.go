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

// Webhooks permits calls of real conversion webhooks. The zero value permits no
// call, so a scenario cannot make the engine send a request.
type Webhooks struct {
	// URLs lists the exact addresses, including their paths.
	URLs []string
	// Networks permits IP addresses beyond public ones. Otherwise a host name
	// cannot resolve into the operator's own network.
	Networks []netip.Prefix
}

// liveTimeout limits one call of a webhook, including dialling.
const liveTimeout = 5 * time.Second

func (w Webhooks) allow(url string) bool { return slices.Contains(w.URLs, url) }

// call sends req over the transport of the API server's client, which verifies
// the certificate against the CRD's caBundle. It follows no redirects.
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

// dial connects to permitted addresses only. It checks the resolved address,
// because a host name may resolve differently each time.
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

// cancelOnClose releases the timeout of a call when its response body closes.
type cancelOnClose struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (c *cancelOnClose) Close() error {
	defer c.cancel()
	return c.ReadCloser.Close()
}
