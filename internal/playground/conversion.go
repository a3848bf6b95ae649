package playground

import "encoding/json"

// Conversion is what there is to say of the text that stands for a conversion
// webhook.
type Conversion struct {
	Findings []Finding `json:"findings"`
}

// ConversionReview is a request to a conversion webhook and its answer.
type ConversionReview struct {
	// Stage is the stage of the object's request that needed it.
	Stage string `json:"stage"`
	// From and To are apiVersions.
	From string `json:"from"`
	To   string `json:"to"`
	// Request and Response are ConversionReview objects; Response is null if
	// nothing answers.
	Request  json.RawMessage `json:"request"`
	Response json.RawMessage `json:"response"`
	// AnsweredBy says what answered: rules, response, webhook (the CRD's own) or nothing.
	AnsweredBy string `json:"answeredBy"`
	// Error is the API server's complaint about the answer, or empty.
	Error string `json:"error"`
}

// What may answer a [ConversionReview].
const (
	AnsweredByRules    = "rules"
	AnsweredByResponse = "response"
	AnsweredByWebhook  = "webhook"
	AnsweredByNothing  = "nothing"
)
