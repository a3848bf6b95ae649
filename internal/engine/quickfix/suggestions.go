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
		return [][]suggestion{celHabits, conversionErrors, decodeErrors, undecodedErrors}
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

// rankOf orders fixes: fixes that accept more objects follow the others, and are never safe.
func rankOf(f playground.Fix) int {
	if f.Effect == playground.FixWidens {
		return 1
	}
	return 0
}

// decodeErrors lists errors of decoding any document.
var decodeErrors = []suggestion{
	{code: "duplicate-key", message: pattern(`already set in map|^duplicate field`),
		hint: "Duplicate key. kubectl keeps the last value silently; strict field validation rejects the document.", fixes: removeDuplicateKey},
}

// undecodedErrors lists errors of the documents without fixes.
var undecodedErrors = []suggestion{
	{code: codeSyntax, message: pattern(`^(?:error converting YAML to JSON: )?yaml: `), hint: "The document is not valid YAML at this position."},
	{code: codeType, message: typeError},
	{code: playground.CodeNoMatches, message: pattern(`^not an object of the CRD: `), hint: "The existing objects are objects of the CRD. Correct apiVersion and kind, or remove the document."},
}

// valueErrors lists errors of values, in objects and CRDs.
var valueErrors = []suggestion{
	{code: "out-of-range", message: pattern(`Checked value must be of type \w+ with format \w+ in .`),
		hint: "The number is outside the range of the format. With minimum and maximum in the schema, the error names the field and the bound."},
	{code: "out-of-range", message: pattern(`(?:M(?:in|ax)imum boundary|MultipleOf) value must be of type \w+ (?:with format \w+|\(default format\)) in `),
		hint: "The bound in the CRD is outside the range of its format. Correct the bound or the format there."},
	{code: "required-value", message: pattern(`^Required value`), fixes: supplyValue},
	{code: "unsupported-value", message: pattern(`^Unsupported value: .*?: supported values: (.+)$`), fixes: chooseEnumValue},
	{code: "wrong-type", message: pattern(`^Invalid value: "null": .* must be of type (\w+): "null"$`), fixes: replaceAppliedNull},
	{code: "wrong-type", message: pattern(`must be of type (?:array|boolean|integer|null|number|object|string)\b`)},
	{code: "wrong-format", message: pattern(`must be of type ([\w-]+): "`), fixes: explainFormat},
	{code: "wrong-type", message: pattern(`must be of type (?:integer,)?(\w+): "(\w+)"`), fixes: keepsMeaning(convertType)},
	{code: "out-of-range", message: pattern(`should be (less|greater) than( or equal to)? (-?[\d.e+]+)$`), fixes: setToBound},
	{code: "too-long", field: pattern(`^metadata\.annotations$`), message: pattern(`^Too long`),
		hint: "This is the limit of all annotations together. kubectl apply adds one that holds the whole document; use kubectl apply --server-side, or kubectl create and kubectl replace."},
	{code: "too-long", message: pattern(`^Too long: may not be more than (\d+) (?:bytes?|characters?)`), fixes: shortenString},
	{code: "too-many-items", message: pattern(`^Too many: \d+: must have at most (\d+) items?`), fixes: removeExcessItems},
	{code: "duplicate-item", field: pattern(`\]$`), message: pattern(`^Duplicate value`),
		hint: "The items of this list must be unique; see x-kubernetes-list-type in the schema.", fixes: removeDuplicates},
}

// otherValueErrors lists further errors of both that have a code only.
var otherValueErrors = []suggestion{
	{code: "invalid-label", message: pattern(`a valid label|^Invalid value: "[^"]*": (?:name|prefix) part `)},
	{code: "object-modified", message: pattern(`the object has been modified; please apply your changes to the latest version`),
		hint: "metadata.resourceVersion in the document does not match the stored object. Base the change on a fresh read. Manifests for kubectl apply should not contain it."},
	{code: "resource-version-on-create", message: pattern(`^resourceVersion should not be set on objects to be created$`)},
	{code: "uid-mismatch", message: pattern(`uid mismatch: the provided object specified uid|: StorageError: invalid object, .* Precondition failed: UID in precondition`),
		hint: "The API server sets metadata.uid, and a request with a uid is for the object with this uid only. Remove it.", fixes: removePath("metadata", "uid")},
	{code: "resource-version-invalid", message: pattern(`^strconv\.ParseUint: parsing `),
		hint: "metadata.resourceVersion is not a number. Copy the one of the existing object."},
	{code: "resource-version-required", field: pattern(`^metadata\.resourceVersion$`), message: pattern(`must be specified for an update$`),
		hint: "Set metadata.resourceVersion to that of a fresh read. kubectl replace does so if the document has none, and other clients do not."},
	{code: "field-manager", field: pattern(`^fieldManager$`),
		hint: "A field manager's name has at most 128 bytes and only printable characters. Set it with --field-manager."},
	{code: "managed-fields", message: pattern(`^metadata\.managedFields must be nil`), hint: "The API server sets managedFields; remove it.", fixes: keepsMeaning(removePath("metadata", "managedFields"))},
}
