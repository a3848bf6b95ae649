package witness

import (
	"context"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/object"
	"github.com/crdlab/crdlab/internal/engine/solve"
	"github.com/crdlab/crdlab/internal/mutant"
	"github.com/crdlab/crdlab/internal/playground"
)

// tellRule returns an object that tells a changed rule of the node change.Own apart from the original, or nil.
func (c *Comparison) tellRule(ctx context.Context, change Change, changed object.Target) *mutant.Telling {
	for _, version := range c.crd.ServedByPriority() {
		if !slices.Contains(change.Own.Versions, version) {
			continue
		}
		r := c.newRuleChange(ctx, change, version)
		if r == nil {
			continue
		}
		root, path := c.home.root(c.crd, version), valuePath(change.Own.Path)
		base := (&search{home: c.home}).baseWith(version, path)
		if base == nil {
			continue
		}
		for _, p := range r.promising(root, path, base) {
			if t := c.tellUpdate(r, root, p.update, p.effect, changed); t != nil {
				return t
			}
		}
	}
	return nil
}

// tellUpdate returns a variant of an update that one of the CRDs accepts and the other rejects by the changed rule, or nil.
func (c *Comparison) tellUpdate(r *ruleChange, root crdschema.Schema, u update, effect difference, changed object.Target) *mutant.Telling {
	old := ""
	if u.old != nil {
		if report := c.home.evaluate(c.target, u.old); !report.Accepted || c.home.status {
			return nil // transitions of the status would need three requests
		}
		old = toYAML(u.old)
	}
	accepting, rejecting, refused := c.target, changed, r.expressions()[1]
	if effect == loosens {
		accepting, rejecting, refused = changed, c.target, r.expressions()[0]
	}
	solver := solve.Solver{
		Root: root, Attempts: maxTellingAttempts,
		Keeps: func(object map[string]any) bool { kept, _ := r.effect(object, u.old); return kept == effect },
		Failures: func(object map[string]any) ([]solve.Failure, error) {
			report := c.home.send(accepting, object, old)
			if r.changesError() && failsAlone(report, r.id(accepting, refused)) {
				return nil, nil
			}
			return solve.Failures(object, report, accepting.CRD.Report.Rules), nil
		},
	}
	found, failures, err := solver.Solve(u.object)
	if err != nil || len(failures) > 0 {
		return nil
	}
	report := c.home.send(rejecting, found, old)
	message, ok := failureOf(report, r.id(rejecting, refused))
	if !ok {
		return nil
	}
	other := ""
	if r.changesError() {
		message, other = errorOf(report), errorOf(c.home.send(accepting, found, old))
		if message == other {
			return nil
		}
	}
	telling := &mutant.Telling{
		Witness: playground.Witness{
			Object: toYAML(found), Excerpt: excerpt(found, valuePath(r.path)), Effect: playground.WitnessRejected, Message: message,
		},
		Accepted: effect == tightens, Other: other, Old: old, Status: c.home.status,
	}
	if telling.Status {
		telling.Old = toYAML(withoutStatus(found))
	}
	if u.old != nil {
		telling.Excerpt = excerpt(u.old, valuePath(r.path)) + "---\n# crdlab: update\n" + telling.Excerpt
	}
	return telling
}

// id returns the ID of a rule of the node.
func (r *ruleChange) id(target object.Target, expression string) string {
	for _, rule := range target.CRD.Report.Rules {
		if rule.Version == r.version && rule.SchemaPath == r.path.String() && rule.Rule == expression {
			return rule.ID
		}
	}
	return ""
}

// failsAlone reports whether all errors are those of the rule.
func failsAlone(report playground.Object, id string) bool {
	failing, errors := 0, 0
	for _, result := range report.Rules {
		if result.ID == id && result.Outcome == playground.OutcomeFail {
			failing++
		}
	}
	for _, f := range report.Findings {
		if f.Severity == playground.SeverityError {
			errors++
		}
	}
	return failing > 0 && errors == failing
}

// errorOf returns the API server's error about an object, without its name.
func errorOf(report playground.Object) string {
	if _, message, ok := strings.Cut(report.Status.Message, " is invalid: "); ok {
		return message
	}
	return report.Status.Message
}
