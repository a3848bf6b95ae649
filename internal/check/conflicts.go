package check

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// An acceptedCRD is a CRD that a release accepts, in a cluster without other CRDs.
type acceptedCRD struct {
	// document is the index in Result.Documents, and release the index of the verdict.
	document, release int
	report            playground.CRD
}

// namesHint explains a conflict of names.
const namesHint = "The API server stores the CRD and does not serve it: the condition NamesAccepted is False."

// addConflicts adds findings to the CRDs whose names others have, in the order of the input.
// Their verdict is then a rejection, and their objects have none: the API server does not serve them.
func (c *checker) addConflicts(ctx context.Context) error {
	if c.Conditions == nil {
		return nil
	}
	slices.SortFunc(c.accepted, func(a, b acceptedCRD) int {
		return cmp.Or(cmp.Compare(a.release, b.release), cmp.Compare(a.document, b.document))
	})
	for _, cluster := range c.clusters() {
		if len(cluster) < 2 { //nolint:mnd // A single CRD has no conflicts with others.
			continue
		}
		var reports []playground.CRD
		for _, crd := range cluster {
			reports = append(reports, crd.report)
		}
		conditions, err := c.Conditions(ctx, reports)
		if err != nil {
			return err
		}
		for i, condition := range conditions {
			if condition.Status == "False" {
				c.addConflict(cluster[i], condition, cluster[:i])
			}
		}
	}
	return nil
}

// A clusterKey identifies the CRDs that are created in the same cluster.
type clusterKey struct {
	release   int
	group     string
	directory string
}

// clusters divides the accepted CRDs: each release and API group has clusters of its own. If
// a CRD occurs several times, such as in several channels, each directory is a cluster, and
// the first CRD of a name in a directory counts.
func (c *checker) clusters() [][]acceptedCRD {
	repeated := map[clusterKey]bool{}
	names := map[clusterKey]map[string]bool{}
	for _, crd := range c.accepted {
		key := clusterKey{release: crd.release, group: crd.report.Group}
		if names[key] == nil {
			names[key] = map[string]bool{}
		}
		repeated[key] = repeated[key] || names[key][crd.report.Name]
		names[key][crd.report.Name] = true
	}
	var keys []clusterKey
	clusters := map[clusterKey][]acceptedCRD{}
	for _, crd := range c.accepted {
		key := clusterKey{release: crd.release, group: crd.report.Group}
		if repeated[key] {
			key.directory = path.Dir(filepath.ToSlash(c.result.Documents[crd.document].Path))
		}
		if clusters[key] == nil {
			keys = append(keys, key)
		}
		same := slices.IndexFunc(clusters[key], func(other acceptedCRD) bool { return other.report.Name == crd.report.Name })
		if same < 0 {
			clusters[key] = append(clusters[key], crd)
		} else if other := clusters[key][same]; other.report.Names.Kind != crd.report.Names.Kind {
			c.warnOfSameName(crd, other)
		}
	}
	var all [][]acceptedCRD
	for _, key := range keys {
		all = append(all, clusters[key])
	}
	return all
}

// warnOfSameName adds a warning to a CRD with the name of another CRD in its directory, and another kind. They are no
// errors, because the files may be for different clusters.
func (c *checker) warnOfSameName(crd, other acceptedCRD) {
	d, first := &c.result.Documents[crd.document], c.result.Documents[other.document].source
	v := &d.Verdicts[crd.release]
	v.Findings = append(v.Findings, manifest.Finding{
		Place: d.source.Place(d.source.At("metadata", "name")), Severity: playground.SeverityWarning, Field: "metadata.name",
		Message: fmt.Sprintf("The CRD of %s in %s has the same name, so a cluster has only one of them: the API server refuses to change the kind.", other.report.Names.Kind, first.Place(playground.Range{}).Path()),
		Hint:    "Give one of the kinds another plural, and its CRD the name PLURAL.GROUP.",
		Related: []manifest.Related{{Place: first.Place(first.At("spec", "names", "kind")), Message: "The other kind"}},
	})
}

// addConflict adds the conflict of a CRD with CRDs that were created before.
func (c *checker) addConflict(crd acceptedCRD, condition playground.Condition, before []acceptedCRD) {
	d := &c.result.Documents[crd.document]
	name := condition.NameField()
	found := manifest.Finding{
		Place: d.source.Place(d.source.At("spec", "names", name)), Severity: playground.SeverityError, Reason: condition.Reason,
		Field: "spec.names." + name, Message: condition.Message, Hint: namesHint,
	}
	for _, other := range before {
		if used := sharedNames(name, crd.report.Names, other.report.Names); len(used) > 0 {
			file := c.result.Documents[other.document].source
			found.Related = append(found.Related, manifest.Related{
				Place: file.Place(file.At("spec", "names")), Message: fmt.Sprintf("%s has the name %q", other.report.Name, used[0]),
			})
		}
	}
	v := &d.Verdicts[crd.release]
	v.Accepted = false
	v.Findings = append(v.Findings, found)
	position := d.position()
	for i := range c.result.Documents {
		if object := &c.result.Documents[i]; object.CRD == position {
			object.Verdicts[crd.release].Accepted, object.Verdicts[crd.release].Unknown = false, crdNotServed
		}
	}
}

// sharedNames returns the names in a field of spec.names that another CRD has in any role.
func sharedNames(field string, names, others playground.Names) []string {
	resources := append([]string{others.Plural, others.Singular}, others.ShortNames...)
	kinds := []string{others.Kind, others.ListKind}
	requested, used := map[string][]string{
		"plural": {names.Plural}, "singular": {names.Singular}, "shortNames": names.ShortNames,
		"kind": {names.Kind}, "listKind": {names.ListKind},
	}[field], resources
	if field == "kind" || field == "listKind" {
		used = kinds
	}
	return slices.DeleteFunc(slices.Clone(requested), func(name string) bool { return !slices.Contains(used, name) })
}
