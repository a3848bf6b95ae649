package httpapi

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/go-chi/chi/v5/middleware"
)

// Clients configures client identification and the rate limits per client.
type Clients struct {
	// TrustedProxies holds the networks of the trusted reverse proxies. The
	// headers X-Forwarded-For and X-Forwarded-Proto of other peers are ignored.
	TrustedProxies []netip.Prefix
	// Evaluations and Shares are rate limits per client and minute. A client may
	// send that number of requests in one burst. 0 disables a limit. An evaluation
	// counts as several requests if it exceeds [requestTime]. Without a
	// limit of evaluations, one client may also use all slots of the evaluator. Reads
	// limits the requests for pages and links.
	Evaluations, Shares, Reads int
}

// proxies holds the trusted proxy networks.
type proxies []netip.Prefix

// clientIP stores the client's IP address in the request context.
func (s *Server) clientIP(next http.Handler) http.Handler {
	if len(s.proxies) == 0 {
		return middleware.ClientIPFromRemoteAddr(s.warnUntrustedProxy(next))
	}
	networks := make([]string, len(s.proxies))
	for i, network := range s.proxies {
		networks[i] = network.Masked().String()
	}
	return middleware.ClientIPFromXFF(networks...)(s.warnUntrustedProxy(next))
}

// warnUntrustedProxy logs one warning if requests arrive through an untrusted proxy.
func (s *Server) warnUntrustedProxy(next http.Handler) http.Handler {
	var once sync.Once
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Forwarded-For") != "" && !s.proxies.isTrusted(r) {
			once.Do(func() {
				s.log.WarnContext(r.Context(), "requests arrive through a proxy that is not trusted: all of its clients share one rate limit")
			})
		}
		next.ServeHTTP(w, r)
	})
}

// isTrusted reports whether the peer of a request is a trusted proxy.
func (p proxies) isTrusted(r *http.Request) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	address := peer.Addr().Unmap().WithZone("")
	return slices.ContainsFunc(p, func(network netip.Prefix) bool { return network.Contains(address) })
}

// clientNetwork returns the network that identifies the client of a request for all
// limits per client: an IPv4 address, or an IPv6 /64, which is the usual allocation of a single
// subscriber. If the client is unknown, it returns the invalid prefix, so all
// such clients share one limit.
func clientNetwork(ctx context.Context) netip.Prefix {
	address := middleware.GetClientIPAddr(ctx).WithZone("")
	if !address.IsValid() {
		return netip.Prefix{}
	}
	network, _ := address.Prefix(min(address.BitLen(), 64))
	return network
}

// isEncrypted reports whether the client is known to use TLS, either with this
// server or with a trusted proxy.
func (s *Server) isEncrypted(r *http.Request) bool {
	if r.TLS != nil || r.URL.Scheme == "https" || strings.HasPrefix(s.sharing.PublicURL, "https://") {
		return true
	}
	return s.proxies.isTrusted(r) && strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}
