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

// emulation guards the release whose behaviour the Kubernetes libraries show,
// which they keep in global variables: evaluations on the newest one share it,
// and one on another release has it for itself.
var emulation sync.RWMutex

// Emulate has the libraries show the release of a scenario.
func Emulate(s playground.Scenario) (restore func(), err error) {
	minor, err := parseMinor(s.Kubernetes)
	if err != nil {
		return nil, err
	}
	return emulateMinor(minor)
}

// emulateMinor has the libraries show the CEL environment and the feature gates of
// release 1.minor, as far as they still have them, until restore is called.
func emulateMinor(minor int) (restore func(), err error) {
	if minor == playground.NewestMinor {
		emulation.RLock()
		return emulation.RUnlock, nil
	}
	emulation.Lock()
	restore = func() {
		// Going back to where the libraries started cannot fail.
		_ = setEmulation(playground.NewestMinor)
		emulation.Unlock()
	}
	if err := setEmulation(minor); err != nil {
		restore()
		return nil, fmt.Errorf("emulate Kubernetes 1.%d: %w", minor, err)
	}
	return restore, nil
}

// setEmulation must be called with the emulation locked. Like a server, the
// release stays compatible with the one before, to which it might be rolled
// back.
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

func Version(minor int) *utilversion.Version {
	return utilversion.MajorMinor(1, uint(minor))
}

// Ratchets says whether the emulated release forgives what an update does not
// touch, and lets rules have optionalOldSelf.
func HasRatcheting() bool {
	return utilfeature.DefaultFeatureGate.Enabled(features.CRDValidationRatcheting)
}

// parseMinor reads [playground.Scenario.Kubernetes].
func parseMinor(kubernetes string) (int, error) {
	if kubernetes == "" {
		return playground.NewestMinor, nil
	}
	text, ok := strings.CutPrefix(kubernetes, "1.")
	minor, err := strconv.Atoi(text)
	if !ok || err != nil || minor < playground.OldestMinor || minor > playground.NewestMinor || strconv.Itoa(minor) != text {
		return 0, &playground.InvalidScenarioError{
			Parameter: "kubernetes",
			Message:   fmt.Sprintf("must be a minor version from %s to %s", Name(playground.OldestMinor), Name(playground.NewestMinor)),
		}
	}
	return minor, nil
}

func Name(minor int) string { return "1." + strconv.Itoa(minor) }
