package ui

import (
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
	// Gallery are the choices of the example picker, and Examples is the
	// address of examples.JSON.
	Gallery  []examples.Example
	Examples string
	// Evaluate is the address that answers a scenario, by POST, with a
	// playground.Answer. Empty: there is no such server.
	Evaluate string
	// Share is the address that keeps a scenario, by POST, for a short link.
	// Empty: there are no short links.
	Share string
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

// EngineAddress says where the page finds the WebAssembly module and the
// script that runs it. Without a module the page asks the server.
type EngineAddress struct {
	Module  string `json:"module"`
	Runtime string `json:"runtime"`
	// Packed is the module as gzip, for hosts that may send files as they are
	// only. Empty: the server compresses the module.
	Packed string `json:"packed"`
}

// pageConfig is what the script reads from the page.
type pageConfig struct {
	Engine   EngineAddress `json:"engine"`
	Examples string        `json:"examples"`
	Evaluate string        `json:"evaluate"`
	Share    string        `json:"share"`
	Home     string        `json:"home"`
	Shared   string        `json:"shared"`
	Example  string        `json:"example"`
}

func (d PageData) config() pageConfig {
	return pageConfig{
		Engine:   d.Engine,
		Examples: d.Examples,
		Evaluate: d.Evaluate,
		Share:    d.Share,
		Home:     d.Home,
		Shared:   d.Shared,
		Example:  d.Example,
	}
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

type documentTab struct {
	document playground.Document
	text     string
	count    string
	selected bool
}

func (d PageData) documentTabs() []documentTab {
	return []documentTab{
		{playground.DocumentCRD, d.Scenario.CRD, PanelCRDCount, d.Scenario.Object == ""},
		{playground.DocumentObject, d.Scenario.Object, PanelObjectCount, d.Scenario.Object != ""},
	}
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
}

type validationChoice struct {
	value string
	title string
}

var validationChoices = []validationChoice{
	{playground.FieldValidationStrict, "strict"},
	{playground.FieldValidationWarn, "warn"},
	{playground.FieldValidationIgnore, "ignore"},
}

func (d PageData) validates(value string) bool {
	chosen := d.Scenario.FieldValidation
	if chosen == "" {
		chosen = playground.FieldValidationStrict
	}
	return chosen == value
}
