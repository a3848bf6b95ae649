package playground

import "encoding/json"

// Conversion reports the problems of Scenario.Conversion itself.
type Conversion struct {
	Findings []Finding `json:"findings"`
}

// ConversionReview is a request to a conversion webhook, with its response.
type ConversionReview struct {
	// Stage is the stage of the object's request that needed the conversion.
	Stage StageName `json:"stage"`
	// From and To are apiVersions.
	From string `json:"from"`
	To   string `json:"to"`
	// Request and Response are ConversionReview objects. Response is null without
	// a response.
	Request  json.RawMessage `json:"request"`
	Response json.RawMessage `json:"response"`
	// AnsweredBy is the source of the response: rules, response, webhook (the
	// CRD's own) or nothing.
	AnsweredBy AnsweredBy `json:"answeredBy"`
	// Error is the API server's error about the response, or empty.
	Error string `json:"error"`
}

// AnsweredBy is the source of the response in a [ConversionReview].
type AnsweredBy = string

// Values of [AnsweredBy].
const (
	AnsweredByRules    AnsweredBy = "rules"
	AnsweredByResponse AnsweredBy = "response"
	AnsweredByWebhook  AnsweredBy = "webhook"
	AnsweredByNothing  AnsweredBy = "nothing"
)
