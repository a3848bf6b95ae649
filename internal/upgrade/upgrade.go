// Package upgrade compares the CRDs of two revisions, and reports the changes that break
// stored objects and clients.
package upgrade

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// A Result has the differences between two sets of CRDs, in the order of the new ones.
type Result struct {
	CRDs []CRD `json:"crds"`
}

// A CRD has the changes of a CustomResourceDefinition.
type CRD struct {
	Name string `json:"name"`
	// Old and New are positions as PATH:LINE; empty if there is no such CRD.
	Old string `json:"old"`
	New string `json:"new"`
	// Rejected is the output of kubectl if the API server rejects the update.
	Rejected string `json:"rejected"`
	// Errors lists the errors of a rejected update.
	Errors []manifest.Finding `json:"errors"`
	// Conditions lists NamesAccepted and Established if they are not true after the update.
	Conditions []playground.Condition `json:"conditions"`
	// Kept lists the values that apply keeps although the new CRD lacks them.
	Kept    []manifest.Finding `json:"kept"`
	Changes []Change           `json:"changes"`
	Objects []Object           `json:"objects"`
}

// A Change is a difference. Path, Line and Column are its place in the new CRD, counted
// from 1.
type Change struct {
	Path    string                 `json:"path"`
	Line    int                    `json:"line"`
	Column  int                    `json:"column"`
	Version string                 `json:"version"`
	Field   string                 `json:"field"`
	Kind    string                 `json:"kind"`
	Class   playground.ChangeClass `json:"class"`
	Breaks  playground.Breaks      `json:"breaks"`
	Before  json.RawMessage        `json:"before"`
	After   json.RawMessage        `json:"after"`
	Because string                 `json:"because"`
	// Witness is an object that the old CRD accepts, and that the new CRD rejects or
	// changes, or nil.
	Witness *playground.Witness `json:"witness"`
}

// Text describes a change without its place.
func (c Change) Text() string {
	text := fmt.Sprintf("%s: %s\n%s: %s -> %s", labels[c.Class], c.Kind, c.Field, short(c.Before), short(c.After))
	if c.Because != "" {
		text += "\n" + c.Because
	}
	if c.Witness != nil {
		text += fmt.Sprintf("\nan object with this part is %s: %s\n  %s", c.Witness.Effect, c.Witness.Message,
			strings.ReplaceAll(strings.TrimSpace(c.Witness.Excerpt), "\n", "\n  "))
	}
	return text
}

// maxValue is the maximum number of bytes of a value in a change.
const maxValue = 80

// short returns JSON, or the start of long JSON.
func short(value []byte) string {
	text := string(value)
	if len(text) > maxValue {
		text = strings.ToValidUTF8(text[:maxValue], "") + "…"
	}
	return text
}

// labels holds the words for the classes of changes.
var labels = map[playground.ChangeClass]string{
	playground.ChangeBreaks: "breaks", playground.ChangeMayBreak: "may break", playground.ChangeCompatible: "compatible",
}

// An Object is an object that the new CRD makes invalid or changes, or for which the effect
// is unknown.
type Object struct {
	check.Object
	Outcome playground.Outcome `json:"outcome"`
	Why     string             `json:"why"`
	// Errors lists the API server's errors under the new CRD, with their hints.
	Errors []string `json:"errors"`
}

// Severity is the severity of the worst change.
type Severity int

// The severities in ascending order.
const (
	Compatible Severity = iota
	MayBreak
	Breaks
)

// Severity returns the severity of the worst change of all CRDs.
func (r *Result) Severity() Severity {
	worst := Compatible
	for _, c := range r.CRDs {
		worst = max(worst, c.Severity())
	}
	return worst
}

// Place returns the path and the line of the new CRD, or of the old one if it is removed.
func (c CRD) Place() (path string, line int) {
	position := cmp.Or(c.New, c.Old)
	colon := strings.LastIndexByte(position, ':')
	line, _ = strconv.Atoi(position[colon+1:]) // The position ends in a line.
	return position[:colon], line
}

// Severity returns the severity of the worst change or effect on an object.
func (c CRD) Severity() Severity {
	if c.New == "" || c.Rejected != "" {
		return Breaks
	}
	worst := Compatible
	if len(c.Conditions) > 0 {
		worst = MayBreak
	}
	for _, o := range c.Objects {
		worst = max(worst, o.Severity())
	}
	for _, change := range c.Changes {
		worst = max(worst, severities[change.Class])
	}
	return worst
}

// Severity returns the severity of the effect on an object, which may be unknown.
func (o Object) Severity() Severity {
	if o.Outcome == playground.OutcomeSkipped {
		return MayBreak
	}
	return Breaks
}

