package main

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/crdlab/crdlab/internal/engine/conversion"
)

// webhooks reads which conversion webhooks may be called. They are told by the
// environment, which the processes of the pool share:
//
//	CRDLAB_WEBHOOKS          https URLs, separated by commas
//	CRDLAB_WEBHOOK_NETWORKS  networks besides public ones that they may be in,
//	                         such as 10.0.0.0/8
func webhooks(env func(string) string) (conversion.Webhooks, error) {
	var out conversion.Webhooks
	for _, text := range list(env("CRDLAB_WEBHOOKS")) {
		address, err := url.Parse(text)
		if err != nil || address.Scheme != "https" || address.Host == "" || address.User != nil {
			return out, fmt.Errorf("CRDLAB_WEBHOOKS: %q is not an https URL", text)
		}
		out.URLs = append(out.URLs, address.String())
	}
	for _, text := range list(env("CRDLAB_WEBHOOK_NETWORKS")) {
		network, err := netip.ParsePrefix(text)
		if err != nil {
			return out, fmt.Errorf("CRDLAB_WEBHOOK_NETWORKS: %w", err)
		}
		out.Networks = append(out.Networks, network)
	}
	return out, nil
}

func list(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}
