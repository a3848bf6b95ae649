package ui

import "github.com/crdlab/crdlab/internal/playground"

// documentKind is one of the texts of a scenario.
type documentKind struct {
	playground.Document
	title string
	// about says what the text is for, to those who have not used it yet.
	about string
	// starter names the document that a copy of makes a start, or is empty.
	starter playground.Document
}

// documents are in the order of their tabs. The first two are always there.
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

// alwaysShown is how many of the documents have a tab even when they are empty.
const alwaysShown = 2

func documentTitle(document playground.Document) string {
	for _, kind := range documents {
		if kind.Document == document {
			return kind.title
		}
	}
	return string(document)
}

// countPanel is the name of the panel beside a document's tab.
func countPanel(document playground.Document) string {
	return "count-" + string(document)
}

type documentTab struct {
	documentKind
	text     string
	selected bool
	// hidden: there is nothing in it yet.
	hidden bool
	// optional: it can be closed.
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
