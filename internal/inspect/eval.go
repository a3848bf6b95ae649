package inspect

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// A Value is the result of a CEL expression for a value of an object.
type Value struct {
	// Path and Line locate the object; Line is counted from 1.
	Path       string `json:"path"`
	Line       int    `json:"line"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	Expression string `json:"expression"`
	// Result has the ranges of the object's document and of the expression, counted from 0.
	Result playground.TryResult `json:"result"`
}

// Eval evaluates an expression at a field path of an object of a group. template has the
// other settings of the scenario, such as the stored objects.
func Eval(ctx context.Context, assist playground.Assist, group check.Group, object *manifest.Document, trial playground.Expression, template playground.Scenario) (Value, error) {
	group.Objects = []*manifest.Document{object}
	response, err := assist(ctx, playground.AssistRequest{Try: &playground.TryRequest{Scenario: Scenario(group, template), Trial: trial}})
	if err != nil {
		return Value{}, err
	}
	return Value{
		Path: object.File.Path, Line: object.Line + 1, Kind: object.Kind.Kind, Name: object.Name,
		Expression: trial.Expression, Result: *response.Try,
	}, nil
}

// Failed reports whether the expression has no value.
func (v Value) Failed() bool {
	return v.Result.Problem != "" || v.Result.Outcome != playground.OutcomePass
}

// WriteNamed writes the object before the value.
func (v Value) WriteNamed(w io.Writer) error {
	fmt.Fprintf(w, "%s:%d: ", v.Path, v.Line)
	return v.WriteText(w)
}

// WriteText writes the value, or the reason why it is absent.
func (v Value) WriteText(w io.Writer) error {
	r := v.Result
	switch {
	case r.Problem != "":
		fmt.Fprintln(w, r.Problem)
	case len(r.Errors) > 0:
		v.writeErrors(w)
	case r.Failure != "":
		fmt.Fprintf(w, "error: %s\n", oneLine(r.Failure))
	case r.Why == playground.WhyCreate:
		fmt.Fprintln(w, "not evaluated: there is no stored object, so that oldSelf has no value")
	default:
		fmt.Fprintln(w, r.Value)
	}
	return nil
}

// WriteTrace writes the value, the values of the subexpressions, self and the cost.
func (v Value) WriteTrace(w io.Writer) error {
	if err := v.WriteText(w); err != nil {
		return err
	}
	r := v.Result
	if r.Type == "" {
		return nil
	}
	at := r.Path
	if at == "" {
		at = "the object"
	}
	fmt.Fprintf(w, "\ntype  %s\nself  %s (%s, version %s)\n", r.Type, r.Self, at, r.Version)
	fmt.Fprintf(w, "cost  %s of at most %s\n", digits(r.ActualCost), digits(r.ExpressionCost))
	if r.Cardinality > 0 {
		excess := ""
		if r.EstimatedCost > r.CostLimit {
			excess = ": too expensive"
		}
		fmt.Fprintf(w, "      as a rule at most %s of %s (%s × %s)%s\n", digits(r.EstimatedCost), digits(r.CostLimit), digits(r.ExpressionCost), digits(r.Cardinality), excess)
	}
	if len(r.Trace) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, step := range r.Trace {
		loop := ""
		if step.Loop {
			loop = " (last iteration)"
		}
		fmt.Fprintf(table, "%s\t= %s%s\n", oneLine(step.Expression), step.Value, loop)
	}
	return table.Flush()
}

// writeErrors writes the compiler's errors with carets below their places.
func (v Value) writeErrors(w io.Writer) {
	lines := strings.Split(v.Expression, "\n")
	for _, e := range v.Result.Errors {
		start := e.Range.Start
		fmt.Fprintf(w, "error: %d:%d: %s\n", start.Line+1, start.Character+1, oneLine(e.Message))
		if start.Line >= len(lines) {
			continue
		}
		carets := 1
		if e.Range.End.Line == start.Line {
			carets = max(1, e.Range.End.Character-start.Character)
		}
		fmt.Fprintf(w, "  %s\n  %s%s\n", lines[start.Line], strings.Repeat(" ", start.Character), strings.Repeat("^", carets))
	}
}
