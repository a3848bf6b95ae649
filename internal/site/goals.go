package site

import (
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/examples"
)

// A goal is a part of the catalogue.
type goal struct {
	title    string
	examples []examples.Example
}

// id returns the id of the goal's heading.
func (g goal) id() string { return strings.ReplaceAll(strings.ToLower(g.title), " ", "-") }

// goalTable lists the goals in order. An example belongs to the goal that has its id, or else to the
// goal of its group in the gallery.
var goalTable = []struct{ title, group, ids string }{
	{"First CRD", "", "create crontab-valid crontab-stored several-objects categories published-openapi"},
	{"Validation", "Describe, default and prune fields", ""},
	{"Defaults and pruning", "", "crontab-defaulting at-defaulting defaulting-on-read defaulting-invalid nullable crontab-pruning " +
		"at-pruning preserve-unknown-fields preserve-json preserve-object nightly-job-kept nightly-job-pruned"},
	{"Structural schemas", "Write structural schemas", ""},
	{"Go types", "Generate CRDs from Go types", ""},
	{"Common fields", "Describe common kinds of fields", ""},
	{"CEL rules", "Write CEL rules", ""},
	{"CEL messages", "", "rule-without-message message-expression message-expression-fallbacks message-expression-type"},
	{"CEL compile errors", "", "compile-no-overload compile-no-field compile-invalid-argument cost-bracket rule-metadata rule-unknown-data"},
	{"CEL types and libraries", "", "rule-libraries cel-types rule-dates rule-prefix rule-int-or-string set-and-map-equality set-and-map-concatenation escaped-names"},
	{"CEL by library", "Use the CEL libraries", ""},
	{"CEL lists and maps", "Adapt rules from the documentation", ""},
	{"CEL cost", "Keep rules within the cost limit", ""},
	{"Transition rules", "Restrict updates", ""},
	{"Status and subresources", "Update the status and apply objects", "scale-subresource scale-replicas scale-missing-values scale-paths"},
	{"Printer columns and selectors", "Add columns, field selectors and scaling", ""},
	{"Server-side apply", "", "apply-conflict apply-merge"},
	{"Finalizers", "Delete objects with finalizers", ""},
	{"Versions", "Add and remove versions", ""},
	{"Conversion", "Convert between versions", ""},
	{"Upgrades", "", "crd-changes migrate-1-add-version migrate-2-switch-storage migrate-3-rewrite-objects migrate-4-remove-too-early " +
		"migrate-5-remove-version upgrade-v1beta1 preserve-unknown-fields-v1beta1 ratcheting"},
	{"Admission", "Use admission policies and webhooks", ""},
}

// A pattern is a frequent requirement, and the id of the example that meets it.
type pattern struct{ title, id string }

var patterns = []pattern{
	{"Immutable field", "transition-immutable"},
	{"Field that is written once", "transition-once-assigned"},
	{"Field that only creates may set", "optional-old-self"},
	{"List that only grows", "transition-append-only"},
	{"Number that never decreases", "transition-counter"},
	{"Allowed next states", "transition-from-a-value"},
	{"One of several fields", "union-fields"},
	{"One of two lists", "rule-one-of-two-lists"},
	{"Required keys", "rule-map-has-key"},
	{"Fields that are required together", "rule-keyed-by-names"},
	{"Union of types", "int-or-string"},
	{"Number or percentage", "percent-or-number"},
	{"Duration with a maximum", "durations"},
	{"Reference to a Secret", "references"},
	{"Status conditions", "conditions"},
	{"Image with a tag", "library-strings"},
	{"Network and its gateway", "library-cidr"},
	{"Request that does not exceed a limit", "library-quantity"},
	{"Oldest supported version", "library-semver"},
	{"URLs with https", "library-url"},
	{"Shares that add up to 100", "library-lists"},
	{"Dates and durations", "rule-dates"},
	{"Ordered numbers", "rule-ordered-fields"},
	{"Names that two lists do not share", "rule-disjoint-sets"},
	{"Reference to an item of a list", "rule-exactly-one"},
}

// catalogue returns the goals with their examples.
func catalogue() []goal {
	goals := make([]goal, len(goalTable))
	home := map[string]int{}
	for i, entry := range goalTable {
		goals[i].title = entry.title
		home[entry.group] = i
		for id := range strings.FieldsSeq(entry.ids) {
			home[id] = i
		}
	}
	for _, e := range examples.All() {
		i, listed := home[e.ID]
		if !listed {
			i = home[e.Group]
		}
		goals[i].examples = append(goals[i].examples, e)
	}
	for i, entry := range goalTable {
		ids := strings.Fields(entry.ids)
		slices.SortStableFunc(goals[i].examples, func(a, b examples.Example) int { return slices.Index(ids, a.ID) - slices.Index(ids, b.ID) })
	}
	return goals
}
