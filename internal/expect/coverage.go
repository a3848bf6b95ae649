package expect

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// Coverage states which rules the documents have seen to hold and to fail.
type Coverage struct {
	Rules []Rule `json:"rules"`
}

// A Rule is a rule of an accepted CRD. Line is counted from 1.
type Rule struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Version string `json:"version"`
	// Expression is the rule.
	Expression string `json:"expression"`
	Holds      int    `json:"holds"`
	Fails      int    `json:"fails"`
	// CannotFail reports that the schema permits no value for which the rule would fail, and
	// that no stored object has failed it either.
	CannotFail bool `json:"cannotFail"`
	// Unevaluated says why the rule was not seen to hold or to fail; empty if it was.
	Unevaluated string `json:"unevaluated"`

	crd *manifest.Document
	id  string
	// reason is the greatest index in unevaluated of all results.
	reason int
}

// unevaluated describes why a rule was not seen to hold or to fail. If objects have different
// reasons, the last one in this list is nearest to a result.
var unevaluated = []struct {
	outcome playground.Outcome
	why     playground.SkipReason
	text    string
}{
	{"", "", "was never evaluated, because no request creates or updates an object of its version"},
	{playground.OutcomeSkipped, playground.WhyAbsent, "was never evaluated, because no object has a value to which it applies"},
	{playground.OutcomeSkipped, playground.WhyBlocked, "was never evaluated, because earlier errors rejected the requests that could evaluate it"},
	{playground.OutcomeSkipped, playground.WhyBudget, "was never evaluated, because earlier rules exhausted the cost budget"},
	{playground.OutcomeSkipped, playground.WhyCreate, "was never evaluated, because it uses oldSelf, and no update of the value was tested"},
	{playground.OutcomeSkipped, playground.WhyRatcheted, "failed only for values that an update left unchanged, which the API server tolerates"},
	{playground.OutcomeError, "", "was never evaluated to its end, because it caused an error"},
}

// explain notes the reason of a result without a decision of the rule.
func (r *Rule) explain(outcome playground.Outcome, why playground.SkipReason) {
	for i, u := range unevaluated {
		if u.outcome == outcome && u.why == why {
			r.reason = max(r.reason, i)
		}
	}
}

// Covered reports whether the rule was seen to hold and to fail.
func (r Rule) Covered() bool { return r.Holds > 0 && r.Fails > 0 }

// Missing describes the missing part of the coverage in a few words.
func (r Rule) Missing() string {
	switch {
	case r.Covered():
		return "held and failed"
	case r.CannotFail:
		return "cannot fail, because the schema permits only values for which it holds"
	case r.Holds == 0 && r.Fails == 0:
		return r.Unevaluated
	case r.Holds == 0:
		return "failed and never held"
	}
	return "held and never failed"
}

