package httpapi

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"

	"github.com/crdlab/crdlab/internal/share"
)

// newServer returns a server without a listener.
func newServer(t *testing.T, config Config) *Server {
	t.Helper()
	config.Log = slog.New(slog.DiscardHandler)
	if config.Assets == nil {
		config.Assets = fstest.MapFS{}
	}
	if config.Engine == nil {
		config.Engine = local(echo)
	}
	server, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	server.routes = conformingRouter{server.routes, t}
	return server
}

// requestFrom sends a request with the given remote address. The headers have the
// form "Name: value".
func requestFrom(server http.Handler, address, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, path, strings.NewReader(body))
	request.RemoteAddr = address
	request.Header.Set("Content-Type", "application/json")
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		request.Header.Add(name, value)
	}
	recorder := httptest.NewRecorder()
	server.ServeHTTP(recorder, request)
	return recorder
}

func TestClientIdentification(t *testing.T) {
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for _, c := range []struct {
		name    string
		proxies []netip.Prefix
		// first and second are the remote address and X-Forwarded-For of two requests.
		first, second [2]string
		apart         bool
	}{
		{"one address, two ports", nil, [2]string{"192.0.2.1:1"}, [2]string{"192.0.2.1:2"}, false},
		{"two addresses", nil, [2]string{"192.0.2.1:1"}, [2]string{"192.0.2.2:1"}, true},
		{"IPv4-mapped IPv6", nil, [2]string{"192.0.2.1:1"}, [2]string{"[::ffff:192.0.2.1]:1"}, false},
		{"one subscriber", nil, [2]string{"[2001:db8::1]:1"}, [2]string{"[2001:db8::ffff:0:0:2]:1"}, false},
		{"two subscribers", nil, [2]string{"[2001:db8::1]:1"}, [2]string{"[2001:db8:0:1::1]:1"}, true},
		{"header without a proxy", nil, [2]string{"10.0.0.1:1", "192.0.2.1"}, [2]string{"10.0.0.1:1", "192.0.2.2"}, false},
		{"proxy", trusted, [2]string{"10.0.0.1:1", "192.0.2.1"}, [2]string{"10.0.0.1:1", "192.0.2.2"}, true},
		{"two proxies", trusted, [2]string{"10.0.0.1:1", "192.0.2.1, 10.0.0.3"}, [2]string{"10.0.0.2:1", "192.0.2.1, fd00::1"}, false},
		{"forged header through a proxy", trusted, [2]string{"10.0.0.1:1", "198.51.100.1, 192.0.2.1"}, [2]string{"10.0.0.1:1", "198.51.100.2, 192.0.2.1"}, false},
		{"header from an untrusted peer", trusted, [2]string{"192.0.2.1:1", "198.51.100.1"}, [2]string{"192.0.2.1:1", "198.51.100.2"}, false},
		{"invalid header", trusted, [2]string{"10.0.0.1:1", "one"}, [2]string{"10.0.0.1:1", "two"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := newServer(t, Config{Clients: Clients{TrustedProxies: c.proxies, Evaluations: 1}})
			want := http.StatusTooManyRequests
			if c.apart {
				want = http.StatusOK
			}
			for i, source := range [][2]string{c.first, c.second} {
				response := requestFrom(server, source[0], http.MethodPost, "/api/v1/evaluate", "{}", "X-Forwarded-For: "+source[1])
				if i == 0 && response.Code != http.StatusOK || i == 1 && response.Code != want {
					t.Errorf("request %d: status %d", i+1, response.Code)
				}
			}
		})
	}
}

func TestUntrustedProxyIsLoggedOnce(t *testing.T) {
	var log strings.Builder
	for _, trusted := range [][]netip.Prefix{nil, {netip.MustParsePrefix("10.0.0.0/8")}} {
		server, err := New(Config{Assets: fstest.MapFS{}, Log: slog.New(slog.NewTextHandler(&log, nil)), Clients: Clients{TrustedProxies: trusted}})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			requestFrom(server, "10.0.0.1:1", http.MethodGet, "/healthz", "", "X-Forwarded-For: 192.0.2.99")
		}
	}
	if strings.Count(log.String(), "not trusted") != 1 || strings.Contains(log.String(), "192.0.2") {
		t.Errorf("the log:\n%s", &log)
	}
}

