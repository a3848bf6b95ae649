package httpapi

import (
	"github.com/crdlab/crdlab/internal/examples"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/ui"
)

const (
	tagEvaluate = "Evaluate"
	tagWrite    = "Write"
	tagShare    = "Share"
	tagServer   = "Server"
	tagPages    = "Pages"
)

var tags = []ui.APITag{
	{Name: tagEvaluate, Description: "Ask what an API server would do. A server without the engine does not have these addresses."},
	{Name: tagWrite, Description: "Get help with writing. A server without the engine does not have these addresses."},
	{Name: tagShare, Description: "Keep scenarios for short links. A server without a store does not have these addresses."},
	{Name: tagServer, Description: "What the server is, and how it is."},
	{Name: tagPages, Description: "What people and browsers look at."},
}

// operation describes a route.
type operation struct {
	route       string // method and pattern, as the router has them
	id, tag     string
	summary     string
	description string
	body        any // a value of the type of the body, or nil
	operator    bool
	answers     []answer
	problems    []kind
}

// answer is one that is no problem. The value is of the type of its JSON; a
// string is a text.
type answer struct {
	status      int
	description string
	media       string
	value       any
}

const jsonType = "application/json"

var (
	scenarioProblems = []kind{kindMalformed, kindTooSlow, kindTooLarge, kindMediaType, kindTooMany, kindBusy, kindInternal}
	engineProblems   = append([]kind{kindStopped, kindEvalTimedOut}, scenarioProblems...)
	linkProblems     = []kind{kindNotFound, kindStore}
	notModifiedSince = answer{304, "You have it already: the tag in If-None-Match is that of the answer.", "", nil}
)

