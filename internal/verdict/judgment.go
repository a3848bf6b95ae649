package verdict

import (
	"context"
	"fmt"

	"github.com/crdlab/crdlab/internal/playground"
)

// A Request is a scenario for the program of an older release.
type Request struct {
	Scenario playground.Scenario `json:"scenario"`
	// Calls lists the calls of the conversion webhook in the newest release, with
	// the responses that the program repeats.
	Calls []playground.ConversionReview `json:"calls,omitempty"`
	// Others has the requests for the other CRDs of a document that has several.
	Others map[int]Request `json:"others,omitempty"`
}

// Report returns a report with the calls only. It has the signature of an
// engine's Evaluate function.
func (r Request) Report(context.Context, playground.Scenario) (playground.Report, error) {
	return playground.Report{Objects: []playground.Object{{Conversions: r.Calls}}}, nil
}

// A Judgment is the verdict of one release, by its own libraries.
type Judgment struct {
	// Library is the release of the libraries, such as "1.31.14".
	Library string `json:"library"`
	// Verdict is nil if the release did not judge the scenario.
	Verdict *Verdict `json:"verdict,omitempty"`
	// Unjudged is the reason why there is no verdict.
	Unjudged string `json:"unjudged,omitempty"`
	// Others has the judgments on [Request.Others].
	Others map[int]Judgment `json:"others,omitempty"`
}

// DecodeJudgment decodes a judgment. Numbers in objects keep all digits.
func DecodeJudgment(encoded []byte) (judgment Judgment, err error) {
	if err := playground.DecodeJSON(encoded, &judgment); err != nil {
		return judgment, fmt.Errorf("decode the judgment: %w", err)
	}
	return judgment, nil
}
