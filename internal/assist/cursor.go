package assist

import (
	"context"

	"github.com/crdlab/crdlab/internal/assist/celscope"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/celvalue"
	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/tolerant"
)

// cursorContext is the context of a cursor: its place in the syntax of a document, and the
// type of that document.
type cursorContext struct {
	tolerant.Cursor
	position playground.Position
	document playground.Document
	outline  *tolerant.Tree
	types    *crdschema.Types
	// console is the scope of the console's expression; nil if the cursor is in a
	// document.
	console *celscope.Scope
	// kind is the type of the document at the cursor, or nil if it is unknown.
	kind *crdschema.Kind
	// crd is the CRD of the scenario; nil if the document is a CRD.
	crd *crd.CRD
}

// root returns the YAML document at the cursor.
func (c *cursorContext) root() *tolerant.Node { return c.outline.Documents[c.Document] }

// contextAt finds the context of a cursor. The caller emulates the scenario's release.
func (a *Assistant) contextAt(ctx context.Context, at playground.Cursor) (*cursorContext, error) {
	if at.Trial != nil {
		return a.consoleContext(ctx, at)
	}
	c := &cursorContext{document: at.Document, types: a.engine.KubernetesTypes()}
	document, err := findDocument(at)
	if err != nil {
		return nil, err
	}
	c.outline = tolerant.Parse(document)
	c.position = c.outline.Nearest(at.Position)
	c.Cursor = c.outline.Cursor(c.position)
	switch at.Document {
	case playground.DocumentCRD, playground.DocumentOldCRD:
		c.kind = c.types.CRDKind(c.root())
	case playground.DocumentObject, playground.DocumentOldObject, playground.DocumentAdmission, playground.DocumentConversion:
		s, err := engine.SetDefaults(at.Scenario)
		if err != nil {
			return nil, err
		}
		c.crd = a.engine.EvaluateCRD(ctx, s)
		switch at.Document {
		case playground.DocumentAdmission:
			c.kind = c.admissionKind()
		case playground.DocumentConversion:
			c.kind = c.conversionKind()
		default:
			c.kind = c.crd.KindOf(c.types, c.root())
		}
	}
	return c, nil
}

// findDocument returns the source of the cursor's document.
func findDocument(at playground.Cursor) (string, error) {
	if document := at.Scenario.Text(at.Document); document != nil {
		return *document, nil
	}
	return "", &playground.InvalidScenarioError{Parameter: "document", Message: "must be crd, oldCrd, object, oldObject, conversion or admission"}
}

// celScope returns the scope of the expression at the cursor, or nil outside expressions.
func (c *cursorContext) celScope() *celscope.Scope {
	if c.console != nil {
		return c.console
	}
	n := len(c.Path)
	if c.Role != tolerant.AtValue && c.Role != tolerant.AtStart || n < 1 {
		return nil
	}
	field, _ := c.Path[n-1].(string)
	if celvalue.IsTooLong(c.Text) {
		return nil
	}
	switch c.document {
	case playground.DocumentCRD, playground.DocumentOldCRD:
		isRule := n >= 3 && c.Path[n-3] == "x-kubernetes-validations" && (field == "rule" || field == "messageExpression")
		if !isRule || n-1 >= len(c.Nodes) {
			return nil
		}
		isRoot := n >= 4 && c.Path[n-4] == "openAPIV3Schema"
		return celscope.NewRuleScope(c.types, c.Nodes[n-3], isRoot, c.Nodes[n-1].Scalar("optionalOldSelf") == "true")
	case playground.DocumentAdmission:
		if policyExpressions[field] {
			return c.policyScope()
		}
	case playground.DocumentConversion:
		if field == "transformation" {
			return c.transformationScope()
		}
	}
	return nil
}

// celCursor returns the cursor in the expression of celScope.
func (c *cursorContext) celCursor() celscope.Cursor {
	return celscope.Cursor{Expression: c.Text, Before: c.Before, Position: c.position, Word: c.Word, NeedsBlank: c.NeedsBlank}
}
