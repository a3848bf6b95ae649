package assist

import (
	"context"
	"strings"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/celrule"
	"github.com/crdlab/crdlab/internal/engine/conversion"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/customresource"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/object"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// newConsole reads the objects of the scenario. The caller emulates the scenario's release.
func (a *Assistant) newConsole(ctx context.Context, requested playground.Scenario) (*console, error) {
	now, err := engine.ParseNow(requested.Now)
	if err != nil {
		return nil, err
	}
	s, err := engine.SetDefaults(requested)
	if err != nil {
		return nil, err
	}
	c := &console{result: emptyResult(), types: a.engine.KubernetesTypes(), crd: a.engine.EvaluateCRD(ctx, s)}
	c.file, err = source.Parse(s.Object, finding.ObjectText)
	if _, isLimit := finding.LimitRange(err); isLimit {
		c.fail("The objects exceed a limit of crdlab: %v.", err)
		return c, nil
	}
	// The page sends a request per keystroke, so no webhook is called.
	converted, err := customresource.NewConversion(c.crd, s.Conversion, conversion.Webhooks{})
	if err != nil {
		return nil, err
	}
	plugins, err := a.engine.AdmissionPlugins(s)
	if err != nil {
		return nil, err
	}
	c.objects = object.NewRequests(ctx, object.Target{CRD: c.crd, Conversion: converted, Plugins: plugins, Old: object.ParseOldObjects(s.OldObject)}, s, now, c.file)
	for i, document := range c.file.Documents {
		if !document.Empty() {
			c.documents = append(c.documents, i)
		}
	}
	for _, r := range c.objects {
		r.StopBefore(playground.StageValidate)
		c.result.Objects = append(c.result.Objects, objectName(r.Doc()))
	}
	return c, nil
}

// objectName returns the kind and name of an object that need not be decodable.
func objectName(document *source.Document) string {
	kind, _ := document.Lookup("kind")
	name, _ := document.Lookup("metadata", "name")
	if kind == "" {
		kind = "Object"
	}
	return strings.TrimSpace(kind + " " + name)
}

// prepareObject returns the root of the object's schema, the object, and the old object or
// nil. A schema of a refused CRD is sufficient, because a rule may be the reason for the
// refusal.
func (c *console) prepareObject(r *object.Request) (root *celrule.Node, value, old any) {
	r.Evaluate()
	switch {
	case r.Object() != nil && r.Version() != nil && r.Version().Schema != nil:
		c.result.Version = r.Version().Kind.Version
		if r.Old() != nil {
			old = r.Old().Object
		}
		return rootNode(r.Version().Schema), r.Object().Object, old
	case c.crd.Internal == nil:
		c.fail("The CRD cannot be decoded.")
	case c.crd.Report.Accepted:
		c.fail("The object cannot be read. See Outcome for the reason.")
	default:
		return c.prepareInvalid(r)
	}
	return nil, nil, nil
}

// prepareInvalid prunes and defaults an object of a CRD that the API server refuses.
func (c *console) prepareInvalid(r *object.Request) (root *celrule.Node, value, old any) {
	decoded, err := object.DecodeStored(r.Doc())
	if err != nil {
		c.fail("The object cannot be decoded: %v.", err)
		return nil, nil, nil
	}
	c.result.Version = decoded.GroupVersionKind().Version
	props := c.crd.VersionSchema(c.result.Version)
	if props == nil {
		c.fail("The CRD has no schema for apiVersion %q.", decoded.GetAPIVersion())
		return nil, nil, nil
	}
	err = upstream.Guard(playground.StageDefault, func() error {
		structural, err := structuralschema.NewStructural(props)
		if err != nil {
			return err
		}
		structural = structural.DeepCopy()
		pruning.Prune(decoded.Object, structural, true)
		defaulting.Default(decoded.Object, structural)
		root = rootNode(structural)
		return nil
	})
	if err != nil {
		c.fail("The schema cannot be used: %v.", upstream.StatusOf(err).Message)
		return nil, nil, nil
	}
	if root == nil {
		c.fail("CEL does not support the types of this schema.")
	}
	return root, decoded.Object, nil
}

// rootNode returns the root of a schema without rules, or nil if it has no CEL type.
func rootNode(schema *structuralschema.Structural) *celrule.Node {
	declType := model.SchemaDeclType(schema, true)
	if declType == nil {
		return nil
	}
	return &celrule.Node{Schema: schema, DeclType: declType, Path: crdschema.Path{}, Root: true}
}
