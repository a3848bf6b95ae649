package httpapi

import (
	"net/http"
	"net/netip"
	"strings"
	"sync"

	"github.com/go-chi/chi/v5/middleware"
)

// Clients is how the server tells its clients apart, and how much each of them
// may ask.
type Clients struct {
	// TrustedProxies are the networks of the reverse proxies whose headers
	// X-Forwarded-For and X-Forwarded-Proto are believed. Nobody else's are.
	TrustedProxies []netip.Prefix
	// Evaluations and Shares are how many scenarios a client may have
	// evaluated and how many it may share: so many at once, and then so many a
	// minute. 0 means any number.
	Evaluations, Shares int
}

// proxies are the networks of those whose word about others is believed.
type proxies []netip.Prefix

// identified tells the handlers after it who asks.
func (s *Server) identified(next http.Handler) http.Handler {
	if len(s.proxies) == 0 {
		return middleware.ClientIPFromRemoteAddr(s.warnedOfProxy(next))
	}
	networks := make([]string, len(s.proxies))
	for i, network := range s.proxies {
		networks[i] = network.Masked().String()
	}
	return middleware.ClientIPFromXFF(networks...)(s.warnedOfProxy(next))
}

// warnedOfProxy tells the operator, once, of a proxy that is not trusted.
func (s *Server) warnedOfProxy(next http.Handler) http.Handler {
	var once sync.Once
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Forwarded-For") != "" && !s.proxies.vouch(r) {
			once.Do(func() {
				s.log.WarnContext(r.Context(), "requests come through a proxy that is not trusted: all its clients are counted as one")
			})
		}
		next.ServeHTTP(w, r)
	})
}

// vouch reports whether a request comes from one of the proxies.
func (p proxies) vouch(r *http.Request) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	for _, network := range p {
		if network.Contains(peer.Addr().Unmap().WithZone("")) {
			return true
		}
	}
	return false
}

// client is the network that a request is counted for: an address of version 4,
// or the 64 bits that one subscriber has of version 6. It is invalid if a proxy
// says nothing of use; such requests are counted together.
func client(r *http.Request) netip.Prefix {
	address := middleware.GetClientIPAddr(r.Context()).WithZone("")
	if !address.IsValid() {
		return netip.Prefix{}
	}
	network, _ := address.Prefix(min(address.BitLen(), 64))
	return network
}

// isEncrypted reports whether the client's connection is, as far as is known:
// to this server, or to the proxy before it.
func (s *Server) isEncrypted(r *http.Request) bool {
	if r.TLS != nil || r.URL.Scheme == "https" || strings.HasPrefix(s.sharing.PublicURL, "https://") {
		return true
	}
	return s.proxies.vouch(r) && strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}