// The clock is stopped, because an evaluation costs more requests on a busy machine.
func TestRateLimits(t *testing.T) { synctest.Test(t, testRateLimits) }

func testRateLimits(t *testing.T) {
	server := newServer(t, Config{Assets: builtPage, Clients: Clients{Evaluations: 3, Shares: 2}, Sharing: Sharing{Store: share.NewMemory()}})
	ask := func(method, path, body string) (*http.Response, string) {
		recorder := requestFrom(server, "192.0.2.1:1", method, path, body)
		return recorder.Result(), recorder.Body.String()
	}
	var link linkResponse
	for range 2 {
		response, body := ask(http.MethodPost, sharePath, sharedScenario)
		if err := json.Unmarshal([]byte(body), &link); err != nil || response.StatusCode != http.StatusCreated {
			t.Fatalf("status %d: %s", response.StatusCode, body)
		}
	}
	id := link.ID
	response, body := ask(http.MethodPost, sharePath, sharedScenario)
	wantProblem(t, response, body, kindRateLimited, "You have reached the limit of requests per minute. Try again in 30 s.")
	if after := response.Header.Get("Retry-After"); after != "30" {
		t.Errorf("Retry-After is %q for a limit of 2 per minute", after)
	}

	ask(http.MethodPost, panelsPath, "{}")
	ask(http.MethodPost, "/api/v1/evaluate", "{}")
	if _, body := ask(http.MethodGet, sharedPath+id, ""); !strings.Contains(body, "a: &lt;1&gt; accepted") {
		t.Error("the third evaluation is not in the page")
	}
	response, body = ask(http.MethodPost, "/api/v1/evaluate", "{}")
	wantProblem(t, response, body, kindRateLimited, "You have reached the limit of requests per minute. Try again in 20 s.")
	for path, isKept := range map[string]bool{sharedPath: true, embedPath: false} {
		response, body := ask(http.MethodGet, path+id, "")
		if response.StatusCode != http.StatusOK || (response.Header.Get("ETag") != "") != isKept || strings.Contains(body, "a: &lt;1&gt; accepted") != isKept {
			t.Errorf("%s: status %d: %.200s", path, response.StatusCode, body)
		}
	}
	if response, _ := ask(http.MethodGet, sharePath+"/"+id, ""); response.StatusCode != http.StatusOK {
		t.Errorf("reading a link: status %d", response.StatusCode)
	}
}

func TestTransportSecurity(t *testing.T) {
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for _, c := range []struct {
		name, public, address, path, proto string
		want                               bool
	}{
		{"plain", "", "192.0.2.1:1", "/healthz", "", false},
		{"over TLS", "", "192.0.2.1:1", "https://crdlab.example.com/healthz", "", true},
		{"public URL", "https://crdlab.example.com", "192.0.2.1:1", "/healthz", "", true},
		{"public URL without TLS", "http://crdlab.example.com", "192.0.2.1:1", "/healthz", "", false},
		{"proxy", "", "10.0.0.1:1", "/healthz", "https", true},
		{"proxy without TLS", "", "10.0.0.1:1", "/healthz", "http", false},
		{"untrusted peer", "", "192.0.2.1:1", "/healthz", "https", false},
	} {
		server := newServer(t, Config{Clients: Clients{TrustedProxies: trusted}, Sharing: Sharing{Store: share.NewMemory(), PublicURL: c.public}})
		got := requestFrom(server, c.address, http.MethodGet, c.path, "", "X-Forwarded-Proto: "+c.proto).Header().Get("Strict-Transport-Security")
		if want := map[bool]string{true: transportSecurity}[c.want]; got != want {
			t.Errorf("%s: Strict-Transport-Security is %q, want %q", c.name, got, want)
		}
		if c.public == "" {
			body := requestFrom(server, c.address, http.MethodPost, strings.Replace(c.path, "/healthz", sharePath, 1), sharedScenario, "X-Forwarded-Proto: "+c.proto).Body.String()
			if strings.Contains(body, `"url":"https://`) != c.want {
				t.Errorf("%s: the link is %s", c.name, body)
			}
		}
	}
}
