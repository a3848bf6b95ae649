package server

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/crdlab/crdlab/internal/engine/conversion"
)

// webhooks returns the conversion webhooks that the engine may call. The parent
// process only validates the settings; the child processes call the webhooks.
func webhooks(env func(string) string) (conversion.Webhooks, error) {
	var out conversion.Webhooks
	for _, item := range splitList(env(webhooksVariable)) {
		address, err := url.Parse(item)
		if err != nil || address.Scheme != "https" || address.Host == "" || address.User != nil {
			return out, fmt.Errorf("%s: %q is not an https URL", webhooksVariable, item)
		}
		out.URLs = append(out.URLs, address.String())
	}
	for _, item := range splitList(env(webhookNetworksVariable)) {
		network, err := netip.ParsePrefix(item)
		if err != nil {
			return out, fmt.Errorf("%s: %w", webhookNetworksVariable, err)
		}
		out.Networks = append(out.Networks, network)
	}
	return out, nil
}

// splitList splits a list at commas and spaces.
func splitList(value string) []string {
	return strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })
}
