package ui

import (
	"cmp"
	"fmt"

	"github.com/crdlab/crdlab/internal/examples"
	"github.com/crdlab/crdlab/internal/playground"
)

// PageData contains the initial content of the page and the configuration of
// its script.
type PageData struct {
	// Policy is the Content-Security-Policy, for hosts that do not send
	// headers.
	Policy string
	Assets Assets
	Engine EngineAddress
	// Notices is the URL of the third-party licences. Empty: the page has no
	// link to them.
	Notices string
	// API is the URL of the API documentation. Empty: the page has no link to
	// it.
	API string
	// Gallery lists the examples for the dialog. Examples is the URL of
	// examples.JSON.
	Gallery  []examples.Example `json:"-"`
	Examples string
	// Evaluate is the URL that accepts a scenario by POST and returns a
	// playground.Answer. Empty: there is no such server.
	Evaluate string
	// Assist is the URL prefix of the assist requests (POST). Empty: there is no
	// such server.
	Assist string
	// Share is the URL that stores a scenario for a short link (POST). Empty:
	// there are no short links.
	Share string
	// ShareLifetime is the time in seconds for which a short link works after it
	// was last opened. 0: until the operator deletes it.
	ShareLifetime int64
	// ServiceWorker is the URL of the script that serves the page offline, and
	// App the URL of the web app manifest. Empty: no offline page.
	ServiceWorker, App string
	// Home is the URL of the page without a shared scenario. Empty: the current
	// page.
	Home string
	// Shared is the ID of the short link that opened the page, or empty.
	Shared string
	// Example is the ID of the example from which Scenario is copied, or empty.
	Example string
	// Releases lists the older Kubernetes releases whose own libraries the server
	// has.
	Releases []string
	// Scenario is the initial content of the editors. Report is its result, or
	// nil.
	Scenario playground.Scenario
	Report   *playground.Report `json:"-"`
}

// EngineAddress has the URLs of the engine's WebAssembly module and of the script that runs
// it. Without a module, the page sends its scenarios to the server.
type EngineAddress struct {
	ModuleAddress
	Runtime string `json:"runtime"`
	// Programs has the programs of older Kubernetes releases, by release: modules that judge scenarios
	// with the libraries of its release.
	Programs map[string]SizedAddress `json:"programs,omitempty"`
	// GoTypes is the module that generates CRDs from Go types; nil if it is not built.
	GoTypes *SizedAddress `json:"goTypes,omitempty"`
}

// ModuleAddress has the URLs of a WebAssembly module.
type ModuleAddress struct {
	Module string `json:"module"`
	// Packed is the gzip-compressed module, for hosts that only serve static
	// files. Empty: the server compresses the module.
	Packed string `json:"packed"`
}

// SizedAddress describes a module that the page loads on demand, such as the program of an older release.
type SizedAddress struct {
	ModuleAddress
	// Size is the size of the module in bytes. Download is its size when compressed.
	Size     int64 `json:"size"`
	Download int64 `json:"download"`
}

// pageConfig is the JSON configuration for the page's script.
type pageConfig struct {
	Engine   EngineAddress `json:"engine"`
	Examples string        `json:"examples"`
	Evaluate string        `json:"evaluate"`
	Assist   string        `json:"assist"`
	Share    string        `json:"share"`
	Offline  string        `json:"offline"`
	Home     string        `json:"home"`
	Shared   string        `json:"shared"`
	Example  string        `json:"example"`
	Releases []string      `json:"releases"`
	// Options is the scenario without its documents.
	Options playground.Scenario `json:"options"`
}

func (d PageData) config() pageConfig {
	return pageConfig{
		Engine:   d.Engine,
		Examples: d.Examples,
		Evaluate: d.Evaluate,
		Assist:   d.Assist,
		Share:    d.Share,
		Offline:  d.ServiceWorker,
		Home:     d.Home,
		Shared:   d.Shared,
		Example:  d.Example,
		Releases: append([]string{}, d.Releases...),
		Options:  options(d.Scenario),
	}
}

// options returns a copy of scenario without its documents.
func options(scenario playground.Scenario) playground.Scenario {
	for _, document := range documents {
		*scenario.Text(document.Document) = ""
	}
	return scenario
}

// note returns the note of the current example, or an empty string.
func (d PageData) note() string {
	for _, example := range d.Gallery {
		if example.ID == d.Example {
			return example.Note
		}
	}
	return ""
}

type choice struct {
	value string
	title string
}

var validationChoices = []choice{
	{playground.FieldValidationStrict, "strict"},
	{playground.FieldValidationWarn, "warn"},
	{playground.FieldValidationIgnore, "ignore"},
}

var operationChoices = []choice{
	{"", "create or update"},
	{playground.OperationCreate, "create"},
	{playground.OperationUpdate, "update"},
	{playground.OperationUpdateStatus, "update status"},
	{playground.OperationApply, "server-side apply"},
	{playground.OperationApplyStatus, "apply status"},
	{playground.OperationDelete, "delete"},
	{playground.OperationScale, "scale"},
}

// crdOperationChoices lists the operations of the CRD. The first one is the default.
var crdOperationChoices = []choice{
	{"", "create or update"},
	{playground.CRDOperationCreate, "create"},
	{playground.CRDOperationUpdate, "replace"},
	{playground.CRDOperationClientApply, "apply"},
	{playground.CRDOperationApply, "server-side apply"},
}

// releaseChoices lists the Kubernetes releases, newest first. The newest
// release is the default and has an empty value.
func releaseChoices() []choice {
	choices := []choice{{"", fmt.Sprintf("1.%d", playground.NewestMinor)}}
	for minor := playground.NewestMinor - 1; minor >= playground.OldestMinor; minor-- {
		release := fmt.Sprintf("1.%d", minor)
		choices = append(choices, choice{release, release})
	}
	return choices
}

func (d PageData) isFieldValidation(value string) bool {
	return cmp.Or(d.Scenario.FieldValidation, playground.FieldValidationStrict) == value
}
