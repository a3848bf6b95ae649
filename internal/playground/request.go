package playground

// Request requests a complete HTTP body from an engine. The server passes on the body
// without decoding it.
type Request struct {
	Task Task
	// Body is JSON of the task's type.
	Body []byte
	// Stopped requests the description of the end of an earlier evaluation, instead of
	// another evaluation. It is nil for assist requests.
	Stopped *Stopped
	// Client identifies the sender. Engines with several caches use the same cache for
	// the same client.
	Client string
}

// Task selects the body for a [Request].
type Task byte

// Values of [Task]. The type of [Request.Body] is in parentheses.
const (
	// TaskReport is a [Report] as JSON (Scenario).
	TaskReport Task = iota + 1
	// TaskPanels is an [Answer] as JSON (View).
	TaskPanels
	// TaskPage is the HTML of the page with a result (ui.PageData).
	TaskPage
	// TaskEmbed is the HTML of the page for frames (ui.EmbedData).
	TaskEmbed
	// TaskAssist is the set field of an [AssistResponse] as JSON (AssistRequest).
	TaskAssist
	// TaskJudge is the judgment of an older release (verdict.Request). Only the
	// programs of older releases have it.
	TaskJudge
)

// Stopped describes an evaluation that a [StoppedError] ended.
type Stopped struct {
	// Reason is [StoppedError.Reason].
	Reason string `json:"reason"`
	// Milliseconds is the time until the end.
	Milliseconds float64 `json:"milliseconds"`
}
