package check

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/bundle"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// A chain has the CRDs of one name in one file, and the objects of their kind. The documents of
// the file are requests in its order: a further CRD updates the CRD before it. The objects of
// other files follow.
type chain struct {
	// crds and documents are in the order of the file; documents has the CRDs, too.
	crds, documents []*manifest.Document
	others          []*manifest.Document
	// rivals has the other CRDs of the kind that are as near to an object of the chain.
	rivals map[*manifest.Document][]*manifest.Document
}

// documentsInOrder returns the documents of the chain in the order in which they are judged. Objects
// before the first CRD belong to it.
func (c *chain) documentsInOrder() []*manifest.Document {
	before := slices.Index(c.documents, c.crds[0])
	return slices.Concat(c.crds[:1], c.documents[:before], c.documents[before+1:], c.others)
}

// chainsOf returns the chains of an input, in the order of their first CRDs, and the objects
// without a CRD.
func chainsOf(in *manifest.Input) (chains []*chain, withoutCRD []*manifest.Document) {
	type key struct {
		file *manifest.File
		name string
	}
	byKey := map[key]*chain{}
	byKind := map[bundle.Kind][]*chain{}
	for _, d := range in.Documents {
		if !d.IsCRD {
			continue
		}
		c := byKey[key{d.File, d.Name}]
		if c == nil {
			c = &chain{rivals: map[*manifest.Document][]*manifest.Document{}}
			byKey[key{d.File, d.Name}] = c
			chains = append(chains, c)
		}
		c.crds = append(c.crds, d)
		if !slices.Contains(byKind[d.Described], c) {
			byKind[d.Described] = append(byKind[d.Described], c)
		}
	}
	for _, d := range in.Documents {
		c := byKey[key{d.File, d.Name}]
		if !d.IsCRD {
			c = nearest(byKind[d.Kind], d)
		}
		switch {
		case c == nil:
			withoutCRD = append(withoutCRD, d)
		case d.File == c.crds[0].File:
			c.documents = append(c.documents, d)
		default:
			c.others = append(c.others, d)
		}
	}
	return chains, withoutCRD
}

// nearest returns the chain that shares most directories with an object, or nil without
// chains. A repository may have several CRDs of a kind, such as its channels.
func nearest(chains []*chain, object *manifest.Document) *chain {
	if len(chains) == 0 {
		return nil
	}
	near := func(c *chain) int { return shared(c.crds[0].File, object.File) }
	found := slices.MaxFunc(chains, func(a, b *chain) int { return near(a) - near(b) })
	for _, c := range chains {
		isBuilt := c.crds[0].BuiltBy != "" || found.crds[0].BuiltBy != "" // Overlays build variants of one CRD.
		if c != found && !isBuilt && near(c) == near(found) && c.crds[0].Text != found.crds[0].Text {
			found.rivals[object] = append(found.rivals[object], c.crds[0])
		}
	}
	return found
}

// shared returns the number of directories that two files share, and more for the same file.
func shared(a, b *manifest.File) int {
	if a == b {
		return len(a.Path) + 1
	}
	n := 0
	others := strings.Split(path.Dir(filepath.ToSlash(b.Path)), "/")
	for i, directory := range strings.Split(path.Dir(filepath.ToSlash(a.Path)), "/") {
		if i >= len(others) || others[i] != directory {
			break
		}
		n++
	}
	return n
}

// A Group is a CRD and its objects.
type Group struct {
	CRD     *manifest.Document
	Objects []*manifest.Document
}

// Groups returns the CRDs of an input, each with its objects, in the order of the input. It
// assumes that all CRDs are accepted. withoutCRD lists the objects that belong to no CRD.
func Groups(in *manifest.Input) (groups []Group, withoutCRD []*manifest.Document) {
	definitions, withoutCRD := Definitions(in, func(Definition) bool { return true })
	indexOf := map[*manifest.Document]int{}
	for _, d := range in.Documents {
		if d.IsCRD {
			indexOf[d] = len(groups)
			groups = append(groups, Group{CRD: d})
		}
	}
	for _, d := range in.Documents {
		if definition, ok := definitions[d]; ok && !d.IsCRD {
			group := &groups[indexOf[definition.CRD]]
			group.Objects = append(group.Objects, d)
		}
	}
	return groups, withoutCRD
}

// A Definition is the CRD that defines the kind of a document. Old is the CRD that it updates; nil
// if there is none.
type Definition struct{ CRD, Old *manifest.Document }

// Definitions returns the definition of each CRD, which is itself, and of each object. withoutCRD
// lists the objects that belong to no CRD. accepted is called for CRDs whose file has several of one name.
func Definitions(in *manifest.Input, accepted func(Definition) bool) (definitions map[*manifest.Document]Definition, withoutCRD []*manifest.Document) {
	chains, withoutCRD := chainsOf(in)
	definitions = map[*manifest.Document]Definition{}
	for _, c := range chains {
		var crds []Definition
		var updates bundle.Updates
		for _, d := range c.documentsInOrder() {
			if !d.IsCRD {
				definitions[d] = crds[updates.InForce()]
				continue
			}
			definition := Definition{CRD: d}
			if old := updates.Updated(); old >= 0 {
				definition.Old = crds[old].CRD
			}
			crds, updates = append(crds, definition), append(updates, len(c.crds) == 1 || accepted(definition))
			definitions[d] = definition
		}
	}
	return definitions, withoutCRD
}

// A history has the requests for the CRDs of a chain so far, in one release. A CRD that was in the
// cluster before counts as accepted.
type history struct {
	requests []crdRequest
	updates  bundle.Updates
}

type crdRequest struct {
	// document is the index in Result.Documents.
	document int
	scenario playground.Scenario
	report   playground.CRD
	// stored is the stored CRD, if a further request may update it.
	stored string
}

// crd returns the request for the CRD of the next object. There must be one.
func (h history) crd() crdRequest { return h.requests[h.updates.InForce()] }

// stored returns the CRD that the next request for a CRD updates, or an empty string.
func (h history) stored() string {
	if old := h.updates.Updated(); old >= 0 {
		return h.requests[old].stored
	}
	return ""
}

// Settled returns an input without the CRDs that a later request of their file replaces, and
// without the ones that the API server refuses as updates.
func Settled(ctx context.Context, in *manifest.Input, o Options) (*manifest.Input, error) {
	chains, _ := chainsOf(in)
	repeated := *in
	repeated.Documents = nil
	for _, c := range chains {
		if len(c.crds) > 1 {
			repeated.Documents = append(repeated.Documents, c.crds...)
		}
	}
	if len(repeated.Documents) == 0 {
		return in, nil
	}
	judged, err := Run(ctx, &repeated, o)
	if err != nil {
		return nil, err
	}
	accepted := map[*manifest.Document]bool{}
	for _, d := range judged.Documents {
		accepted[d.source] = !slices.ContainsFunc(d.Verdicts, Verdict.Rejects)
	}
	replaced := map[*manifest.Document]bool{}
	for _, c := range chains {
		if len(c.crds) == 1 {
			continue
		}
		var updates bundle.Updates
		for _, d := range c.crds {
			replaced[d], updates = true, append(updates, accepted[d])
		}
		delete(replaced, c.crds[updates.InForce()])
	}
	settled := *in
	settled.Documents = slices.DeleteFunc(slices.Clone(in.Documents), func(d *manifest.Document) bool { return replaced[d] })
	return &settled, nil
}
