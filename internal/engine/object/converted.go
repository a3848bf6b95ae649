package object

import (
	"fmt"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// maxConvertedErrors limits the findings about the validity of a converted object.
const maxConvertedErrors = 5

// reportConverted adds a warning for each error of the stored object under the schema of the
// storage version. The API server validates an object at the version of its request only, and
// stores its conversion.
func (r *Request) reportConverted() {
	storage := r.endpoint.CRD.Storage
	if r.endpoint.version == storage {
		return
	}
	read, err := ReadStored(r.ctx, r.endpoint.Target, r.rec.doc, r.stored.object, r.options.now)
	if err != nil {
		return // Stage read reports it.
	}
	effect := "each update at %s is refused until it corrects the value"
	if read.AcceptsTouch() {
		effect = "an update at %s that changes the value or what contains it is refused"
	}
	for i, f := range read.errors {
		if i == maxConvertedErrors {
			break
		}
		warning := playground.Finding{
			Severity: playground.SeverityWarning, Stage: playground.StageStore, Reason: playground.ReasonNote,
			Document: playground.DocumentObject, Fixes: []playground.Fix{},
			Message: fmt.Sprintf("stored at %s, whose schema it violates: %s", storage.Kind.Version, strings.TrimPrefix(f.Field+": "+f.Message, ": ")),
			Hint: fmt.Sprintf("The API server does not validate what the conversion makes of an object: "+effect+". Correct the conversion or the schema of %s.",
				storage.Kind.Version, storage.Kind.Version),
		}
		r.rec.addLazily(warning, func(warning playground.Finding) playground.Finding {
			at := read.request.rec.locate(f)
			warning.Range, warning.Related = at.Range, at.Related
			return warning
		})
	}
}
