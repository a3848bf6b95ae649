package httpapi

import (
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crdlab/crdlab/internal/share"
)

func TestStatedLimits(t *testing.T) {
	always := []string{
		"A client is an IPv4 address or an IPv6 /64 network. A client that exceeds a limit receives status 429.",
		"The server stores documents only for short links. Its logs contain neither documents nor addresses of clients.",
	}
	for name, c := range map[string]struct {
		config Config
		want   []string
	}{
		"no limits per client": {Config{Engine: local(echo), EvaluationTimeout: 90 * time.Second, Sharing: Sharing{Store: share.NewMemory()}}, []string{
			"The body of an evaluation or assist request may have 6 MiB.",
			"An evaluation is ended after 90 s.",
			"A shared scenario may have 2 MiB.",
			"Short links work until the operator of this server deletes them.",
		}},
		"all limits": {Config{
			Engine: local(echo), EvaluationMemory: 1 << 30, Clients: Clients{Evaluations: 600, Reads: 3000, Shares: 60},
			Sharing: Sharing{Store: share.NewMemory(), Limit: 100 << 10, ClientQuota: 32 << 20, Lifetime: ShareLifetime},
		}, []string{
			"The body of an evaluation or assist request may have 6 MiB.",
			"An evaluation is ended after 20 s, or if it needs more than 1024 MiB of memory.",
			"A client may request 600 evaluations per minute. An evaluation counts once for each 50 ms that it takes.",
			"While other clients use the server, the evaluations of a client run one after the other, and up to 16 of them wait.",
			"A client may request 3000 pages and links per minute.",
			"A shared scenario may have 100 KiB.",
			"A client may share 60 scenarios per minute.",
			"A client may share scenarios of 32 MiB per day.",
			"A short link works for 90 days after it was last opened.",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			server := newServer(t, c.config)
			want := slices.Concat(c.want, always)
			if got := server.statedLimits(); !slices.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			page := httptest.NewRecorder()
			server.ServeHTTP(page, httptest.NewRequest("GET", apiPath, nil))
			for _, sentence := range want {
				if !strings.Contains(page.Body.String(), "<li>"+sentence+"</li>") {
					t.Errorf("the page lacks %q", sentence)
				}
			}
		})
	}
}
