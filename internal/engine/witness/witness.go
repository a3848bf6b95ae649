// Package witness searches for objects that prove the effect of a CRD update: the old CRD
// accepts them, and the new CRD rejects or changes them.
package witness

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/crdlab/crdlab/internal/engine/conversion"
	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/crddiff"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/customresource"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/object"
	"github.com/crdlab/crdlab/internal/engine/solve"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

const (
	// maxAttempts limits the objects to evaluate for all changes of a CRD together.
	maxAttempts = 600
	// maxChanges is the number of changes above which there is no search: its cost grows
	// faster than the number of changes.
	maxChanges = 200
	// maxCandidates limits the objects to try for one change.
	maxCandidates = 40
	// maxBaseAttempts limits the objects to evaluate in search of an object that both CRDs
	// accept.
	maxBaseAttempts = 100
	// maxRepairs limits the changes of other values, after which the old CRD may accept a
	// candidate.
	maxRepairs = 12
)

// now is the time of all requests. It does not influence the comparison.
var now = time.Date(2026, time.January, 2, 3, 4, 5, 0, time.UTC)

// Classify returns the changes in the report of c. Those for which it finds a witness have
// the class breaks. validation is the field validation of the requests under the new CRD. The
// search is deterministic, and its duration is bounded by a constant number of evaluated objects.
func Classify(ctx context.Context, types *crdschema.Types, c *crd.CRD, validation playground.FieldValidation) ([]playground.CRDChange, error) {
	changes := slices.Clone(c.Report.Changes)
	if !IsDue(c) {
		return changes, nil
	}
	err := upstream.Guard(playground.StageCRDValidate, func() error {
		s, err := newSearch(ctx, types, c)
		if s == nil || err != nil {
			return err
		}
		s.validation = validation
		differences, err := crddiff.Differences(c)
		if err != nil {
			return err
		}
		for i, difference := range differences {
			if w := s.findGuarded(difference); w != nil {
				changes[i].Class, changes[i].Witness = playground.ChangeBreaks, w
			}
		}
		return nil
	})
	return changes, err
}

// IsDue reports whether [Classify] would search for a witness.
func IsDue(c *crd.CRD) bool {
	return c.CompileOld != nil && c.Report.Accepted && !c.Unservable && len(c.Report.Changes) <= maxChanges &&
		slices.ContainsFunc(c.Report.Changes, func(change playground.CRDChange) bool { return change.Class == playground.ChangeMayBreak })
}

// A search looks for witnesses of the differences between two CRDs.
type search struct {
	ctx      context.Context
	types    *crdschema.Types
	old, new object.Target
	// validation is the field validation of the requests under the new CRD.
	validation playground.FieldValidation
	// attempts is the remaining number of objects to evaluate.
	attempts int
	// bases holds the objects to change, by version and path; it may be nil.
	bases map[string]map[string]any
	// home is the search that finds the objects to change; nil for this one.
	home *search
	// status reports that the requests update the status of objects that had none.
	status bool
}

// newSearch returns a search, or nil if no API server can serve the old CRD.
func newSearch(ctx context.Context, types *crdschema.Types, c *crd.CRD) (*search, error) {
	before, err := c.CompileOld()
	if err != nil {
		return nil, nil
	}
	s := &search{ctx: ctx, types: types, attempts: maxAttempts, bases: map[string]map[string]any{}}
	if s.old, err = newTarget(before); err != nil {
		return nil, err
	}
	s.new, err = newTarget(c)
	return s, err
}

// newTarget returns a cluster with a CRD. No conversion webhook responds.
func newTarget(c *crd.CRD) (object.Target, error) {
	converted, err := customresource.NewConversion(c, "", conversion.Webhooks{})
	return object.Target{CRD: c, Conversion: converted, Old: object.ParseOldObjects("")}, err
}

// findGuarded returns a witness of a difference that may break objects, or nil. A panic of upstream code ends the search
// for this difference only.
func (s *search) findGuarded(d crddiff.Difference) (w *playground.Witness) {
	if d.Class == playground.ChangeMayBreak {
		_ = upstream.Guard(playground.StageCRDValidate, func() error { w = s.find(d); return nil })
	}
	return w
}

// find returns a witness of a difference, or nil.
func (s *search) find(d crddiff.Difference) *playground.Witness {
	for _, version := range s.versions(d) {
		root := s.root(s.old.CRD, version)
		candidates := s.candidates(d, version)
		if s.home != nil {
			candidates = append(s.repeated(d, version), candidates...)
		}
		for i, candidate := range candidates {
			if i >= maxCandidates || s.attempts <= 0 || s.ctx.Err() != nil {
				return nil
			}
			s.status = s.home != nil && concernsStatus(s.old.CRD, version, candidate.Path)
			base := s.baseFor(version, candidate.Path)
			if base == nil {
				break
			}
			object, ok := candidate.Place(root, base)
			if !ok {
				continue
			}
			if object = s.repair(root, object, candidate); object == nil {
				continue
			}
			if w := s.compare(d, candidate.Path, object); w != nil {
				return w
			}
		}
	}
	return nil
}

// repeated returns candidates for another number of items: those that the objects of a search already have, once more.
func (s *search) repeated(d crddiff.Difference, version string) []solve.Edit {
	path := valuePath(d.Path)
	limit := s.root(s.new.CRD, version).At(path)
	value, _ := jsonvalue.At(s.baseWith(version, path), path)
	list, _ := value.([]any)
	if d.Keyword != "maxItems" || limit.MaxItems == nil || *limit.MaxItems >= solve.MaxCount || len(list) == 0 {
		return nil
	}
	return []solve.Edit{{Path: path, Value: slices.Repeat(list[:1], int(*limit.MaxItems)+1)}}
}

// versions returns the versions at which to search for a witness: the changed one or,
// for a change of the whole CRD or of the stored versions, all of them.
func (s *search) versions(d crddiff.Difference) []string {
	var others []string
	for _, name := range s.old.CRD.ServedByPriority() {
		if name != d.Version {
			others = append(others, name)
		}
	}
	changed, exists := s.old.CRD.Versions[d.Version]
	stores := changed == s.old.CRD.Storage || s.new.CRD.Versions[d.Version] == s.new.CRD.Storage
	switch {
	case !exists:
		return others
	case !stores || strings.Contains(d.Field, ".subresources") || !canAlter(d):
		return []string{d.Version}
	}
	return append([]string{d.Version}, others...)
}

// root returns the schema of a version, with the fields of all resources.
func (s *search) root(c *crd.CRD, version string) crdschema.Schema {
	if kind := c.KindOfVersion(s.types, version); kind != nil && kind.Version == version {
		return kind.Root
	}
	return crdschema.Schema{}
}