// operations are all routes of the server, and nothing else.
var operations = []operation{
	{
		route: "POST /api/v1/evaluate", id: "evaluate", tag: tagEvaluate,
		summary: "Evaluates a scenario.", description: "Whatever is wrong with its documents is in the report, and also that the evaluation was ended because it took too much time or memory.",
		body:     playground.Scenario{},
		answers:  []answer{{200, "The report.", jsonType, playground.Report{}}},
		problems: scenarioProblems,
	},
	{
		route: "POST /panels", id: "panels", tag: tagEvaluate,
		summary: "Evaluates a scenario for the page.", description: "What it asks and what is answered change with the page.",
		body:     playground.View{},
		answers:  []answer{{200, "What the page shows of the report.", jsonType, playground.Answer{}}},
		problems: scenarioProblems,
	},
	{
		route: "POST /api/v1/complete", id: "complete", tag: tagWrite,
		summary: "Lists what may stand at a cursor.", description: "Fields and values in objects, in CRDs and in CEL; also in a text that is not complete.",
		body:     playground.Cursor{},
		answers:  []answer{{200, "The completion, which may be empty.", jsonType, playground.Completion{}}},
		problems: engineProblems,
	},
	{
		route: "POST /api/v1/hover", id: "hover", tag: tagWrite,
		summary: "Tells what stands at a cursor.", description: "Its type, its description, what it has to be, and what becomes of it.",
		body:     playground.Cursor{},
		answers:  []answer{{200, "What is known, which may be nothing.", jsonType, playground.Hover{}}},
		problems: engineProblems,
	},
	{
		route: "POST /api/v1/sample", id: "sample", tag: tagWrite,
		summary:  "Writes an object that a CRD accepts.",
		body:     playground.SampleRequest{},
		answers:  []answer{{200, "The object as YAML.", jsonType, playground.Sample{}}},
		problems: engineProblems,
	},
	{
		route: "POST /api/v1/format", id: "format", tag: tagWrite,
		summary:  "Indents YAML, and makes YAML of JSON.",
		body:     playground.FormatRequest{},
		answers:  []answer{{200, "The text, or why it cannot be formatted.", jsonType, playground.Formatted{}}},
		problems: engineProblems,
	},
	{
		route: "POST /api/v1/try", id: "try", tag: tagWrite,
		summary: "Evaluates a CEL expression at a node of an object.", description: "The expression has what a rule of the node has: self, oldSelf on updates, and the library of the release.",
		body:     playground.TryRequest{},
		answers:  []answer{{200, "The value of the expression and of its parts, and what it costs; or why it has none.", jsonType, playground.Tried{}}},
		problems: engineProblems,
	},
	{
		route: "POST /api/v1/share", id: "share", tag: tagShare,
		summary: "Keeps a scenario and answers with its short link.", description: "The same scenario has the same link. It is on the disk when the answer comes.",
		body:     playground.Scenario{},
		answers:  []answer{{201, "The link.", jsonType, shareAnswer{}}},
		problems: append([]kind{kindStore, kindStoreFull}, scenarioProblems...),
	},
	{
		route: "GET /api/v1/share/{id}", id: "shared", tag: tagShare,
		summary: "The scenario that was shared.", description: "It never changes; an operator may delete it.",
		answers:  []answer{{200, "The scenario.", jsonType, playground.Scenario{}}, notModifiedSince},
		problems: linkProblems,
	},
	{
		route: "DELETE /api/v1/share/{id}", id: "unshare", tag: tagShare,
		summary: "Deletes what a link leads to.", description: "Whoever fetched it may keep it for a day.",
		operator: true,
		answers:  []answer{{204, "It is deleted.", "", nil}},
		problems: append([]kind{kindUnauthorized, kindForbidden}, linkProblems...),
	},
	{
		route: "GET /s/{id}.json", id: "sharedJSON", tag: tagShare, summary: "The scenario that was shared.",
		answers:  []answer{{200, "The scenario.", jsonType, playground.Scenario{}}, notModifiedSince},
		problems: linkProblems,
	},
	{
		route: "GET /s/{id}.yaml", id: "sharedYAML", tag: tagShare, summary: "The CRD and the objects that were shared, as kubectl apply takes them.",
		answers:  []answer{{200, "YAML documents.", "application/yaml", ""}, notModifiedSince},
		problems: linkProblems,
	},
	{
		route: "GET /api/v1/version", id: "version", tag: tagServer, summary: "What the server was built from.",
		answers: []answer{{200, "The version.", jsonType, Build{}}},
	},
	{
		route: "GET /healthz", id: "healthz", tag: tagServer, summary: "Whether the server answers.",
		answers: []answer{{200, "It does.", "text/plain", ""}},
	},
	{
		route: "GET /readyz", id: "readyz", tag: tagServer, summary: "Whether the server can do what it is there for.",
		description: "The engine evaluates an example, the store answers, and the server is not stopping.",
		answers:     []answer{{200, "It can.", "text/plain", ""}},
		problems:    []kind{kindNotReady},
	},
	{
		route: "GET /api/openapi.json", id: "openapi", tag: tagServer, summary: "This description.",
		answers: []answer{{200, "An OpenAPI document.", jsonType, map[string]any{}}},
	},
	{
		route: "GET /api", id: "api", tag: tagPages, summary: "This description, to be read.",
		answers: []answer{{200, "A page.", "text/html", ""}},
	},
	{
		route: "GET /", id: "page", tag: tagPages, summary: "The playground.",
		answers: []answer{{200, "A page.", "text/html", ""}, {503, "The page was not built into this server.", "text/plain", ""}},
	},
	{
		route: "GET /s/{id}", id: "sharedPage", tag: tagPages, summary: "The playground with the scenario that was shared, and its result.",
		answers:  []answer{{200, "A page.", "text/html", ""}, notModifiedSince, {404, "There is no such link.", "text/html", ""}},
		problems: []kind{kindStore},
	},
	{
		route: "GET /embed/{id}", id: "embed", tag: tagPages, summary: "The result of the scenario that was shared, for other sites to frame.",
		answers:  []answer{{200, "A page without scripts.", "text/html", ""}, notModifiedSince, {404, "There is no such link.", "text/html", ""}},
		problems: []kind{kindStore},
	},
	{
		route: "GET /examples.json", id: "examples", tag: tagPages, summary: "The gallery.",
		answers: []answer{{200, "The examples.", jsonType, []examples.Example{}}},
	},
	{
		route: "GET /service-worker.js", id: "serviceWorker", tag: tagPages, summary: "The script that keeps the page for when there is no network.",
		answers:  []answer{{200, "The script.", "text/javascript", ""}},
		problems: []kind{kindNotFound},
	},
	{
		route: "GET /app.webmanifest", id: "app", tag: tagPages, summary: "What browsers need to know to install the page as an app.",
		answers:  []answer{{200, "The web app manifest.", "application/manifest+json", map[string]any{}}},
		problems: []kind{kindNotFound},
	},
	{
		route: "GET /notices", id: "notices", tag: tagPages, summary: "The licences of what the playground is made of.",
		answers:  []answer{{200, "The licences.", "text/plain", ""}},
		problems: []kind{kindNotFound},
	},
	{
		route: "GET /assets/*", id: "asset", tag: tagPages, summary: "A file of the page.", description: "Its name holds a hash of its content, so that it never changes.",
		answers:  []answer{{200, "The file.", "*/*", ""}},
		problems: []kind{kindNotFound},
	},
}