var severities = map[playground.ChangeClass]Severity{playground.ChangeMayBreak: MayBreak, playground.ChangeBreaks: Breaks}

// Options configure a comparison.
type Options struct {
	// Operation is the request for the new CRDs: empty for an update, or one of the values
	// of [playground.Scenario.CRDOperation] for apply.
	Operation    playground.Operation
	FieldManager string
	Force        bool
	// Stored reports that the old CRDs are from a cluster, as are CRDs with managedFields.
	// Others are manifests, which were applied as the new ones are.
	Stored bool
	// Others has further CRDs of the cluster; nil if unknown.
	Others *manifest.Input
	// Conditions returns the condition NamesAccepted of CRDs that are created one after the
	// other in a cluster.
	Conditions func(context.Context, []playground.CRD) ([]playground.Condition, error)
}

// Compare compares the CRDs of two inputs, and tries the changes on objects. The error is
// from the engine, or from ctx.
func Compare(ctx context.Context, engine check.Engine, before, after, objects *manifest.Input, o Options) (*Result, error) {
	result := &Result{CRDs: []CRD{}}
	options := check.Options{Releases: []string{""}, NewEngine: func() check.Engine { return engine }}
	for _, in := range []**manifest.Input{&before, &after} {
		settled, err := check.Settled(ctx, *in, options)
		if err != nil {
			return nil, err
		}
		*in = settled
	}
	compared := map[*manifest.Document]bool{}
	for _, d := range after.Documents {
		if !d.IsCRD {
			continue
		}
		old := counterpart(d, before, compared)
		if old == nil {
			result.CRDs = append(result.CRDs, newCRD(d.Name, "", position(d)))
			continue
		}
		compared[old] = true
		c, err := compare(ctx, engine, old, d, others(d, after, before, o.Others), objects, o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", position(d), err)
		}
		result.CRDs = append(result.CRDs, c)
		engine.ForgetCRDs()
	}
	for _, d := range before.Documents {
		if d.IsCRD && !compared[d] {
			result.CRDs = append(result.CRDs, newCRD(d.Name, position(d), ""))
		}
	}
	return result, nil
}

func position(d *manifest.Document) string { return fmt.Sprintf("%s:%d", d.File.Path, d.Line+1) }

// counterpart returns the old CRD of the same name. If there are several, such as in
// release channels, it is the one with the most similar path.
func counterpart(d *manifest.Document, before *manifest.Input, compared map[*manifest.Document]bool) *manifest.Document {
	var candidates []*manifest.Document
	for _, old := range before.Documents {
		if old.IsCRD && old.Name == d.Name && !compared[old] {
			candidates = append(candidates, old)
		}
	}
	if len(candidates) == 0 {
		return nil
	}
	return slices.MaxFunc(candidates, func(a, b *manifest.Document) int {
		return commonSuffix(a.File.Path, d.File.Path) - commonSuffix(b.File.Path, d.File.Path)
	})
}

func commonSuffix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// newCRD returns a CRD without changes.
func newCRD(name, before, after string) CRD {
	return CRD{
		Name: name, Old: before, New: after,
		Conditions: []playground.Condition{}, Errors: []manifest.Finding{}, Kept: []manifest.Finding{}, Changes: []Change{}, Objects: []Object{},
	}
}

// others returns the CRDs of the same group that are in the cluster besides a new one.
func others(d *manifest.Document, inputs ...*manifest.Input) []*manifest.Document {
	var all, documents []*manifest.Document
	for _, in := range inputs {
		if in != nil {
			documents = append(documents, in.Documents...)
		}
	}
	for _, other := range documents {
		isListed := slices.ContainsFunc(all, func(o *manifest.Document) bool { return o.Name == other.Name })
		if other.IsCRD && other.Name != d.Name && other.Described.Group == d.Described.Group && !isListed {
			all = append(all, other)
		}
	}
	return all
}

