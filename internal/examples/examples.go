// Package examples contains the gallery of example scenarios, one file each.
package examples

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"golang.org/x/tools/txtar"

	"github.com/crdlab/crdlab/internal/playground"
)

// Example is a scenario with an explanation.
type Example struct {
	// ID is the name of the example's file. Links refer to it.
	ID    string `json:"id"`
	Title string `json:"title"`
	// Group is the learning goal under which the gallery lists the example.
	Group string `json:"group"`
	// Note points out the essential result in one or two sentences.
	Note string `json:"note"`
	// Messages has the API server's messages, one in each line, and Keywords other names of the subject.
	// The search finds them.
	Messages string              `json:"messages,omitempty"`
	Keywords string              `json:"keywords,omitempty"`
	Scenario playground.Scenario `json:"scenario"`
}

//go:embed *.txtar
var files embed.FS

//go:embed messages.json
var messagesJSON []byte

// keywords lists words for which users search, where the example uses another term.
var keywords = map[string]string{
	"non-structural":                  "NonStructuralSchema",
	"non-structural-properties":       "NonStructuralSchema",
	"non-structural-items":            "NonStructuralSchema",
	"nightly-job-not-structural":      "NonStructuralSchema",
	"selectable-fields":               "field selector",
	"preserve-unknown-fields-v1beta1": "legacy deprecated",
	"upgrade-v1beta1":                 "legacy deprecated migrate",
	"version-deprecation":             "legacy deprecated",
	"transition-immutable":            "immutable read-only",
	"transition-once-assigned":        "immutable write-once",
	"printer-columns":                 "printer columns",
	"printer-column-types":            "printer columns",
	"printer-column-invalid":          "printer columns",
	"int-or-string":                   "union oneOf",
	"rule-exactly-one":                "union oneOf",
	"union-fields":                    "union oneOf exactly one of mutually exclusive discriminated either",
	"union-go":                        "union oneOf ExactlyOneOf AtMostOneOf mutually exclusive",
	"durations":                       "metav1.Duration time interval timeout seconds period",
	"quantities":                      "resource.Quantity memory cpu requests limits compare",
	"percent-or-number":               "IntOrString percent percentage intstr maxSurge",
	"references":                      "secretRef configMapRef LocalObjectReference secret reference name",
	"conditions":                      "metav1.Condition ready listMapKey status conditions",
	"status-update":                   "subresource",
	"apply-conflict":                  "server-side apply field manager",
	"apply-merge":                     "server-side apply field manager",
	"scale-replicas":                  "autoscaler HPA",
	"list-map-go":                     "list map listMapKey x-kubernetes-list-type",
	"transition-list-map":             "list map x-kubernetes-list-type",
	"format-names":                    "validate validation DNS name hostname label subdomain RFC 1123",
	"cost-refused":                    "CEL cost exceeds budget limit estimated expression too expensive",
	"status-subresource":              "status subresource",
	"required-enum":                   "required field mandatory enumeration allowed values",
	"crontab-defaulting":              "default value",
}

// synonyms lists words for which users search, for each phrase in the title, the note or the messages of an example.
var synonyms = []struct{ text, words string }{
	{"immutable", "immutability readonly"},
	{"write-once", "immutable"},
	{"transition rule", "oldSelf update immutable"},
	{"rule cost", "expensive complexity budget slow"},
	{"expensive", "cost budget"},
	{"conflict with", "apply failed"},
	{"exactly one", "one of oneOf union exclusive either"},
	{"oneof", "one of union exclusive"},
	{"ordered fields", "compare minimum maximum"},
	{"required map key", "required together dependent"},
	{"map keys match", "required together dependent"},
	{"server-side apply", "ssa apply"},
	{"prune", "drop remove unknown fields disappear lost pruning"},
	{"default", "defaulting omitted"},
	{"ratcheting", "unchanged invalid stored tolerate"},
	{"conversion", "convert converts converted"},
	{"version", "versioning upgrade"},
	{"stored as", "migration migrate storage"},
	{"deprecat", "deprecated deprecation"},
	{"finalizer", "delete stuck terminating deletion"},
	{"kubectl scale", "autoscaling"},
	{"scale subresource", "autoscaling hpa"},
	{"columns", "printer additionalPrinterColumns"},
	{"append-only", "append only grow"},
	{"cannot decrease", "monotonic increase"},
	{"nullable", "null"},
	{"validatingadmissionpolicy", "vap"},
	{"compilation failed", "parse Rule Message MessageExpression Reason null FieldPath OptionalOldSelf"}, // The message quotes the rule.
}

