package httpapi

import (
	"github.com/crdlab/crdlab/internal/examples"
	"github.com/crdlab/crdlab/internal/httpapi/apidoc"
	"github.com/crdlab/crdlab/internal/playground"
)

const (
	tagEvaluate = "Evaluate"
	tagWrite    = "Write"
	tagShare    = "Share"
	tagServer   = "Server"
	tagPages    = "Pages"
)

var tags = []apidoc.Tag{
	{Name: tagEvaluate, Description: "Evaluate scenarios as an API server would. Servers without an engine lack these operations."},
	{Name: tagWrite, Description: "Assist requests of editors. Servers without an engine lack these operations."},
	{Name: tagShare, Description: "Short links to scenarios. Servers without a store lack these operations."},
	{Name: tagServer, Description: "Version, health and description of the server."},
	{Name: tagPages, Description: "Pages and files for browsers."},
}

// operation documents a route.
type operation struct {
	route       string // method and route pattern
	id, tag     string
	summary     string
	description string
	body        any // a value of the body's type, or nil
	operator    bool
	answers     []answer
	problems    []kind
}

// answer documents a response that is not a problem. value has the Go type of the
// JSON, or is a string for other media types.
type answer struct {
	status      int
	description string
	media       string
	value       any
}

const jsonType = "application/json"

var (
	scenarioProblems = []kind{kindMalformed, kindRequestTimeout, kindTooLarge, kindMediaType, kindRateLimited, kindBusy, kindInternal}
	engineProblems   = append([]kind{kindStopped, kindEvalTimedOut}, scenarioProblems...)
	readProblems     = []kind{kindRateLimited, kindBusy}
	linkProblems     = append([]kind{kindNotFound, kindStore}, readProblems...)
	notModifiedSince = answer{304, "Not modified: If-None-Match has the current ETag.", "", nil}
	// sitePageAnswers are the responses of the pages beside the playground.
	sitePageAnswers = []answer{{200, "A page.", "text/html", ""}, {308, "The address with a slash at the end.", "text/html", ""}}
)

