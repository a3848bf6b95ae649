package ui

import (
	"fmt"

	"github.com/crdlab/crdlab/internal/playground"
)

// releaseScope says what the choice of a Kubernetes release changes.
var releaseScope = fmt.Sprintf("The release whose CEL library and feature gates apply. It is about what is available in rules and policies: "+
	"everything else is as in 1.%d, and the fixes and fields that an older release lacks are not taken away.", playground.NewestMinor)

// libraryText names the libraries, and the release that they emulate.
func libraryText(kubernetes playground.Kubernetes) string {
	text := "Kubernetes " + kubernetes.Library + " libraries"
	if kubernetes.Emulated != "" && kubernetes.Emulated != fmt.Sprintf("1.%d", playground.NewestMinor) {
		text += ", CEL and feature gates as in " + kubernetes.Emulated
	}
	return text
}

// releaseBefore is the last release that refuses the rule, if that can be
// chosen.
func (r ruleView) releaseBefore() string {
	var minor int
	if _, err := fmt.Sscanf(r.MinKubernetes, "1.%d", &minor); err != nil || minor <= playground.OldestMinor || minor > playground.NewestMinor {
		return ""
	}
	return fmt.Sprintf("1.%d", minor-1)
}

// newestNeed is the oldest release that takes all rules, if some have to wait
// for one, and the rules' number that need it.
func newestNeed(rules []playground.Rule) (release string, needing int) {
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
