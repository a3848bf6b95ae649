package main

import (
	"fmt"
	"net/netip"

	"github.com/crdlab/crdlab/conformance/apiserver"
	"github.com/crdlab/crdlab/internal/apiclient"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/conversion"
	"github.com/crdlab/crdlab/internal/enginetest/livewebhook"
)

// compareWebhooks lets crdlab and the server call the same webhooks. Afterwards, the server
// no longer has the webhooks of other cases.
func (e *examiner) compareWebhooks(dir string, cluster *apiserver.Cluster) error {
	all, err := livewebhook.Read(dir)
	if err != nil {
		return err
	}
	cluster.CallWebhooks()
	for _, c := range all {
		if c.CrdlabDecides != "" {
			fmt.Fprintf(e.out, "live webhooks/%s is not compared: %s\n", c.Name, c.CrdlabDecides)
			continue
		}
		if err := e.compareWebhook(c, cluster); err != nil {
			return err
		}
	}
	return nil
}

func (e *examiner) compareWebhook(c livewebhook.Case, cluster *apiserver.Cluster) error {
	webhook, err := c.Start()
	if err != nil {
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	defer webhook.Stop()
	permitted := conversion.Webhooks{
		URLs:     []string{webhook.URL},
		Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
	}
	live := &examiner{
		server:   apiclient.NewLive(cluster),
		subjects: []subject{newBuild("engine", engine.NewWithWebhooks(permitted).Evaluate, 1)},
		tally:    e.tally,
		out:      e.out,
	}
	_, err = live.examine("live webhooks", "live webhooks/"+c.Name, webhook.Scenario)
	return err
}
