package ui

import (
	"fmt"

	"github.com/crdlab/crdlab/internal/playground"
)

// releaseScope explains the effect of choosing a Kubernetes release.
var releaseScope = fmt.Sprintf("The release whose CEL library and feature gates apply. It is about what is available in rules and policies: "+
	"everything else is as in 1.%d, and the fixes and fields that an older release lacks are not taken away.", playground.NewestMinor)

// libraryText names the Kubernetes libraries and the emulated release.
func libraryText(report playground.Report) string {
	kubernetes := report.Kubernetes
	text := "Kubernetes " + kubernetes.Library + " libraries"
	if kubernetes.Emulated != "" && kubernetes.Emulated != fmt.Sprintf("1.%d", playground.NewestMinor) {
		text += ", CEL and feature gates as in " + kubernetes.Emulated
	}
	return text
}

// previousRelease returns the newest release that rejects the rule, or an empty
// string if no such release can be chosen.
func (r ruleView) previousRelease() string {
	var minor int
	if _, err := fmt.Sscanf(r.MinKubernetes, "1.%d", &minor); err != nil || minor <= playground.OldestMinor || minor > playground.NewestMinor {
		return ""
	}
	return fmt.Sprintf("1.%d", minor-1)
}

// requiredRelease returns the oldest release that accepts all rules and the
// number of rules that need it. The release is empty if every release accepts
// them.
func requiredRelease(rules []playground.Rule) (release string, needing int) {
	newest := playground.OldestMinor
	for _, rule := range rules {
		var minor int
		if _, err := fmt.Sscanf(rule.MinKubernetes, "1.%d", &minor); err != nil || minor < newest || rule.Needs == "" {
			continue
		}
		if minor > newest {
			newest, needing = minor, 0
		}
		needing++
	}
	if needing == 0 {
		return "", 0
	}
	return fmt.Sprintf("1.%d", newest), needing
}
