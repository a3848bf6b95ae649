package releases

import (
	"fmt"
	"slices"

	"github.com/crdlab/crdlab/internal/playground"
)

// NoProgram is the program of a release that crdlab can only approximate.
const NoProgram = "none"

// A Release is a Kubernetes release and the program that judges for it.
type Release struct {
	Kubernetes string `json:"kubernetes"`
	// Program is one of "built in", "installed", "not installed" and [NoProgram].
	Program string `json:"program"`
}

// List returns all supported releases, the oldest first, with their programs in a directory.
func List(directory string) []Release {
	installed := Open(directory).Releases()
	var all []Release
	for minor := playground.OldestMinor; minor <= playground.NewestMinor; minor++ {
		r := Release{fmt.Sprintf("1.%d", minor), NoProgram}
		switch {
		case r.Kubernetes == newest:
			r.Program = "built in"
		case slices.Contains(installed, r.Kubernetes):
			r.Program = "installed"
		case slices.Contains(Known(), r.Kubernetes):
			r.Program = "not installed"
		}
		all = append(all, r)
	}
	return all
}
