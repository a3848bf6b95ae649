package ui

import "github.com/crdlab/crdlab/internal/playground"

// documentKind describes a document of a scenario.
type documentKind struct {
	playground.Document
	title string
	// about explains the purpose of an optional document.
	about string
	// starter is the document whose copy is a useful start, or empty.
	starter playground.Document
}

// documents lists all documents in the order of their tabs.
var documents = []documentKind{
	{playground.DocumentCRD, "CRD", "", ""},
	{playground.DocumentObject, "Object", "", ""},
	{
		playground.DocumentOldCRD, "Old CRD",
		"The CRD in the cluster before. The one in the tab CRD is its update.",
		playground.DocumentCRD,
	},
	{
		playground.DocumentOldObject, "Old object",
		"The objects in the cluster before, as they are stored. The ones in the tab Object update them.",
		playground.DocumentObject,
	},
	{
		playground.DocumentConversion, "Conversion",
		"What stands for the conversion webhook: APIConversion rules, or its ConversionReview answers.",
		"",
	},
	{
		playground.DocumentAdmission, "Admission",
		"Admission policies with their bindings and parameters, webhook configurations, and the webhooks' AdmissionReview answers.",
		"",
	},
}

// alwaysShown is the number of documents whose tabs are always visible.
const alwaysShown = 2

func documentTitle(document playground.Document) string {
	for _, kind := range documents {
		if kind.Document == document {
			return kind.title
		}
	}
	return string(document)
}

// errorCountPanel returns the name of the panel with the number of problems in
// a document.
func errorCountPanel(document playground.Document) string {
	return "count-" + string(document)
}

type documentTab struct {
	documentKind
	text     string
	selected bool
	// hidden reports that the optional document is empty.
	hidden bool
	// optional reports that the tab can be closed.
	optional bool
}

func (d PageData) documentTabs() []documentTab {
	shown := playground.DocumentObject
	if d.Scenario.Object == "" {
		shown = playground.DocumentCRD
	}
	tabs := make([]documentTab, len(documents))
	for i, kind := range documents {
		text := *d.Scenario.Text(kind.Document)
		tabs[i] = documentTab{
			documentKind: kind,
			text:         text,
			selected:     kind.Document == shown,
			hidden:       i >= alwaysShown && text == "",
			optional:     i >= alwaysShown,
		}
	}
	return tabs
}
