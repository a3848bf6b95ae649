package expect

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/yamltext"
)

// separator separates the documents of the file.
const separator = "\n---\n"

// exportedPath names the exported file in messages.
const exportedPath = "test.yaml"

// Export returns scenarios, each with one CRD and the objects of its kind, as one file with
// the present findings as expectations. The release and the field validation of the
// scenarios must be set; they are the same for all.
func Export(ctx context.Context, evaluate playground.Evaluate, scenarios []playground.Scenario) (*playground.ExportResult, error) {
	exported := &playground.ExportResult{Omitted: Omitted(scenarios[0]), Failures: []string{}}
	var drafts []string
	policies, _ := policiesIn(scenarios[0].Admission)
	for i, s := range scenarios {
		s.Admission, s.Conversion, s.OldCRD = strings.Join(policies, separator), "", ""
		if s.CRDOperation == playground.CRDOperationUpdate {
			s.CRDOperation = "" // without an old CRD, there is nothing to update
		}
		report, err := evaluate(ctx, s)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			s.Admission = "" // The first draft has the policies.
		}
		if text := Draft(s, report); text != "" {
			drafts = append(drafts, text)
		}
	}
	drafted, err := runText(ctx, evaluate, scenarios[0], strings.Join(drafts, separator)+"\n")
	if err != nil || len(drafted.Files) == 0 {
		return exported, err
	}
	exported.Text = drafted.Files[0].rewritten()
	final, err := runText(ctx, evaluate, scenarios[0], exported.Text)
	if err != nil {
		return nil, err
	}
	for _, f := range final.Files[0].Failures {
		exported.Failures = append(exported.Failures, fmt.Sprintf("line %d: %s", f.Line, f.Message))
	}
	return exported, nil
}

// runText runs a test file.
func runText(ctx context.Context, evaluate playground.Evaluate, s playground.Scenario, text string) (*Result, error) {
	in := manifest.NewInput()
	in.Add(exportedPath, text)
	return Run(ctx, in, options(evaluate, s))
}

// Omitted lists the parts of a scenario that a test file cannot express.
func Omitted(s playground.Scenario) []string {
	omitted := []string{}
	if _, others := policiesIn(s.Admission); len(others) > 0 {
		omitted = append(omitted, "webhooks")
	}
	if userFlags(s) == "" && s.User+s.Groups != "" {
		omitted = append(omitted, "the user")
	}
	if s.Conversion != "" {
		omitted = append(omitted, "the conversion webhook")
	}
	if s.OldCRD != "" {
		omitted = append(omitted, "the update of a CRD")
	}
	return omitted
}

// webhookKinds lists the kinds of the documents of admission without which a test is judged.
var webhookKinds = []string{"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration", "AdmissionReview"}

// policiesIn divides the documents of admission into the ones that a test may have, and the ones of webhooks.
func policiesIn(admission string) (policies, others []string) {
	for _, document := range withRequests("", admission) {
		parsed, _ := source.Parse(document, source.DefaultLimits)
		if len(parsed.Documents) == 0 || parsed.Documents[0].Empty() {
			continue
		}
		if kind, _ := parsed.Documents[0].Lookup("kind"); slices.Contains(webhookKinds, kind) {
			others = append(others, document)
		} else {
			policies = append(policies, document)
		}
	}
	return policies, others
}

// hasRequest matches a document with an operation of its own.
var hasRequest = regexp.MustCompile(`(?m)^\s*#\s*crdlab:`)

// Draft returns a scenario as a test file without the expected findings. If the CRD is
// rejected, the API server knows no objects of its kind.
func Draft(s playground.Scenario, report playground.Report) string {
	validate := ""
	if s.FieldValidation != "" && s.FieldValidation != playground.FieldValidationStrict {
		validate = " --validate=" + strings.ToLower(s.FieldValidation)
	}
	drafted := withRequests(crdRequestComment(s, validate), s.CRD)
	policies, _ := policiesIn(s.Admission)
	drafted = append(drafted, policies...)
	if !report.CRD.Accepted {
		return strings.Join(drafted, separator)
	}
	object := s.Object
	if !hasRequest.MatchString(object) {
		object = withStored(object, report.Objects)
		drafted = append(drafted, withRequests(storedOperation, s.OldObject)...)
	}
	drafted = append(drafted, withRequests(requestComment(s, validate), object)...)
	return strings.Join(drafted, separator)
}