// WriteHTML writes the coverage, and the changes of constraints if there are any, as a page that needs no other files.
func (r *Result) WriteHTML(ctx context.Context, w io.Writer) error {
	if err := page(r.Coverage, r.Mutations).Render(ctx, w); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// A fileRules has the rules of a file with CRDs.
type fileRules struct {
	path  string
	rules []Rule
}

// files returns the rules by their files.
func (c Coverage) files() []fileRules {
	var all []fileRules
	for _, r := range c.Rules {
		if len(all) == 0 || all[len(all)-1].path != r.Path {
			all = append(all, fileRules{path: r.Path})
		}
		last := &all[len(all)-1]
		last.rules = append(last.rules, r)
	}
	return all
}

// Percent returns the share of the covered rules of the rules that can fail; 100 if there
// are no such rules.
func (c Coverage) Percent() float64 {
	if c.CanFail() == 0 {
		return 100
	}
	return 100 * float64(c.Covered()) / float64(c.CanFail())
}

// CanFail returns the number of rules for which CannotFail is unset.
func (c Coverage) CanFail() int {
	n := 0
	for _, r := range c.Rules {
		if !r.CannotFail {
			n++
		}
	}
	return n
}

// Summary describes the coverage in a sentence.
func (c Coverage) Summary() string {
	text := fmt.Sprintf("%d of %d rules were seen to hold and to fail (%.1f %%)", c.Covered(), c.CanFail(), c.Percent())
	if n := len(c.Rules) - c.CanFail(); n > 0 {
		text += fmt.Sprintf("; %d more cannot fail", n)
	}
	return text
}

// AddUnfailing marks the rules that were not seen to fail, and that cannot fail. find returns
// the IDs of such rules in a CRD.
func (c *Coverage) AddUnfailing(find func(crd *manifest.Document) (ids map[string]bool, err error)) error {
	found := map[*manifest.Document]map[string]bool{}
	for i := range c.Rules {
		r := &c.Rules[i]
		if r.Fails > 0 {
			continue
		}
		if found[r.crd] == nil {
			ids, err := find(r.crd)
			if err != nil {
				return err
			}
			found[r.crd] = ids
		}
		r.CannotFail = found[r.crd][r.id]
	}
	return nil
}

// Covered returns the number of covered rules.
func (c Coverage) Covered() int {
	n := 0
	for _, r := range c.Rules {
		if r.Covered() {
			n++
		}
	}
	return n
}

// coverage counts the results of the rules of CRDs.
type coverage struct {
	rules []Rule
	// index holds the index in rules.
	index map[ruleKey]int
}

// A ruleKey identifies a rule of a CRD.
type ruleKey struct {
	crd *manifest.Document
	id  string
}

// addRules adds the rules of an accepted CRD, unless another release added them.
func (c *coverage) addRules(crd *manifest.Document, report playground.Report) {
	if c.index == nil {
		c.index = map[ruleKey]int{}
	}
	for _, r := range report.CRD.Rules {
		key := ruleKey{crd, r.ID}
		if _, known := c.index[key]; known || !report.CRD.Accepted {
			continue
		}
		c.index[key] = len(c.rules)
		line := crd.InFile(r.Range).Start.Line + 1
		c.rules = append(c.rules, Rule{Path: crd.File.Path, Line: line, Version: r.Version, Expression: r.Rule, crd: crd, id: r.ID})
	}
}

// addResults counts the results of the rules for the objects of a report.
func (c *coverage) addResults(crd *manifest.Document, report playground.Report) {
	for _, o := range report.Objects {
		for _, r := range o.Rules {
			i, ok := c.index[ruleKey{crd, r.ID}]
			if !ok {
				continue
			}
			switch r.Outcome {
			case playground.OutcomePass:
				c.rules[i].Holds++
			case playground.OutcomeFail:
				c.rules[i].Fails++
			default:
				c.rules[i].explain(r.Outcome, r.Why)
			}
		}
		if isBlocked(o) {
			for i, r := range c.rules {
				if r.crd == crd && strings.HasSuffix(o.APIVersion, "/"+r.Version) {
					c.rules[i].explain(playground.OutcomeSkipped, playground.WhyBlocked)
				}
			}
		}
	}
}

// isBlocked reports whether the request for an object ended before the stage of rules.
func isBlocked(o playground.Object) bool {
	return !o.Accepted && slices.ContainsFunc(o.Stages, func(s playground.Stage) bool {
		return s.Name == playground.StageRules && s.Outcome == playground.OutcomeSkipped
	})
}

// result returns the rules in the order of the files.
func (c *coverage) result() Coverage {
	slices.SortStableFunc(c.rules, func(a, b Rule) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.crd.Line, b.crd.Line), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Version, b.Version))
	})
	for i, r := range c.rules {
		if r.Holds == 0 && r.Fails == 0 {
			c.rules[i].Unevaluated = unevaluated[r.reason].text
		}
	}
	return Coverage{Rules: append([]Rule{}, c.rules...)}
}