func compare(ctx context.Context, engine check.Engine, old, d *manifest.Document, others []*manifest.Document, objects *manifest.Input, o Options) (CRD, error) {
	c := newCRD(d.Name, position(old), position(d))
	if old.Text == d.Text {
		return c, nil
	}
	s := playground.Scenario{CRD: d.Text, OldCRD: old.Text, CRDOperation: o.Operation, CRDFieldManager: o.FieldManager, CRDForce: o.Force}
	if o.Operation != "" && !o.Stored && !hasOwners(old) {
		applied, err := engine.Evaluate(ctx, playground.Scenario{CRD: old.Text, CRDOperation: o.Operation, CRDFieldManager: o.FieldManager, CRDStored: true})
		if err != nil {
			return c, err
		}
		if applied.CRD.Accepted {
			if s.OldCRD, err = withoutStatus(applied.CRD.Stored); err != nil {
				return c, err
			}
		}
	}
	report, err := engine.Evaluate(ctx, s)
	if err != nil {
		return c, err
	}
	if !report.CRD.Accepted {
		c.Rejected = strings.TrimSpace(report.CRD.Output)
		c.Errors = findingsIn(d, report.CRD, func(f playground.Finding) bool { return f.Severity == playground.SeverityError })
	}
	c.Kept = findingsIn(d, report.CRD, func(f playground.Finding) bool { return f.Reason == playground.ReasonKept })
	if err := c.addConditions(ctx, engine, report.CRD, others, o); err != nil {
		return c, err
	}
	for _, change := range report.CRD.Changes {
		at := d.InFile(change.Range).Start
		c.Changes = append(c.Changes, Change{
			Path: d.File.Path, Line: at.Line + 1, Column: at.Character + 1,
			Version: change.Version, Field: change.Field, Kind: change.Kind, Class: change.Class, Breaks: change.Breaks,
			Before: change.Before, After: change.After, Because: change.Because, Witness: change.Witness,
		})
	}
	for _, object := range objects.Documents {
		if object.IsCRD || object.Kind != d.Described {
			continue
		}
		s.OldObject = object.Text
		report, err := engine.Evaluate(ctx, s)
		if err != nil {
			return c, err
		}
		c.addObjects(object, report.StoredObjects)
	}
	return c, nil
}

// findingsIn returns the findings that are wanted, with their places in the file of the CRD.
func findingsIn(d *manifest.Document, report playground.CRD, wanted func(playground.Finding) bool) []manifest.Finding {
	all := slices.DeleteFunc(slices.Clone(report.Findings), func(f playground.Finding) bool { return !wanted(f) })
	return check.FindingsOf(all, d)
}

// hasOwners reports whether a CRD has managedFields, which only a cluster writes.
func hasOwners(d *manifest.Document) bool {
	var crd struct {
		Metadata struct {
			ManagedFields []any `json:"managedFields"`
		} `json:"metadata"`
	}
	return yaml.Unmarshal([]byte(d.Text), &crd) == nil && len(crd.Metadata.ManagedFields) > 0
}

// withoutStatus returns a stored CRD without its status: the cluster may have stored other
// versions before.
func withoutStatus(stored json.RawMessage) (string, error) {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(stored, &fields); err != nil {
		return "", fmt.Errorf("decode the stored CRD: %w", err)
	}
	delete(fields, "status")
	encoded, err := json.Marshal(fields)
	return string(encoded), err
}

// addConditions adds the conditions of the accepted CRD that are not true. The names of other
// CRDs count if the names of this one change.
func (c *CRD) addConditions(ctx context.Context, engine check.Engine, report playground.CRD, others []*manifest.Document, o Options) error {
	conditions := slices.Clone(report.Conditions)
	renamed := slices.ContainsFunc(report.Changes, func(change playground.CRDChange) bool { return strings.HasPrefix(change.Field, "spec.names.") })
	if report.Accepted && renamed && o.Conditions != nil {
		all := []playground.CRD{}
		for _, other := range others {
			r, err := engine.Evaluate(ctx, playground.Scenario{CRD: other.Text})
			if err != nil {
				return err
			}
			if r.CRD.Accepted {
				all = append(all, r.CRD)
			}
		}
		accepted, err := o.Conditions(ctx, append(all, report))
		if err != nil {
			return err
		}
		conditions = append(conditions, accepted[len(accepted)-1])
	}
	for _, condition := range conditions {
		isRelevant := condition.Type == "NamesAccepted" || condition.Type == "Established"
		if isRelevant && condition.Status != "True" && !slices.Contains(c.Conditions, condition) {
			c.Conditions = append(c.Conditions, condition)
		}
	}
	return nil
}

// addObjects adds a stored object unless the new CRD leaves it as it is.
func (c *CRD) addObjects(d *manifest.Document, reports []playground.StoredObject) {
	for _, r := range reports {
		if r.Outcome == playground.OutcomePass {
			continue
		}
		o := Object{
			Object:  check.Object{Path: d.File.Path, Line: d.Line + 1, APIVersion: r.APIVersion, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name},
			Outcome: r.Outcome, Why: r.Why, Errors: []string{},
		}
		for _, f := range r.Findings {
			o.Errors = append(o.Errors, manifest.Plain(f).Explained())
		}
		c.Objects = append(c.Objects, o)
	}
}
