package main

import (
	"math"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/mutant"
	"github.com/crdlab/crdlab/internal/naming"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/releases"
)

// judgeFlags holds the flags of the commands that judge manifests.
type judgeFlags struct {
	programFlags
	releases []string
	validate string
}

// add adds the flags to a command.
func (f *judgeFlags) add(command *cobra.Command) {
	command.Flags().StringSliceVarP(&f.releases, "kubernetes", "k", []string{release.Name(playground.NewestMinor)}, "Kubernetes `releases` that judge, separated by commas")
	completeFlag(command, "kubernetes", completeKubernetesList)
	f.programFlags.add(command)
	addChoice(command, &f.validate, "validate", "", "`mode` of field validation, as in kubectl", "strict", "warn", "ignore")
}

// validateReleases returns an error unless all releases exist.
func (f *judgeFlags) validateReleases() error {
	for _, name := range f.releases {
		if err := validateRelease(name); err != nil {
			return err
		}
	}
	return nil
}

// validateRelease returns an error unless a release exists.
func validateRelease(name string) error {
	if _, err := release.ParseMinor(name); name == "" || err != nil {
		return usageError("--kubernetes %q: must be a minor release from %s to %s", name,
			release.Name(playground.OldestMinor), release.Name(playground.NewestMinor))
	}
	return nil
}

// fieldValidations maps the values of --validate to the values of the Kubernetes API.
var fieldValidations = map[string]playground.FieldValidation{
	"strict": playground.FieldValidationStrict,
	"warn":   playground.FieldValidationWarn,
	"ignore": playground.FieldValidationIgnore,
}

// options returns the options of a check. With a memory, which may be nil, its engine judges.
func (f *judgeFlags) options(programs *releases.Programs, progress *progress, m *memory) check.Options {
	create := func() check.Engine { return newEngine(programs) }
	if m != nil {
		create = func() check.Engine { return m.newEngine(programs) }
	} else {
		collectSeldom()
	}
	return check.Options{
		Releases:        f.releases,
		FieldValidation: fieldValidations[f.validate],
		NewEngine:       create,
		Conditions:      naming.Conditions,
		Progress:        progress.report,
	}
}

// collectSeldom makes the process collect garbage less often while it has little memory: it ends
// soon. With the default, garbage collection needs a quarter of the processor time.
func collectSeldom() {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(800)
		debug.SetMemoryLimit(512 << 20)
	}
}

// collectOften makes the process collect garbage more often, also if it has called collectSeldom: an API
// server with many CRDs then needs an eighth less memory, at the same speed. It also frees the garbage of the start.
func collectOften() {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(50)
		debug.SetMemoryLimit(math.MaxInt64)
		go debug.FreeOSMemory()
	}
}

// newestEngine returns an engine of the newest release.
func newestEngine() check.Engine {
	e := engine.New()
	return check.Engine{Evaluate: e.Evaluate, Forget: e.ForgetCRDs}
}

// newComparison returns the comparison of a worker.
func newComparison() mutant.Compare { return engine.New().Compare }

// newEngine returns an engine that evaluates with the programs of older releases.
func newEngine(programs *releases.Programs) check.Engine {
	e := engine.New()
	return check.Engine{Evaluate: programs.NewEvaluator(e).Evaluate, Forget: e.ForgetCRDs}
}
