package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/releases"
)

// judgeInput judges an input, prints the result and returns the exit status. The memory is
// nil unless the input is watched.
type judgeInput func(*manifest.Input, *memory) (status int, err error)

// watchInput judges the manifests at paths, and judges them again after each change, until
// an interrupt. It returns the last exit status.
func watchInput(command *cobra.Command, paths []string, judge judgeInput) (int, error) {
	reader, m := newReader(command), newMemory()
	watcher, err := reader.Watch(paths)
	if err != nil {
		return 0, err
	}
	defer watcher.Close()
	var changed []string
	for start := time.Now(); ; start = time.Now() {
		in := reader.Read(command.Context(), paths)
		addUnjudged(in, paths, false)
		status, err := judge(in, m)
		if err != nil && command.Context().Err() == nil {
			return 0, err
		}
		after := ""
		if len(changed) > 0 {
			after = " after a change of " + strings.Join(changed, ", ")
		}
		notify(command, "%s%s: %d ms; waiting for changes", time.Now().Format(time.TimeOnly), after, time.Since(start).Milliseconds())
		m.ForgetOthers()
		reader.Previous = in
		if changed, err = watcher.Next(command.Context()); errors.Is(err, context.Canceled) {
			return status, nil
		} else if err != nil {
			return 0, err
		}
	}
}

// addWatch adds the flag --watch.
func addWatch(command *cobra.Command, value *bool) {
	command.Flags().BoolVarP(value, "watch", "w", false, "judge the files again after each change, until an interrupt")
}

// validateWatch returns an error if a command cannot watch its input.
func validateWatch(paths []string, output string, writes bool) error {
	switch {
	case slices.Contains(paths, "-"):
		return usageError("--watch cannot read standard input")
	case output != outputText:
		return usageError("--watch needs --output text")
	case writes:
		return usageError("--watch does not write or print changes of the files")
	}
	return nil
}

// A memory keeps the compiled CRDs and the reports of the last run for the next one.
type memory struct {
	engine *engine.Engine
	check.Memory
}

func newMemory() *memory { return &memory{engine: engine.New()} }

// newEngine returns the engine of a worker.
func (m *memory) newEngine(programs *releases.Programs) check.Engine {
	return check.Engine{Evaluate: m.Remembering(programs.NewEvaluator(m.engine).Evaluate)}
}