type group struct {
	title string
	ids   []string
}

// groups lists the gallery in order. Its first example is the default.
var groups = []group{
	{"Describe, default and prune fields", []string{
		"crontab-stored",
		"crontab-validation",
		"crontab-valid",
		"required-enum",
		"create",
		"crontab-defaulting",
		"crontab-pruning",
		"at-pruning",
		"nullable",
		"at-defaulting",
		"defaulting-on-read",
		"defaulting-invalid",
		"int-or-string",
		"int-or-string-patterns",
		"int-or-string-other-pattern",
		"int-or-string-typed",
		"preserve-unknown-fields",
		"preserve-json",
		"preserve-object",
		"embedded-resource",
		"published-openapi",
		"format-names",
		"schema-forbidden-fields",
		"several-objects",
	}},
	{"Write structural schemas", []string{
		"non-structural",
		"structural-any-of",
		"non-structural-properties",
		"non-structural-items",
		"nightly-job-kept",
		"nightly-job-pruned",
		"nightly-job-validation",
		"nightly-job-not-structural",
	}},
	{"Write CEL rules", []string{
		"crontab-rules",
		"trace",
		"rule-without-message",
		"message-expression",
		"message-expression-fallbacks",
		"message-expression-type",
		"compile-no-overload",
		"compile-no-field",
		"compile-invalid-argument",
		"scope-root",
		"scope-has",
		"scope-map",
		"scope-array",
		"scope-scalar",
		"scope-examples",
		"rule-metadata",
		"rule-unknown-data",
		"escaped-names",
		"set-and-map-equality",
		"set-and-map-concatenation",
		"cel-types",
		"rule-libraries",
	}},
	{"Describe common kinds of fields", []string{
		"union-fields",
		"durations",
		"quantities",
		"percent-or-number",
		"references",
		"conditions",
	}},
	{"Use the CEL libraries", []string{
		"library-strings",
		"library-regex",
		"library-lists",
		"library-list-functions",
		"library-sets",
		"library-optional",
		"library-two-variables",
		"library-url",
		"library-ip",
		"library-cidr",
		"library-quantity",
		"library-semver",
		"library-format",
	}},
	{"Adapt rules from the documentation", []string{
		"rule-ordered-fields",
		"rule-map-has-key",
		"rule-one-of-two-lists",
		"rule-map-value",
		"rule-filter",
		"rule-filter-all",
		"rule-dates",
		"rule-prefix",
		"rule-exists",
		"rule-int-or-string",
		"rule-name-prefix",
		"rule-disjoint-sets",
		"rule-keyed-by-names",
		"rule-exactly-one",
	}},
	{"Keep rules within the cost limit", []string{
		"cost-refused",
		"cost-accepted",
		"cost-items",
		"cost-bracket",
		"cost-list",
		"cost-nested-list",
		"cost-all-rules",
	}},
	{"Restrict updates", []string{
		"transition-rule",
		"transition-set-and-unset",
		"transition-uncorrelatable",
		"transition-list-map",
		"transition-immutable",
		"transition-once-assigned",
		"transition-append-only",
		"transition-append-only-documented",
		"transition-from-a-value",
		"transition-counter",
		"optional-old-self",
		"ratcheting",
	}},
	{"Update the status and apply objects", []string{
		"status-subresource",
		"status-update",
		"status-validates-status",
		"status-root-constructs",
		"generation",
		"apply-conflict",
		"apply-merge",
	}},
	{"Delete objects with finalizers", []string{
		"finalizer",
		"finalizer-delete",
		"finalizer-delete-again",
		"finalizer-last",
		"finalizer-new",
	}},
	{"Add columns, field selectors and scaling", []string{
		"printer-columns",
		"printer-column-types",
		"printer-column-invalid",
		"scale-subresource",
		"scale-replicas",
		"scale-missing-values",
		"scale-paths",
		"selectable-fields",
		"categories",
	}},
	{"Add and remove versions", []string{
		"versions",
		"multiple-versions",
		"multiple-versions-v1beta1",
		"version-priority",
		"version-deprecation",
		"version-removal",
		"no-served-version",
		"two-storage-versions",
		"version-not-in-versions",
		"upgrade-v1beta1",
		"preserve-unknown-fields-v1beta1",
		"crd-changes",
		"migrate-1-add-version",
		"migrate-2-switch-storage",
		"migrate-3-rewrite-objects",
		"migrate-4-remove-too-early",
		"migrate-5-remove-version",
	}},
	{"Convert between versions", []string{
		"conversion-pizza",
		"conversion-pizza-back",
		"pizza-without-conversion",
		"conversion-host-port",
		"conversion-none",
		"conversion-response",
		"conversion-renames",
		"conversion-missing-object",
		"conversion-failed-message",
		"conversion-failed",
		"conversion-url",
		"conversion-url-refused",
		"conversion-service-port",
		"conversion-service",
		"conversion-ca-bundle",
		"conversion-review-versions",
		"conversion-review-versions-none",
		"conversion-v1beta1",
	}},
	{"Use admission policies and webhooks", []string{
		"admission-topping-default",
		"pizza-default-and-convert",
		"admission-unknown-topping",
		"admission-policy",
		"admission-mutating-policy",
		"admission-user",
	}},
	{"Generate CRDs from Go types", []string{
		"crontab-go",
		"guestbook-go",
		"versions-go",
		"cost-go",
		"list-map-go",
		"union-go",
		"embedded-metadata-go",
	}},
}

