package conversion

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"syscall"
	"time"

	utiljson "k8s.io/apimachinery/pkg/util/json"
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

var errTimeout = fmt.Errorf("crdlab waits at most %v for the webhook", liveTimeout)

// maxResponse limits the body of a webhook's response, in bytes. It is the limit of an
// object document.
const maxResponse = 3 << 20

// allow reports whether a request may be sent to a URL. The API server's client adds
// a query, and the URL of a webhook cannot have one.
func (w Webhooks) allow(url *url.URL) bool {
	address := *url
	address.RawQuery = ""
	return slices.Contains(w.URLs, address.String())
}

// call sends req over the transport of the API server's client, which verifies
// the certificate against the CRD's caBundle. The client judges the response, whatever
// it contains, apart from redirects. The content is the JSON object in its body, or nil.
func (w Webhooks) call(transport http.RoundTripper, req *http.Request) (response *http.Response, content map[string]any, err error) {
	ctx, cancel := context.WithTimeoutCause(req.Context(), liveTimeout, errTimeout)
	defer cancel()
	if response, err = transport.RoundTrip(req.WithContext(ctx)); err != nil {
		return nil, nil, timeoutOr(ctx, err)
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 && response.StatusCode < 400 {
		return nil, nil, fmt.Errorf("crdlab does not follow the webhook's redirect to %q, but an API server does", response.Header.Get("Location"))
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxResponse+1))
	if err != nil {
		return nil, nil, timeoutOr(ctx, err)
	}
	if len(body) > maxResponse {
		return nil, nil, fmt.Errorf("crdlab reads at most %d bytes of the webhook's response", maxResponse)
	}
	// The client would wait and repeat the request up to ten times, and then report
	// this response.
	response.Header.Del("Retry-After")
	response.Body = io.NopCloser(bytes.NewReader(body))
	if utiljson.Unmarshal(body, &content) != nil {
		content = nil
	}
	return response, content, nil
}

// timeoutOr returns err, or the cause of a timeout.
func timeoutOr(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
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
			return fmt.Errorf("crdlab may not connect to %s: the address is not public", at.Addr())
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
