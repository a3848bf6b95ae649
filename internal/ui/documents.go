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
	group   documentGroupName
}

// documentGroupName names the documents that share a pane.
type documentGroupName string

const (
	groupCRD    documentGroupName = "crd"
	groupObject documentGroupName = "object"
)

func (g documentGroupName) title() string {
	if g == groupCRD {
		return "CRD documents"
	}
	return "Object documents"
}

// documents lists all documents in the order of their tabs.
var documents = []documentKind{
	{playground.DocumentCRD, "CRD", "", "", groupCRD},
	{playground.DocumentObject, "Object", "", "", groupObject},
	{
		playground.DocumentGo, "Go",
		"Go types with kubebuilder markers. The CRD is generated from them, as by controller-gen.",
		"", groupCRD,
	},
	{
		playground.DocumentOldCRD, "Previous CRD",
		"The CRD already in the cluster; the CRD tab is applied as its update.",
		playground.DocumentCRD, groupCRD,
	},
	{
		playground.DocumentOldObject, "Existing object",
		"Objects already stored in the cluster; the Object tab is applied as their update.",
		playground.DocumentObject, groupObject,
	},
	{
		playground.DocumentConversion, "Conversion",
		"Simulates the conversion webhook: APIConversion rules or a recorded ConversionReview response.",
		"", groupCRD,
	},
	{
		playground.DocumentAdmission, "Admission",
		"Admission policies with their bindings and parameters, webhook configurations, and recorded AdmissionReview responses.",
		"", groupObject,
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

// documentTabs returns the tabs of a group, or of all groups if it is empty. The first
// document of each group is selected.
func (d PageData) documentTabs(group documentGroupName) []documentTab {
	var tabs []documentTab
	for i, kind := range documents {
		if group != "" && kind.group != group {
			continue
		}
		text := *d.Scenario.Text(kind.Document)
		tabs = append(tabs, documentTab{
			documentKind: kind,
			text:         text,
			selected:     i < alwaysShown,
			hidden:       i >= alwaysShown && text == "",
			optional:     i >= alwaysShown,
		})
	}
	return tabs
}

// hidesTab reports whether a panel has no tab initially, because it has no content.
func (d PageData) hidesTab(panel string) bool {
	return panel == PanelChanges && d.Scenario.OldCRD == ""
}