// operations documents every route of the server.
var operations = []operation{
	{
		route: "POST /api/v1/evaluate", id: "evaluate", tag: tagEvaluate,
		summary: "Evaluates a scenario.", description: "Errors in the documents are part of the report. So is an evaluation that was stopped because it exceeded its time or memory limit.",
		body:     playground.Scenario{},
		answers:  []answer{{200, "The report.", jsonType, playground.Report{}}},
		problems: scenarioProblems,
	},
	{
		route: "POST /panels", id: "panels", tag: tagEvaluate,
		summary: "Evaluates a scenario for the page.", description: "Internal: the request and the response change with the page.",
		body:     playground.View{},
		answers:  []answer{{200, "The rendered panels of the report.", jsonType, playground.Answer{}}},
		problems: scenarioProblems,
	},
	{
		route: "POST /api/v1/complete", id: "complete", tag: tagWrite,
		summary: "Lists the completions at a cursor.", description: "Completes fields and values in objects, CRDs and CEL expressions, even if the document is incomplete.",
		body:     playground.Cursor{},
		answers:  []answer{{200, "The completions. The list may be empty.", jsonType, playground.Completion{}}},
		problems: engineProblems,
	},
	{
		route: "POST /api/v1/hover", id: "hover", tag: tagWrite,
		summary: "Documents the field or value at a cursor.", description: "Returns its type, its description, its constraints, and its changes during the request.",
		body:     playground.Cursor{},
		answers:  []answer{{200, "The documentation. It may be empty.", jsonType, playground.Hover{}}},
		problems: engineProblems,
	},
	{
		route: "POST /api/v1/explain", id: "explain", tag: tagWrite,
		summary: "Relates the field at a cursor to the result.", description: "Returns its schema, its changes during the request, and the rules that read it, with their cost and result.",
		body:     playground.Cursor{},
		answers:  []answer{{200, "The explanation. It may be empty.", jsonType, playground.Explanation{}}},
		problems: engineProblems,
	},
	{
		route: "POST /api/v1/sample", id: "sample", tag: tagWrite,
		summary:  "Generates an object that a CRD accepts.",
		body:     playground.SampleRequest{},
		answers:  []answer{{200, "The object as YAML.", jsonType, playground.SampleResult{}}},
		problems: engineProblems,
	},
	{
		route: "POST /api/v1/template", id: "template", tag: tagWrite,
		summary:  "Drafts conversion rules or an admission policy for a CRD.",
		body:     playground.TemplateRequest{},
		answers:  []answer{{200, "The document as YAML.", jsonType, playground.TemplateResult{}}},
		problems: engineProblems,
	},
	{
		route: "POST /api/v1/format", id: "format", tag: tagWrite,
		summary:  "Formats YAML, and converts JSON to YAML.",
		body:     playground.FormatRequest{},
		answers:  []answer{{200, "The formatted document, or the reason why it cannot be formatted.", jsonType, playground.FormatResult{}}},
		problems: engineProblems,
	},
	{
		route: "POST /api/v1/try", id: "try", tag: tagWrite,
		summary: "Evaluates a CEL expression at a node of an object.", description: "The expression has the same environment as a validation rule of the node: self, oldSelf on updates, and the CEL libraries of the Kubernetes release.",
		body:     playground.TryRequest{},
		answers:  []answer{{200, "The value of the expression and its subexpressions with the cost, or the reason for a missing value.", jsonType, playground.TryResult{}}},
		problems: engineProblems,
	},
	{
		route: "POST /api/v1/fields", id: "fields", tag: tagWrite,
		summary: "Lists the fields of a version of a CRD.", description: "Returns each field with its type, default, limits, rules and description, as far as the CRD can be decoded.",
		body:     playground.FieldsRequest{},
		answers:  []answer{{200, "The fields, each before the fields of its value.", jsonType, playground.FieldsResult{}}},
		problems: engineProblems,
	},
	{
		route: "POST /api/v1/insert", id: "insert", tag: tagWrite,
		summary: "Inserts a field into an object.", description: "Returns the edit that adds a sample value for the field. It creates the missing fields around it, with the fields that they require.",
		body:     playground.InsertRequest{},
		answers:  []answer{{200, "The edit, the range of the field if it is present, or the reason why it cannot be inserted.", jsonType, playground.InsertResult{}}},
		problems: engineProblems,
	},
	{
		route: "POST /api/v1/test", id: "test", tag: tagWrite,
		summary: "Compares the findings with the expectations in comments.", description: "Runs the CRDs and objects of the scenario as crdlab test does. The comments define the operations.",
		body:     playground.TestRequest{},
		answers:  []answer{{200, "The documents with their expectations, and the coverage of the rules.", jsonType, playground.TestResult{}}},
		problems: engineProblems,
	},
	{
		route: "POST /api/v1/mutate", id: "mutate", tag: tagWrite,
		summary: "Lists the changes of constraints that no test notices.", description: "Changes the constraints of the CRDs one after another, and runs the tests of the scenario, as crdlab test --mutate does. Each response has some of the changes, and a test of each that no test notices.",
		body:     playground.MutateRequest{},
		answers:  []answer{{200, "The changes after the first ones.", jsonType, playground.MutateResult{}}},
		problems: engineProblems,
	},
	{
		route: "POST /api/v1/plan", id: "plan", tag: tagWrite,
		summary: "Plans the steps from the previous CRD to the CRD.", description: "Tries each step on the previous objects of the scenario, and on objects that crdlab makes, as crdlab plan does. Each response has some of the steps.",
		body:     playground.PlanRequest{},
		answers:  []answer{{200, "The steps after the first ones.", jsonType, playground.PlanResult{}}},
		problems: engineProblems,
	},
	{
		route: "POST /api/v1/export", id: "export", tag: tagWrite,
		summary: "Writes a scenario as a test file.", description: "The file has the CRDs, the objects, the operation, and the present findings as expectations in comments.",
		body:     playground.ExportRequest{},
		answers:  []answer{{200, "The file as YAML.", jsonType, playground.ExportResult{}}},
		problems: engineProblems,
	},
	{
		route: "POST /api/v1/publish", id: "publish", tag: tagWrite,
		summary: "Writes the JSON Schema of a version.", description: "The schema refuses only objects that the API server refuses. Its name is a path in the layout of the CRDs catalog.",
		body:     playground.PublishRequest{},
		answers:  []answer{{200, "The file; empty if the API server does not publish the version.", jsonType, playground.PublishResult{}}},
		problems: engineProblems,
	},
	{
		route: "POST /api/v1/generate", id: "generate", tag: tagWrite,
		summary: "Generates CRDs from Go types.", description: "Runs the libraries of controller-gen on types with kubebuilder markers. The types may refer to each other, and to the types of Kubernetes. Mistakes in the text are problems in the response.",
		body:     playground.GenerateRequest{},
		answers:  []answer{{200, "The CRDs as YAML, the problems, and the Go source of each line.", jsonType, playground.GenerateResult{}}},
		problems: engineProblems,
	},
	{
		route: "POST /api/v1/completeGo", id: "completeGo", tag: tagWrite,
		summary: "Completes a marker in Go.", description: "Lists the markers of the field, type or package below the position, or the arguments of the marker. The text may be incomplete.",
		body:     playground.GoCursor{},
		answers:  []answer{{200, "The items, and the range that they replace.", jsonType, playground.Completion{}}},
		problems: engineProblems,
	},
	{
		route: "POST /api/v1/hoverGo", id: "hoverGo", tag: tagWrite,
		summary: "Describes a marker in Go.", description: "Returns the documentation of controller-gen for the marker at the position, and its arguments.",
		body:     playground.GoCursor{},
		answers:  []answer{{200, "The documentation; its title is empty outside of markers.", jsonType, playground.Hover{}}},
		problems: engineProblems,
	},
	{
		route: "POST /api/v1/share", id: "share", tag: tagShare,
		summary: "Stores a scenario and returns its short link.", description: "Equal scenarios have the same link. The scenario is stored durably before the response.",
		body:     playground.Scenario{},
		answers:  []answer{{201, "The link.", jsonType, linkResponse{}}},
		problems: append([]kind{kindStore, kindStoreFull}, scenarioProblems...),
	},
	{
		route: "GET /api/v1/share/{id}", id: "shared", tag: tagShare,
		summary: "Returns a shared scenario.", description: "A shared scenario never changes. The operator may delete it.",
		answers:  []answer{{200, "The scenario.", jsonType, playground.Scenario{}}, notModifiedSince},
		problems: linkProblems,
	},
	{
		route: "DELETE /api/v1/share/{id}", id: "unshare", tag: tagShare,
		summary: "Deletes a shared scenario.", description: "Clients may cache a shared scenario for a day.",
		operator: true,
		answers:  []answer{{204, "The scenario was deleted.", "", nil}},
		problems: append([]kind{kindUnauthorized, kindForbidden}, linkProblems...),
	},
	{
		route: "GET /api/v1/backup", id: "backUp", tag: tagShare,
		summary: "Exports all short links of a store in files.", description: "Each line is a link in JSON. Other stores have no files: status 404.",
		operator: true,
		answers:  []answer{{200, "The links.", "application/jsonl", ""}},
		problems: append([]kind{kindUnauthorized, kindForbidden, kindInternal}, linkProblems...),
	},
	{
		route: "GET /s/{id}.json", id: "sharedJSON", tag: tagShare, summary: "Returns a shared scenario as JSON.",
		answers:  []answer{{200, "The scenario.", jsonType, playground.Scenario{}}, notModifiedSince},
		problems: linkProblems,
	},
	{
		route: "GET /s/{id}.yaml", id: "sharedYAML", tag: tagShare, summary: "Returns the CRD and the objects of a shared scenario for kubectl apply.",
		answers:  []answer{{200, "YAML documents.", "application/yaml", ""}, notModifiedSince},
		problems: linkProblems,
	},
	{
		route: "GET /api/v1/version", id: "version", tag: tagServer, summary: "Returns the versions of the server and its libraries.",
		answers:  []answer{{200, "The version.", jsonType, Build{}}},
		problems: readProblems,
	},
	{
		route: "GET /healthz", id: "healthz", tag: tagServer, summary: "Reports that the process handles requests.",
		answers: []answer{{200, "The process is alive.", "text/plain", ""}},
	},
	{
		route: "GET /readyz", id: "readyz", tag: tagServer, summary: "Reports whether the server should receive requests.",
		description: "The server is ready if the engine evaluates an example and the server is not shutting down. With the query verbose, the response also has the state of the engine and of the store.",
		answers:     []answer{{200, "The server is ready.", "text/plain", ""}},
		problems:    []kind{kindNotReady},
	},
	{
		route: "GET /api/openapi.json", id: "openapi", tag: tagServer, summary: "Returns this document.",
		answers:  []answer{{200, "An OpenAPI document.", jsonType, map[string]any{}}},
		problems: readProblems,
	},
	{
		route: "GET /api", id: "api", tag: tagPages, summary: "Shows this document as a page.",
		answers:  []answer{{200, "A page.", "text/html", ""}},
		problems: readProblems,
	},
	{
		route: "GET /", id: "page", tag: tagPages, summary: "Shows the playground.",
		answers:  []answer{{200, "A page.", "text/html", ""}, {503, "The page was not built into this server.", "text/plain", ""}},
		problems: readProblems,
	},
	{
		route: "GET /s/{id}", id: "sharedPage", tag: tagPages, summary: "Shows the playground with a shared scenario and its result.",
		answers:  []answer{{200, "A page.", "text/html", ""}, notModifiedSince, {404, "There is no such link.", "text/html", ""}},
		problems: append([]kind{kindStore}, readProblems...),
	},
	{
		route: "GET /embed/{id}", id: "embed", tag: tagPages, summary: "Shows the result of a shared scenario. Other sites may frame this page.",
		answers:  []answer{{200, "A page without scripts.", "text/html", ""}, notModifiedSince, {404, "There is no such link.", "text/html", ""}},
		problems: append([]kind{kindStore}, readProblems...),
	},
	{
		route: "GET /errors/*", id: "error", tag: tagPages, summary: "Explains a kind of error; without a code, lists all errors.",
		answers:  sitePageAnswers,
		problems: append([]kind{kindNotFound}, readProblems...),
	},
	{
		route: "GET /docs/*", id: "documentation", tag: tagPages, summary: "Shows a document; without a name, lists all documents.",
		answers:  sitePageAnswers,
		problems: append([]kind{kindNotFound}, readProblems...),
	},
	{
		route: "GET /learn/*", id: "learn", tag: tagPages, summary: "Shows an example with its answer; without a name, lists all examples by goal.",
		answers:  sitePageAnswers,
		problems: append([]kind{kindNotFound}, readProblems...),
	},
	{
		route: "GET /schema/*", id: "schema", tag: tagPages, summary: "Documents the fields of the CRD in the fragment of the address.",
		answers:  sitePageAnswers[:1],
		problems: append([]kind{kindNotFound}, readProblems...),
	},
	{
		route: "GET /schema", id: "schemaFolder", tag: tagPages, summary: "Redirects to the documentation of a CRD.",
		answers:  sitePageAnswers[1:],
		problems: append([]kind{kindNotFound}, readProblems...),
	},
	{
		route: "GET /errors", id: "errorsFolder", tag: tagPages, summary: "Redirects to the error index.",
		answers:  sitePageAnswers[1:],
		problems: append([]kind{kindNotFound}, readProblems...),
	},
	{
		route: "GET /docs", id: "documentationFolder", tag: tagPages, summary: "Redirects to the list of documents.",
		answers:  sitePageAnswers[1:],
		problems: append([]kind{kindNotFound}, readProblems...),
	},
	{
		route: "GET /learn", id: "learnFolder", tag: tagPages, summary: "Redirects to the catalogue of examples.",
		answers:  sitePageAnswers[1:],
		problems: append([]kind{kindNotFound}, readProblems...),
	},
	{
		route: "GET /docs/search.json", id: "documentationIndex", tag: tagPages, summary: "Returns the index of the search in the documents and errors.",
		answers:  []answer{{200, "The sections of the documents, and the errors.", jsonType, []map[string]string{}}},
		problems: append([]kind{kindNotFound}, readProblems...),
	},
	{
		route: "GET /errors/messages.json", id: "errorMessages", tag: tagPages, summary: "Returns the messages of the API server for each error page.",
		answers:  []answer{{200, "The messages by the code of the error, with the verbs of the Go package fmt.", jsonType, map[string][]string{}}},
		problems: append([]kind{kindNotFound}, readProblems...),
	},
	{
		route: "GET /sitemap.xml", id: "sitemap", tag: tagPages, summary: "Lists the pages for search engines, if the server has a public address.",
		answers:  []answer{{200, "The list in the format of sitemaps.org.", "application/xml", ""}},
		problems: append([]kind{kindNotFound}, readProblems...),
	},
	{
		route: "GET /s/errors/*", id: "sharedError", tag: tagPages, summary: "Redirects the relative links of the page of a shared scenario.",
		answers:  []answer{{308, "The page of the error.", "text/html", ""}},
		problems: readProblems,
	},
	{
		route: "GET /s/docs/*", id: "sharedDocument", tag: tagPages, summary: "Redirects the relative links of the page of a shared scenario.",
		answers:  []answer{{308, "The document.", "text/html", ""}},
		problems: readProblems,
	},
	{
		route: "GET /s/schema/*", id: "sharedSchema", tag: tagPages, summary: "Redirects the relative links of the page of a shared scenario.",
		answers:  []answer{{308, "The documentation of a CRD.", "text/html", ""}},
		problems: readProblems,
	},
	{
		route: "GET /embed.html", id: "framed", tag: tagPages, summary: "Shows the playground in a frame of another site. It has no functions of the server.",
		answers:  []answer{{200, "A page.", "text/html", ""}, {503, "The page was not built into this server.", "text/plain", ""}},
		problems: readProblems,
	},
	{
		route: "GET /crd-lab.js", id: "element", tag: tagPages, summary: "Returns the script of the element crd-lab for other sites.",
		answers:  []answer{{200, "The script.", "text/javascript", ""}},
		problems: append([]kind{kindNotFound}, readProblems...),
	},
	{
		route: "GET /examples.json", id: "examples", tag: tagPages, summary: "Returns the gallery.",
		answers:  []answer{{200, "The examples.", jsonType, []examples.Example{}}},
		problems: readProblems,
	},
	{
		route: "GET /service-worker.js", id: "serviceWorker", tag: tagPages, summary: "Returns the service worker, which stores the page for offline use.",
		answers:  []answer{{200, "The script.", "text/javascript", ""}},
		problems: append([]kind{kindNotFound}, readProblems...),
	},
	{
		route: "GET /app.webmanifest", id: "app", tag: tagPages, summary: "Returns the web app manifest.",
		answers:  []answer{{200, "The web app manifest.", "application/manifest+json", map[string]any{}}},
		problems: append([]kind{kindNotFound}, readProblems...),
	},
	{
		route: "GET /notices", id: "notices", tag: tagPages, summary: "Returns the licences of all parts of crdlab.",
		answers:  []answer{{200, "The licences.", "text/plain", ""}},
		problems: append([]kind{kindNotFound}, readProblems...),
	},
	{
		route: "GET /assets/*", id: "asset", tag: tagPages, summary: "Returns a file of the page.", description: "The file name contains a content hash, so the file never changes.",
		answers:  []answer{{200, "The file.", "*/*", ""}},
		problems: append([]kind{kindNotFound}, readProblems...),
	},
}
