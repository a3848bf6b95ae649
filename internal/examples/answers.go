package examples

import (
	_ "embed" // For the answers.
	"encoding/json"
	"fmt"

	"github.com/crdlab/crdlab/internal/playground"
)

// An Exchange has the API server's responses to the requests of an example.
type Exchange struct {
	// Requests has the request for the CRD and, if it is accepted, those for the objects.
	Requests []Reply `json:"requests"`
	Findings []Mark  `json:"findings,omitempty"`
	// Rules has the rules of the CRD that compile, each once.
	Rules []RuleCost `json:"rules,omitempty"`
	// Table is the output of `kubectl get` for a CRD with columns of its own; empty if it depends
	// on the day.
	Table string `json:"table,omitempty"`
}

// A Reply is the answer to one request.
type Reply struct {
	Document playground.Document `json:"document"`
	Accepted bool                `json:"accepted"`
	// Output is the output of kubectl.
	Output string `json:"output"`
	// Effects has a sentence for each field that the API server changed, each failed condition of
	// the CRD, and each version that cannot be read.
	Effects []string `json:"effects,omitempty"`
}

// A RuleCost is a rule of the CRD, with its estimated cost and the oldest release of Kubernetes that accepts it.
type RuleCost struct {
	Rule       string `json:"rule"`
	Cost       uint64 `json:"cost"`
	CostLimit  uint64 `json:"costLimit"`
	Kubernetes string `json:"kubernetes"`
	// Needs is the function, operator or field that the release introduced; empty for the oldest one.
	Needs string `json:"needs,omitempty"`
}

// A Mark is the position of a finding, and the code of the page that explains it.
type Mark struct {
	Code     string              `json:"code"`
	Document playground.Document `json:"document"`
	Range    playground.Range    `json:"range"`
	Severity playground.Severity `json:"severity"`
}

//go:embed answers.json
var answersJSON []byte

// Exchanges reads the responses for all examples by ID. It is no variable, so that programs that do not
// call it do not contain the file.
func Exchanges() (map[string]Exchange, error) {
	var answers map[string]Exchange
	if err := json.Unmarshal(answersJSON, &answers); err != nil {
		return nil, fmt.Errorf("answers of the examples: %w", err)
	}
	return answers, nil
}
