package upgrade

import (
	"fmt"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// A File is a file that belongs to a plan. Name is relative to the directory of the CRD, with slashes.
type File struct{ Name, Text string }

// Files returns the manifests of the steps, and for each of them a file for the command test: the update of the
// CRD, and the objects that the API server has to keep accepting. A step without a manifest is a script.
func (c PlannedCRD) Files() (files []File) {
	for i, s := range c.Steps {
		name := fileOf(i+1, s.Kind, s.versions)
		if s.Manifest == "" {
			files = append(files, File{strings.TrimSuffix(name, ".yaml") + ".sh", strings.Join(s.Commands, "\n") + "\n"})
			continue
		}
		files = append(files, File{name, ended(s.Manifest)})
		if s.test != "" {
			files = append(files, File{"tests/" + name, s.test})
		}
	}
	return files
}

func ended(text string) string { return strings.TrimRight(text, "\n") + "\n" }

// scenarioOf returns an update of the CRD with updates of objects, without what the API server sets.
func scenarioOf(before definition, manifest string, stored, requests []string) *playground.Scenario {
	s := &playground.Scenario{OldCRD: withStatus(before).String(), CRD: manifest, Operation: playground.OperationUpdate}
	for i := range stored {
		stored[i], requests[i] = plain(stored[i]), plain(requests[i])
	}
	s.OldObject, s.Object = strings.Join(stored, "---\n"), strings.Join(requests, "---\n")
	return s
}

// withStatus returns a CRD as a manifest with status.storedVersions.
func withStatus(d definition) definition {
	c := d.manifest()
	c.setStored(d.stored())
	return c
}

// testOf returns the file for the command test about an update of the CRD that the API server accepts.
func testOf(before, crd definition, t *trial, objects []*object) string {
	parts := []string{"# crdlab: stored\n" + withStatus(before).String(), "# crdlab: update\n" + crd.String()}
	for _, o := range objects {
		if _, accepted := t.written[o]; !accepted {
			continue
		}
		parts = append(parts, "# crdlab: stored\n"+plain(o.stored), "# crdlab: update\n"+plain(o.request(crd)))
	}
	return strings.Join(parts, "---\n")
}

// plain returns an object as YAML.
func plain(text string) string {
	d, err := parseDefinition(text)
	if err != nil {
		return ended(text)
	}
	return d.manifest().String()
}

// fileOf returns the name of the file of a step.
func fileOf(number int, kind StepKind, versions []string) string {
	return strings.Join(append([]string{fmt.Sprintf("%02d", number), string(kind)}, versions...), "-") + ".yaml"
}
