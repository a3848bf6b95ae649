package quickfix

import (
	"cmp"
	"iter"
	"slices"

	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// The codes of errors that the table does not list.
const (
	codeSyntax = "yaml-syntax"
	codeType   = "undecodable-value"
)

// fixFunc computes the fixes of a problem; it returns nil without a fix.
type fixFunc func(*problem) []playground.Fix

// keepsMeaning returns a function whose fixes are safe, see [playground.Fix].
func keepsMeaning(compute fixFunc) fixFunc {
	return func(p *problem) []playground.Fix {
		fixes := compute(p)
		for i := range fixes {
			fixes[i].Safe = fixes[i].Effect != playground.FixWidens
		}
		return fixes
	}
}

// widens returns fixes of the CRD or of admission after which more objects are accepted.
func widens(fixes []playground.Fix) []playground.Fix {
	for i := range fixes {
		fixes[i].Effect = playground.FixWidens
	}
	return fixes
}

// A suggestion is a hint, and a function for fixes, for one kind of error.
type suggestion struct {
	// code is the [playground.Finding.Code] of the error.
	code    string
	field   *errorPattern // nil matches any field
	message *errorPattern // nil matches any message
	// hint is empty if a later row has a hint, or if the message suffices.
	hint string
	// fixes is nil if the error has no fix that can be computed.
	fixes fixFunc
}

// applyTable returns the finding with the first matching hint and the fixes of
// the first matching row that has any.
func (p *problem) applyTable() playground.Finding {
	f := p.Finding
	for s := range suggestionsFor(f.Document, f.Stage) {
		if !s.field.matches(f.Field) {
			continue
		}
		if p.match = s.message.find(f.Message); p.match == nil {
			continue
		}
		f.Code = cmp.Or(f.Code, s.code)
		if f.Hint == "" {
			f.Hint = s.hint
		}
		if s.fixes != nil && len(f.Fixes) == 0 && p.doc != nil {
			p.Hint = f.Hint // a fix may explain more than its row
			f.Fixes = append(f.Fixes, p.computeFixes(s.fixes)...)
			f.Hint = p.Hint
		}
		if f.Code != "" && f.Hint != "" && len(f.Fixes) > 0 {
			break
		}
	}
	return f
}

// suggestionsFor yields the rows for the errors of a stage in a document, in the order in
// which they apply.
func suggestionsFor(document playground.Document, stage playground.StageName) iter.Seq[suggestion] {
	return func(yield func(suggestion) bool) {
		for _, table := range tablesFor(document, stage) {
			for _, row := range table {
				if !yield(row) {
					return
				}
			}
		}
	}
}

func tablesFor(document playground.Document, stage playground.StageName) [][]suggestion {
	switch document {
	case playground.DocumentCRD:
		return [][]suggestion{crdDecodeErrors, decodeErrors, celHabits, ruleErrors, schemaErrors, schemaWarnings, crdErrors, valueErrors, otherCRDErrors, otherValueErrors}
	case playground.DocumentObject:
		if stage == playground.StageRules {
			return [][]suggestion{ruleFailures, objectErrors, valueErrors}
		}
		return [][]suggestion{objectDecodeErrors, decodeErrors, objectErrors, valueErrors, otherObjectErrors, otherValueErrors}
	case playground.DocumentAdmission:
		return [][]suggestion{celHabits, policyErrors, decodeErrors, valueErrors}
	case playground.DocumentOldCRD:
		return [][]suggestion{crdDecodeErrors, decodeErrors, undecodedErrors}
	case playground.DocumentOldObject:
		return append(tablesFor(playground.DocumentObject, stage), undecodedErrors)
	case playground.DocumentConversion:
		return [][]suggestion{celHabits, conversionErrors, undecodedErrors}
	}
	return nil
}

// computeFixes calls compute, and returns no fixes if it panics: upstream may
// have rejected the document for a reason that compute does not expect.
func (p *problem) computeFixes(compute fixFunc) []playground.Fix {
	var fixes []playground.Fix
	_ = upstream.Guard(p.Stage, func() error {
		fixes = compute(p)
		return nil
	})
	slices.SortStableFunc(fixes, func(a, b playground.Fix) int { return rankOf(a) - rankOf(b) })
	return fixes[:min(len(fixes), maxFixes)]
}

// rankOf orders fixes: those that accept more objects follow the others, and are never safe.
func rankOf(f playground.Fix) int {
	if f.Effect == playground.FixWidens {
		return 1
	}
	return 0
}

// decodeErrors lists errors of decoding any document.
var decodeErrors = []suggestion{
	{"duplicate-key", nil, pattern(`already set in map|^duplicate field`),
		"Duplicate key. kubectl keeps the last value silently; strict field validation rejects the document.", removeDuplicateKey},
}

// undecodedErrors lists errors of the documents without fixes.
var undecodedErrors = []suggestion{
	{codeSyntax, nil, pattern(`^(?:error converting YAML to JSON: )?yaml: `), "The document is not valid YAML at this position.", nil},
	{codeType, nil, typeError, "", nil},
	{playground.CodeNoMatches, nil, pattern(`^not an object of the CRD: `), "The existing objects are objects of the CRD. Correct apiVersion and kind, or remove the document.", nil},
}

// conversionErrors lists errors of the document that stands for the conversion webhook.
var conversionErrors = []suggestion{
	{"cel-syntax", nil, pattern(`Syntax error`), "Invalid CEL syntax at the marked position.", nil},
	{"cel-undeclared-reference", nil, pattern(`undeclared reference to '[^']+'`), "Unknown identifier. In the expressions of a conversion, self is the value of the field.", nil},
	{"conversion-failed", nil, pattern(`^the rule fails for the object `), "The rule must handle every object that the schema of its version accepts. Check the value first, for example with size() or a condition.", nil},
	{"conversion-document", nil, pattern(`^kind "[^"]*" does not describe a conversion webhook`), "The document stands for the conversion webhook: it has rules (kind: APIConversion), or responses (kind: ConversionReview).", nil},
	{"unknown-field", nil, pattern(`json: unknown field "`), "The description of a conversion has no such field. Correct the name, or remove the field.", nil},
	{"conversion-webhook-unused", nil, pattern(`^not used: the CRD's conversion strategy is not Webhook$`), "Set spec.conversion.strategy: Webhook in the CRD, or remove this document.", nil},
}

// valueErrors lists errors of values, in objects and CRDs.
var valueErrors = []suggestion{
	{"out-of-range", nil, pattern(`Checked value must be of type \w+ with format \w+ in .`),
		"The number is outside the range of the format. With minimum and maximum in the schema, the error names the field and the bound.", nil},
	{"out-of-range", nil, pattern(`(?:M(?:in|ax)imum boundary|MultipleOf) value must be of type \w+ (?:with format \w+|\(default format\)) in `),
		"The bound in the CRD is outside the range of its format. Correct the bound or the format there.", nil},
	{"required-value", nil, pattern(`^Required value`), "", supplyValue},
	{"unsupported-value", nil, pattern(`^Unsupported value: .*?: supported values: (.+)$`), "", chooseEnumValue},
	{"wrong-type", nil, pattern(`^Invalid value: "null": .* must be of type (\w+): "null"$`), "", replaceAppliedNull},
	{"wrong-type", nil, pattern(`must be of type (?:array|boolean|integer|null|number|object|string)\b`), "", nil},
	{"wrong-format", nil, pattern(`must be of type ([\w-]+): "`), "", explainFormat},
	{"wrong-type", nil, pattern(`must be of type (?:integer,)?(\w+): "(\w+)"`), "", keepsMeaning(convertType)},
	{"out-of-range", nil, pattern(`should be (less|greater) than( or equal to)? (-?[\d.e+]+)$`), "", setToBound},
	{"too-long", pattern(`^metadata\.annotations$`), pattern(`^Too long`),
		"This is the limit of all annotations together. kubectl apply adds one that holds the whole document; use kubectl apply --server-side, or kubectl create and kubectl replace.", nil},
	{"too-long", nil, pattern(`^Too long: may not be more than (\d+) (?:bytes?|characters?)`), "", shortenString},
	{"too-many-items", nil, pattern(`^Too many: \d+: must have at most (\d+) items?`), "", removeExcessItems},
	{"duplicate-item", pattern(`\]$`), pattern(`^Duplicate value`),
		"The items of this list must be unique; see x-kubernetes-list-type in the schema.", removeDuplicates},
}

// otherValueErrors lists further errors of both that have a code only.
var otherValueErrors = []suggestion{
	{"invalid-label", nil, pattern(`a valid label|^Invalid value: "[^"]*": (?:name|prefix) part `), "", nil},
	{"object-modified", nil, pattern(`the object has been modified; please apply your changes to the latest version`),
		"metadata.resourceVersion in the document does not match the stored object. Base the change on a fresh read. Manifests for kubectl apply should not contain it.", nil},
	{"resource-version-on-create", nil, pattern(`^resourceVersion should not be set on objects to be created$`), "", nil},
	{"uid-mismatch", nil, pattern(`uid mismatch: the provided object specified uid|: StorageError: invalid object, .* Precondition failed: UID in precondition`),
		"The API server sets metadata.uid, and a request with a uid is for the object with this uid only. Remove it.", removePath("metadata", "uid")},
	{"resource-version-invalid", nil, pattern(`^strconv\.ParseUint: parsing `),
		"metadata.resourceVersion is not a number. Copy the one of the existing object.", nil},
	{"resource-version-required", pattern(`^metadata\.resourceVersion$`), pattern(`must be specified for an update$`),
		"Set metadata.resourceVersion to that of a fresh read. kubectl replace does so if the document has none, and other clients do not.", nil},
	{"field-manager", pattern(`^fieldManager$`), nil,
		"A field manager's name has at most 128 bytes and only printable characters. Set it with --field-manager.", nil},
	{"managed-fields", nil, pattern(`^metadata\.managedFields must be nil`), "The API server sets managedFields; remove it.", keepsMeaning(removePath("metadata", "managedFields"))},
}
