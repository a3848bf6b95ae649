// Package release emulates a Kubernetes release: it selects the CEL environment and
// the feature gates that the Kubernetes libraries use.
package release

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/features"
	utilversion "k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/util/compatibility"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	basecompatibility "k8s.io/component-base/compatibility"

	"github.com/crdlab/crdlab/internal/playground"
)

// emulation guards the emulated release, which the Kubernetes libraries keep in global
// variables. Evaluations for the newest release share the lock. An evaluation for an
// older release holds it exclusively.
var emulation sync.RWMutex

// Emulate sets the release of a scenario until restore is called. A goroutine must not
// call it again before, because the lock is not reentrant.
func Emulate(s playground.Scenario) (restore func(), err error) {
	minor, err := ParseMinor(s.Kubernetes)
	if err != nil {
		return nil, err
	}
	return emulateMinor(minor)
}

// emulateMinor sets the release 1.minor until restore is called. The libraries emulate
// only the behaviour that they can still switch.
func emulateMinor(minor int) (restore func(), err error) {
	if minor == playground.NewestMinor {
		emulation.RLock()
		return emulation.RUnlock, nil
	}
	emulation.Lock()
	restore = func() {
		defer emulation.Unlock()
		if err := setEmulation(playground.NewestMinor); err != nil {
			// Later results of this process would be wrong.
			panic(fmt.Errorf("restore the newest Kubernetes release: %w", err))
		}
	}
	if err := setEmulation(minor); err != nil {
		restore()
		return nil, fmt.Errorf("emulate Kubernetes 1.%d: %w", minor, err)
	}
	return restore, nil
}

// setEmulation sets the release. The caller holds the lock. Like a server, the release
// stays compatible with its predecessor, to permit a rollback.
func setEmulation(minor int) error {
	version, ok := compatibility.DefaultComponentGlobalsRegistry.
		EffectiveVersionFor(basecompatibility.DefaultKubeComponent).(basecompatibility.MutableEffectiveVersion)
	if !ok {
		return errors.New("the emulated version cannot be set")
	}
	release, before := Version(minor), Version(minor-1)
	version.SetEmulationVersion(release)
	version.SetMinCompatibilityVersion(before)
	return utilfeature.DefaultMutableFeatureGate.SetEmulationVersionAndMinCompatibilityVersion(release, before)
}

// Version returns the version 1.minor.
func Version(minor int) *utilversion.Version {
	return utilversion.MajorMinor(1, uint(minor))
}

// HasRatcheting reports whether the emulated release ratchets validation: updates may
// keep invalid values, and rules may have optionalOldSelf.
func HasRatcheting() bool {
	return utilfeature.DefaultFeatureGate.Enabled(features.CRDValidationRatcheting)
}

// ParseMinor parses the minor version of a release such as "1.34". An empty string
// means the newest release.
func ParseMinor(kubernetes string) (int, error) {
	if kubernetes == "" {
		return playground.NewestMinor, nil
	}
	digits, ok := strings.CutPrefix(kubernetes, "1.")
	minor, err := strconv.Atoi(digits)
	if !ok || err != nil || minor < playground.OldestMinor || minor > playground.NewestMinor || strconv.Itoa(minor) != digits {
		return 0, &playground.InvalidScenarioError{
			Parameter: "kubernetes",
			Message:   fmt.Sprintf("must be a minor version from %s to %s", Name(playground.OldestMinor), Name(playground.NewestMinor)),
		}
	}
	return minor, nil
}

// Name returns the name of the release 1.minor.
func Name(minor int) string { return "1." + strconv.Itoa(minor) }
