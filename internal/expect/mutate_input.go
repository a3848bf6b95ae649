package expect

import (
	"slices"

	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/mutant"
)

// The tests of a CRD or policy are the documents that may notice its mutants.
type tests struct {
	// crds are the CRD, or those whose objects a policy may judge. others are documents such as policies, which may
	// concern several objects.
	crds, others []*manifest.Document
	objects      []*testedObject
	// isOfPolicy reports that all tests need the other documents.
	isOfPolicy bool
}

// A testedObject has the documents of an object, because requests for it follow each other.
type testedObject struct {
	key       string
	documents []*manifest.Document
	// contents has the decoded documents; it has nil for one with an error.
	contents []any
}

// newTests returns the tests of a CRD or policy in an input.
func newTests(in *manifest.Input, of *manifest.Document) *tests {
	t := &tests{isOfPolicy: !of.IsCRD}
	crds := []*manifest.Document{of}
	if t.isOfPolicy {
		crds = check.JudgedBy(in, of)
	}
	for _, d := range in.Documents {
		switch {
		case d.IsCRD && slices.ContainsFunc(crds, func(crd *manifest.Document) bool { return d.Described == crd.Described }):
			t.crds = append(t.crds, d)
		case slices.ContainsFunc(crds, func(crd *manifest.Document) bool { return d.Kind == crd.Described }):
			t.add(d)
		case !d.IsCRD && !in.IsDescribed(d.Kind):
			t.others = append(t.others, d)
		}
	}
	return t
}

// add adds documents with objects of the CRD.
func (t *tests) add(documents ...*manifest.Document) {
	for _, d := range documents {
		name := key(d, "")
		i := slices.IndexFunc(t.objects, func(o *testedObject) bool { return o.key == name })
		if i < 0 {
			i = len(t.objects)
			t.objects = append(t.objects, &testedObject{key: name})
		}
		var content any
		_ = yaml.Unmarshal([]byte(d.Text), &content)
		t.objects[i].documents, t.objects[i].contents = append(t.objects[i].documents, d), append(t.objects[i].contents, content)
	}
}

// with returns the CRD with some of the documents.
func (t *tests) with(documents []*manifest.Document) *manifest.Input {
	in := manifest.NewInput()
	in.Documents = slices.Concat(t.crds, documents)
	if t.isOfPolicy {
		in.Documents = slices.Concat(t.crds, t.others, documents)
	}
	return in
}

// reaching returns the tests that may notice a mutant.
func (t *tests) reaching(m mutant.Mutant) *manifest.Input {
	var all []*manifest.Document
	if !t.isOfPolicy {
		all = slices.Clone(t.others)
	}
	for _, o := range t.objects {
		isReached := func(content any) bool { return content == nil || len(t.others) > 0 || m.Reaches(content) }
		if slices.ContainsFunc(o.contents, isReached) {
			all = append(all, o.documents...)
		}
	}
	return t.with(all)
}
