package ui

import (
	"cmp"
	"fmt"

	"github.com/crdlab/crdlab/internal/examples"
	"github.com/crdlab/crdlab/internal/playground"
)

// PageData is what the page shows before its script runs, and what the script
// needs to know.
type PageData struct {
	// Policy is the Content-Security-Policy, for hosts that send no headers.
	Policy string
	Assets Assets
	Engine EngineAddress
	// Notices is the address of the licences of what the page is made of.
	// Empty: the page has no link to them.
	Notices string
	// API is the address of the description of the HTTP API; likewise.
	API string
	// Gallery are the choices of the example picker, and Examples is the
	// address of examples.JSON.
	Gallery  []examples.Example
	Examples string
	// Evaluate is the address that answers a scenario, by POST, with a
	// playground.Answer. Empty: there is no such server.
	Evaluate string
	// Help is what the addresses begin with that answer questions of those who
	// write, by POST; empty if none does.
	Help string
	// Share is the address that keeps a scenario, by POST, for a short link.
	// Empty: there are no short links.
	Share string
	// ServiceWorker is the address of the script that keeps the page for when
	// there is no network, and App that of the web app manifest. Empty: there is
	// none.
	ServiceWorker, App string
	// Home is the address of the page without a shared scenario. Empty: this
	// page's.
	Home string
	// Shared is the id of the short link that the page was opened by, or empty.
	Shared string
	// Example is the id of the example that Scenario comes from, or empty.
	Example string
	// Scenario is what the editors hold at first, and Report, unless nil, the
	// result of it.
	Scenario playground.Scenario
	Report   *playground.Report
}

// EngineAddress says where the page finds the engine's WebAssembly modules and
// the script that runs them. Without modules the page asks the server.
type EngineAddress struct {
	// First is the module that answers most scenarios, and Whole the one for
	// the others.
	First   ModuleAddress `json:"first"`
	Whole   ModuleAddress `json:"whole"`
	Runtime string        `json:"runtime"`
}

// ModuleAddress says where a WebAssembly module is.
type ModuleAddress struct {
	Module string `json:"module"`
	// Packed is the module as gzip, for hosts that may send files as they are
	// only. Empty: the server compresses the module.
	Packed string `json:"packed"`
}

// pageConfig is what the script reads from the page.
type pageConfig struct {
	Engine   EngineAddress `json:"engine"`
	Examples string        `json:"examples"`
	Evaluate string        `json:"evaluate"`
	Help     string        `json:"help"`
	Share    string        `json:"share"`
	Offline  string        `json:"offline"`
	Home     string        `json:"home"`
	Shared   string        `json:"shared"`
	Example  string        `json:"example"`
	// Options are what of the scenario is not a text.
	Options playground.Scenario `json:"options"`
}

func (d PageData) config() pageConfig {
	return pageConfig{
		Engine:   d.Engine,
		Examples: d.Examples,
		Evaluate: d.Evaluate,
		Help:     d.Help,
		Share:    d.Share,
		Offline:  d.ServiceWorker,
		Home:     d.Home,
		Shared:   d.Shared,
		Example:  d.Example,
		Options:  options(d.Scenario),
	}
}

// options is a scenario less its texts.
func options(scenario playground.Scenario) playground.Scenario {
	for _, document := range documents {
		*scenario.Text(document.Document) = ""
	}
	return scenario
}

// note is what to notice in the example.
func (d PageData) note() string {
	for _, example := range d.Gallery {
		if example.ID == d.Example {
			return example.Note
		}
	}
	return ""
}

type panelTab struct {
	name  string
	title string
}

var panelTabs = []panelTab{
	{PanelOutcome, "Outcome"},
	{PanelRules, "Rules & cost"},
	{PanelKubectl, "kubectl"},
	{PanelVersions, "Versions"},
	{PanelSchema, "Schema"},
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
	{playground.OperationDelete, "delete"},
	{playground.OperationScale, "scale"},
}

// releaseChoices are the Kubernetes releases, the newest first, which goes
// without saying.
func releaseChoices() []choice {
	choices := []choice{{"", fmt.Sprintf("1.%d", playground.NewestMinor)}}
	for minor := playground.NewestMinor - 1; minor >= playground.OldestMinor; minor-- {
		release := fmt.Sprintf("1.%d", minor)
		choices = append(choices, choice{release, release})
	}
	return choices
}

func (d PageData) validates(value string) bool {
	return cmp.Or(d.Scenario.FieldValidation, playground.FieldValidationStrict) == value
}
