// Package revisions checks the classes of CRD changes against the API server's handlers.
package revisions

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/crdlab/crdlab/internal/apiclient"
	"github.com/crdlab/crdlab/internal/assist"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/enginetest"
	"github.com/crdlab/crdlab/internal/enginetest/generate"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/verdict"
)

// A Checker compares the classes of changes with the handlers of the API server.
type Checker struct {
	engine    *engine.Engine
	assistant *assist.Assistant
	old, new  *apiclient.Client
	// tries is the number of objects to try for a pair of compatible CRDs.
	tries int
	tally Tally
}

// A Tally counts pairs of CRDs by the worst class of their changes.
type Tally struct {
	Pairs, Breaks, MayBreak, Compatible int
	// Rejected counts the pairs of which the API server rejects a CRD. Pairs excludes them.
	Rejected int
	// Changes counts all changes by class.
	Changes map[playground.ChangeClass]int
	// Witnesses counts the confirmed witnesses.
	Witnesses int
	// Tries counts the objects for compatible pairs, and Accepted the ones that the
	// old CRD accepts.
	Tries, Accepted int
	Wrong           []Wrong
}

// A Wrong is a wrong class of a change.
type Wrong struct {
	Revision generate.Revision
	// Object is the object that refutes the class.
	Object string
	Reason string
}

// New returns a checker with empty clusters. It tries the given number of objects for each
// pair of compatible CRDs.
func New(tries int) (*Checker, error) {
	before, err := enginetest.NewRefClient()
	if err != nil {
		return nil, err
	}
	after, err := enginetest.NewRefClient()
	e := engine.New()
	return &Checker{engine: e, assistant: assist.New(e), old: before, new: after, tries: tries, tally: Tally{Changes: map[playground.ChangeClass]int{}}}, err
}

// Tally returns the results of all checks.
func (c *Checker) Tally() Tally { return c.tally }

// Check classifies the changes of a pair, and compares them with the handlers.
func (c *Checker) Check(v generate.Revision) error {
	changes, ok, err := c.classify(v)
	if err != nil {
		return err
	}
	if !ok {
		c.tally.Rejected++
		return nil
	}
	c.tally.Pairs++
	for _, change := range changes {
		c.tally.Changes[change.Class]++
		if change.Class == playground.ChangeBreaks {
			if err := c.confirm(v, change); err != nil {
				return err
			}
		}
	}
	switch worst(changes) {
	case playground.ChangeBreaks:
		c.tally.Breaks++
	case playground.ChangeMayBreak:
		c.tally.MayBreak++
	default:
		c.tally.Compatible++
		return c.refute(v)
	}
	return nil
}

// classify returns the changes of a pair. ok is false if the API server rejects one of the
// CRDs.
func (c *Checker) classify(v generate.Revision) (changes []playground.CRDChange, ok bool, err error) {
	before, err := c.old.Run(playground.Scenario{CRD: v.Old})
	if err != nil || !before.CRD.Accepted() {
		return nil, false, err
	}
	after, err := c.new.Run(playground.Scenario{CRD: v.New, OldCRD: v.Old})
	if err != nil || !after.CRD.Accepted() {
		return nil, false, err
	}
	report, err := c.engine.Evaluate(context.Background(), playground.Scenario{CRD: v.New, OldCRD: v.Old})
	return report.CRD.Changes, err == nil, err
}

func worst(changes []playground.CRDChange) playground.ChangeClass {
	found := playground.ChangeCompatible
	for _, change := range changes {
		switch change.Class {
		case playground.ChangeBreaks:
			return change.Class
		case playground.ChangeMayBreak:
			found = change.Class
		}
	}
	return found
}

// confirm checks that the old CRD accepts the witness of a change, and that the new CRD
// rejects or changes it.
func (c *Checker) confirm(v generate.Revision, change playground.CRDChange) error {
	if change.Witness == nil {
		c.wrong(v, "", "%s: breaks without a witness", change.Field)
		return nil
	}
	object := change.Witness.Object
	results, err := c.compare(v, []string{object})
	if err != nil {
		return err
	}
	switch result := results[0]; {
	case !result.accepted:
		c.wrong(v, object, "%s: the old CRD rejects the witness", change.Field)
	case !result.differs:
		c.wrong(v, object, "%s: the new CRD accepts the witness and keeps it unchanged", change.Field)
	default:
		c.tally.Witnesses++
	}
	return nil
}

// batch is the number of objects to send at once.
const batch = 100

// refute looks for a witness of a pair that is classified as compatible.
func (c *Checker) refute(v generate.Revision) error {
	response, err := c.assistant.Respond(context.Background(), playground.AssistRequest{Sample: &playground.SampleRequest{CRD: v.Old}})
	if err != nil {
		return err
	}
	v.AddObject(response.Sample.Object)
	for i := 0; i < c.tries; i += batch {
		objects := v.Objects(i, min(batch, c.tries-i))
		results, err := c.compare(v, objects)
		if err != nil {
			return err
		}
		c.tally.Tries += len(objects)
		for i, result := range results {
			if result.accepted {
				c.tally.Accepted++
			}
			if result.differs {
				c.wrong(v, objects[i], "classified as compatible")
				return nil
			}
		}
	}
	return nil
}

// A comparison is the result of creating an object under both CRDs.
type comparison struct {
	// accepted reports whether the old CRD accepts the object.
	accepted bool
	// differs reports whether the new CRD rejects or changes an accepted object.
	differs bool
}

func (c *Checker) compare(v generate.Revision, objects []string) ([]comparison, error) {
	before, err := create(c.old, playground.Scenario{CRD: v.Old}, objects)
	if err != nil {
		return nil, err
	}
	after, err := create(c.new, playground.Scenario{CRD: v.New, OldCRD: v.Old}, objects)
	if err != nil {
		return nil, err
	}
	results := make([]comparison, len(objects))
	for i := range objects {
		accepted := before[i].Accepted()
		results[i] = comparison{accepted, accepted && differ(before[i], after[i])}
	}
	return results, nil
}

func create(cluster *apiclient.Client, s playground.Scenario, objects []string) ([]verdict.Object, error) {
	s.Operation, s.Object = playground.OperationCreate, strings.Join(objects, "\n---\n")
	v, err := cluster.Run(s)
	if err == nil && len(v.Objects) != len(objects) {
		err = fmt.Errorf("%d verdicts on %d objects", len(v.Objects), len(objects))
	}
	return v.Objects, err
}

// differ reports whether an object is rejected after the update, or reads differently at a
// version that both CRDs serve.
func differ(before, after verdict.Object) bool {
	if !after.Accepted() || !reflect.DeepEqual(content(before.Returned), content(after.Returned)) {
		return true
	}
	for name, reading := range before.Versions {
		if other, served := after.Versions[name]; served && !reflect.DeepEqual(content(reading.Object), content(other.Object)) {
			return true
		}
	}
	return false
}

// content returns a copy of an object without the metadata that depend on the request.
func content(object any) any {
	var copied map[string]any
	data, err := json.Marshal(object)
	if err != nil || json.Unmarshal(data, &copied) != nil {
		return nil
	}
	verdict.DropServerMetadata(copied)
	if meta := verdict.Metadata(copied); meta["generateName"] != nil {
		delete(meta, "name")
	}
	return copied
}

func (c *Checker) wrong(v generate.Revision, object, format string, arguments ...any) {
	c.tally.Wrong = append(c.tally.Wrong, Wrong{v, object, fmt.Sprintf(format, arguments...)})
}
