// Package seeds provides the origins of derived scenarios: the CRDs of the cases and of
// real projects, with objects that they accept.
package seeds

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/enginetest/generate"
	"github.com/crdlab/crdlab/internal/playground"
)

// OfCases returns a seed for each case with an accepted CRD. Rejected objects are
// left out.
func OfCases(all []cases.Case) ([]generate.Seed, error) {
	var seeds []generate.Seed
	e := engine.New()
	known := map[string]bool{}
	for _, c := range all {
		s := c.Scenario
		if s.OldCRD != "" || s.OldObject != "" || s.Conversion != "" || known[s.CRD+"\x00"+s.Object] {
			continue
		}
		known[s.CRD+"\x00"+s.Object] = true
		seed, ok, err := acceptedSeed(e, c.Name, s)
		if err != nil {
			return nil, err
		}
		if ok {
			seeds = append(seeds, seed)
		}
	}
	return seeds, nil
}

// acceptedSeed returns a seed of a scenario, or false if the CRD is rejected or
// unsuitable.
func acceptedSeed(e *engine.Engine, name string, s playground.Scenario) (generate.Seed, bool, error) {
	report, err := e.Evaluate(context.Background(), s)
	if err != nil || !report.CRD.Accepted {
		return generate.Seed{}, false, err
	}
	object := s.Object
	if len(report.Objects) == 0 || !report.Objects[0].Accepted {
		object = ""
	}
	seed, ok := generate.NewSeed(name, s.CRD, object, s.Now)
	return seed, ok, nil
}

// OfCorpus returns seeds for the CRDs below a directory: the CRD alone, and with
// each accepted object of its group and kind.
func OfCorpus(dir string) ([]generate.Seed, error) {
	crds, err := readCorpus(dir)
	if err != nil {
		return nil, err
	}
	var seeds []generate.Seed
	e := engine.New()
	for i, crd := range crds {
		for _, object := range append([]string{""}, crd.objects...) {
			seed, ok, err := acceptedSeed(e, fmt.Sprintf("corpus %d", i), playground.Scenario{CRD: crd.document, Object: object, Now: cases.Now})
			if err != nil {
				return nil, err
			}
			if ok {
				seeds = append(seeds, seed)
			}
		}
	}
	return seeds, nil
}

// Unchecked returns a seed for each CRD of the cases and below a directory, which may be
// empty, alone and with each object of its group and kind. The CRDs may be invalid, and
// may reject the objects.
func Unchecked(all []cases.Case, dir string) ([]generate.Seed, error) {
	var seeds []generate.Seed
	add := func(name, crd string, objects []string) {
		seed, ok := generate.NewSeed(name, crd, "", cases.Now)
		if !ok {
			return
		}
		seeds = append(seeds, seed)
		for _, object := range objects {
			seeds = append(seeds, seed.WithObject(object))
		}
	}
	known := map[string]bool{}
	for _, c := range all {
		if s := c.Scenario; !known[s.CRD+s.Object] {
			known[s.CRD+s.Object] = true
			add(c.Name, s.CRD, []string{s.Object})
		}
	}
	if dir == "" {
		return seeds, nil
	}
	crds, err := readCorpus(dir)
	for i, crd := range crds {
		add(fmt.Sprintf("corpus %d", i), crd.document, crd.objects)
	}
	return seeds, err
}

// CorpusCRDs returns the CRDs below a directory.
func CorpusCRDs(dir string) ([]string, error) {
	crds, err := readCorpus(dir)
	documents := make([]string, len(crds))
	for i, crd := range crds {
		documents[i] = crd.document
	}
	return documents, err
}

// A corpusCRD is a CRD with the objects of its group and kind.
type corpusCRD struct {
	document string
	kind     groupKind
	objects  []string
}

// readCorpus returns the CRDs below a directory.
func readCorpus(dir string) ([]corpusCRD, error) {
	var crds []corpusCRD
	objects := map[groupKind][]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".yaml" {
			return err
		}
		data, err := os.ReadFile(path)
		switch name := entry.Name(); {
		case err != nil:
			return err
		case strings.HasPrefix(name, "crd."):
			crds = append(crds, corpusCRD{document: string(data), kind: definedKind(data)})
		case strings.HasPrefix(name, "cr."):
			kind := kindOf(data)
			objects[kind] = append(objects[kind], string(data))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the corpus: %w", err)
	}
	for i := range crds {
		crds[i].objects = objects[crds[i].kind]
	}
	return crds, nil
}

type groupKind struct{ group, kind string }

// definedKind returns the group and kind that a CRD defines. They are empty if the CRD
// cannot be decoded.
func definedKind(crd []byte) groupKind {
	var decoded struct {
		Spec struct {
			Group string `json:"group"`
			Names struct {
				Kind string `json:"kind"`
			} `json:"names"`
		} `json:"spec"`
	}
	if yaml.Unmarshal(crd, &decoded) != nil {
		return groupKind{}
	}
	return groupKind{decoded.Spec.Group, decoded.Spec.Names.Kind}
}

// kindOf returns the group and kind of an object. They are empty if the object cannot be
// decoded.
func kindOf(object []byte) groupKind {
	var decoded struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	if yaml.Unmarshal(object, &decoded) != nil {
		return groupKind{}
	}
	group, _, _ := strings.Cut(decoded.APIVersion, "/")
	return groupKind{group, decoded.Kind}
}