// withRequests returns the documents of a stream, and adds a comment to each without an operation.
func withRequests(comment, text string) []string {
	var all []string
	for _, chunk := range yamltext.Split(text) {
		document := strings.Trim(text[chunk.Start:chunk.End], "\n")
		if comment != "" && !hasRequest.MatchString(document) {
			document = "# crdlab: " + comment + "\n" + document
		}
		all = append(all, document)
	}
	return all
}

// crdRequestComment returns the operation for the CRD of a scenario; "" creates it.
func crdRequestComment(s playground.Scenario, validate string) string {
	flags := ""
	if s.CRDFieldManager != "" && s.CRDFieldManager != playground.FieldManagers[s.CRDOperation] {
		flags += " --field-manager=" + s.CRDFieldManager
	}
	switch {
	case s.CRDOperation == playground.CRDOperationApply:
		return "apply" + flags + validate
	case s.CRDOperation == playground.CRDOperationClientApply:
		return "apply --server-side=false" + flags + validate
	case validate != "":
		return "create" + validate
	}
	return ""
}

// requestComment returns the operation of a scenario with its flags; "" creates an object.
func requestComment(s playground.Scenario, validate string) string {
	flags := ""
	if s.FieldManager != "" && s.FieldManager != playground.FieldManagers[s.Operation] && s.Operation != playground.OperationDelete {
		flags += " --field-manager=" + s.FieldManager
	}
	if s.Force && playground.IsApply(s.Operation) {
		flags += " --force-conflicts"
	}
	if s.Operation == playground.OperationScale {
		flags += fmt.Sprintf(" --replicas=%d", s.Replicas)
	}
	flags += userFlags(s) + validate
	switch s.Operation {
	case playground.OperationUpdateStatus:
		return "status" + flags
	case playground.OperationApplyStatus:
		return "apply --subresource=status" + flags
	case playground.OperationApply, playground.OperationScale, playground.OperationDelete:
		return s.Operation + flags
	}
	switch {
	case s.Operation == playground.OperationUpdate, s.OldObject != "" && s.Operation != playground.OperationCreate:
		return "update" + flags
	case flags != "":
		return "create" + flags
	}
	return ""
}

// userFlags returns the flags for the user of a scenario; empty if a comment cannot express them.
func userFlags(s playground.Scenario) string {
	if s.User == "" || strings.ContainsAny(s.User+s.Groups, " \t") {
		return ""
	}
	var flags strings.Builder
	flags.WriteString(" --as=" + s.User)
	for group := range strings.SplitSeq(s.Groups, ",") {
		if group != "" {
			flags.WriteString(" --as-group=" + group)
		}
	}
	return flags.String()
}

// withStored adds the fields of an accepted object that the API server stores differently.
func withStored(object string, objects []playground.Object) string {
	if len(objects) != 1 || !objects[0].Accepted || objects[0].Deleted {
		return object
	}
	var given, stored map[string]any
	if yaml.Unmarshal([]byte(object), &given) != nil || json.Unmarshal(objects[0].Stored, &stored) != nil {
		return object
	}
	lines := strings.Split(object, "\n")
	for i, line := range lines {
		key, ok := strings.CutSuffix(line, ":")
		if !ok || strings.HasPrefix(key, " ") || key == "metadata" || reflect.DeepEqual(given[key], stored[key]) {
			continue
		}
		value := absent
		if field, found := stored[key]; found {
			value = encoded(field)
		}
		lines[i] += " # stored: " + value
	}
	return strings.Join(lines, "\n")
}