// All returns the gallery in order.
var All = sync.OnceValue(func() []Example {
	var all []Example
	var messages map[string][]string
	if err := json.Unmarshal(messagesJSON, &messages); err != nil {
		panic(err) // The file is part of the program.
	}
	for _, group := range groups {
		for _, id := range group.ids {
			example, err := read(files, id)
			if err != nil {
				panic(err) // The files are part of the program.
			}
			example.Group = group.title
			example.Messages = strings.Join(messages[id], "\n")
			example.Keywords = keywordsOf(example)
			all = append(all, example)
		}
	}
	return all
})

// keywordsOf returns the words that the search finds in addition to the example's own.
func keywordsOf(example Example) string {
	var words []string
	if known := keywords[example.ID]; known != "" {
		words = append(words, known)
	}
	text := strings.ToLower(example.Title + "\n" + example.Note + "\n" + example.Messages)
	for _, synonym := range synonyms {
		if strings.Contains(text, synonym.text) {
			words = append(words, synonym.words)
		}
	}
	return strings.Join(words, " ")
}

// Default returns the example that the page shows initially.
func Default() Example { return All()[0] }

// JSON returns the gallery as JSON, for the page's script.
var JSON = sync.OnceValues(func() ([]byte, error) {
	return json.Marshal(All())
})

// read reads an example. The first line of the archive's comment is the title,
// the remaining lines are the note. The files have the format of the engine's
// cases: one file for each document, and scenario.json with the other
// parameters.
func read(dir fs.FS, id string) (Example, error) {
	text, err := fs.ReadFile(dir, id+".txtar")
	if err != nil {
		return Example{}, fmt.Errorf("example: %w", err)
	}
	archive := txtar.Parse(text)
	title, note, _ := strings.Cut(strings.TrimSpace(string(archive.Comment)), "\n")
	example := Example{ID: id, Title: title, Note: strings.Join(strings.Fields(note), " ")}
	if example.Scenario, err = Scenario(archive.Files); err != nil {
		return Example{}, fmt.Errorf("example %s: %w", id, err)
	}
	return example, nil
}

// Scenario returns the scenario in the files of an example.
func Scenario(files []txtar.File) (playground.Scenario, error) {
	var scenario playground.Scenario
	for _, file := range files {
		if err := Set(&scenario, file); err != nil {
			return scenario, fmt.Errorf("%s: %w", file.Name, err)
		}
	}
	return scenario, nil
}

// Documents has the document in each file of an example.
var Documents = map[string]playground.Document{
	"crd.yaml":        playground.DocumentCRD,
	"types.go":        playground.DocumentGo,
	"old-crd.yaml":    playground.DocumentOldCRD,
	"object.yaml":     playground.DocumentObject,
	"old-object.yaml": playground.DocumentOldObject,
	"conversion.yaml": playground.DocumentConversion,
	"admission.yaml":  playground.DocumentAdmission,
}

// Set sets the part that a file of an example describes: a document, or the other parameters.
func Set(scenario *playground.Scenario, file txtar.File) error {
	text := scenario.Text(Documents[file.Name])
	switch {
	case text != nil:
		*text = string(file.Data)
	case file.Name == "scenario.json":
		return json.Unmarshal(file.Data, scenario)
	default:
		return fmt.Errorf("not a file of an example")
	}
	return nil
}
