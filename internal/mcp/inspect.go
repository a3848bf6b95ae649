package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/crdlab/crdlab/internal/assist"
	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/inspect"
	"github.com/crdlab/crdlab/internal/playground"
)

// explainField returns the output of the command explain.
func (o Options) explainField(ctx context.Context, groups []check.Group, in ExplainInput) (string, error) {
	var crds []check.Group
	for _, g := range groups {
		crds = append(crds, check.Group{CRD: g.CRD})
	}
	subjects, err := inspect.Reports(ctx, o.newEngine().Evaluate, crds, playground.Scenario{Schemas: true})
	if err != nil {
		return "", err
	}
	missing := errors.New("no CRD serves the version")
	text, err := joined(subjects, func(s inspect.Subject, out io.Writer) error {
		for _, line := range s.Rejected() {
			fmt.Fprintln(out, line)
		}
		explained, unknown := inspect.Explain(s, inspect.ExplainOptions{Version: in.Version, Field: in.Field, Recursive: in.Recursive})
		if unknown != nil {
			missing = unknown
		}
		for _, e := range explained {
			if err := e.WriteText(out); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && text == "" {
		err = missing
	}
	return text, err
}

// evaluate returns the output of the command eval.
func evaluate(ctx context.Context, groups []check.Group, in EvaluateInput) (string, error) {
	answer, trial := assist.New(engine.New()).Respond, playground.Expression{Expression: in.Expression, Path: in.At}
	text, err := joined(groups, func(g check.Group, out io.Writer) error {
		for _, object := range g.Objects {
			value, err := inspect.Eval(ctx, answer, g, object, trial, playground.Scenario{})
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "%s:%d: ", value.Path, value.Line)
			if err := value.WriteTrace(out); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && text == "" {
		err = errors.New("there is no object with a CRD in these documents")
	}
	return text, err
}

// sample returns the output of the command sample.
func sample(ctx context.Context, groups []check.Group, in SampleInput) (string, error) {
	answer := assist.New(engine.New()).Respond
	return joined(groups, func(g check.Group, out io.Writer) error {
		sample, ok, err := inspect.SampleOf(ctx, answer, g, playground.SampleRequest{Version: in.Version, Full: in.Full})
		switch {
		case err != nil:
			return err
		case !ok:
			return fmt.Errorf("%s:%d: the CRD lacks the version or is invalid; the tool check lists the errors", sample.CRD.Path, sample.CRD.Line)
		}
		for _, constraint := range sample.Unsolved {
			fmt.Fprintf(out, "# the sample may violate: %s\n", constraint)
		}
		return sample.WriteText(out)
	})
}

// joined returns the output of write for all values.
func joined[T any](all []T, write func(T, io.Writer) error) (string, error) {
	var out strings.Builder
	for _, value := range all {
		if err := write(value, &out); err != nil {
			return "", err
		}
	}
	return out.String(), nil
}
