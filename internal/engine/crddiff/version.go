package crddiff

import (
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/utils/ptr"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/playground"
)

func (d *diff) comparePruning() {
	before, after := d.old.Spec.PreserveUnknownFields, d.new.Spec.PreserveUnknownFields
	switch {
	case before && !after:
		d.add("spec.preserveUnknownFields", change{"pruning changed", before, after, playground.BreaksBoth,
			"Fields that no schema names are pruned from now on, from stored objects when they are read."})
	case !before && after:
		d.add("spec.preserveUnknownFields", change{"pruning changed", before, after, playground.BreaksNone,
			"Fields that no schema names are kept from now on."})
	}
}

func (d *diff) compareConversion() {
	before, after := d.old.Spec.Conversion, d.new.Spec.Conversion
	if before == nil || after == nil || apiequality.Semantic.DeepEqual(before, after) {
		return
	}
	if before.Strategy != after.Strategy {
		d.add("spec.conversion.strategy", change{"conversion changed", before.Strategy, after.Strategy, playground.BreaksClients,
			"Objects are converted in another way when they are read or written at a version that is not stored."})
		return
	}
	d.add("spec.conversion.webhook", change{"conversion changed", before.Webhook, after.Webhook, playground.BreaksNone,
		"Another webhook, or the same one called in another way, has to give the same answers."})
}

func versionField(i int, rest ...string) string {
	return strings.Join(append([]string{fmt.Sprintf("spec.versions[%d]", i)}, rest...), ".")
}

func (d *diff) addVersion(i int) {
	v := d.new.Spec.Versions[i]
	d.addAt(playground.CRDChange{Version: v.Name, Field: versionField(i)}, "spec.versions", versionField(i), change{
		"version added", nil, v.Name, playground.BreaksNone,
		"Clients may use it besides the others, and see the same objects." + d.storageLoss(v.Name),
	})
	if v.Storage {
		d.storageMoved(-1, i)
	}
}

// removeVersion tells of version j of the old CRD. The API server refuses it
// as long as status.storedVersions has the version.
func (d *diff) removeVersion(j int) {
	v := d.old.Spec.Versions[j]
	change := change{"version removed", v.Name, nil, playground.BreaksNone, "It was not served, and no object should be stored at it: status.storedVersions does not name it."}
	stored := slices.Contains(d.old.Status.StoredVersions, v.Name)
	switch {
	case stored:
		change.breaks = playground.BreaksStored
		change.because = "Objects stored at it could not be read: the API server refuses this until all are rewritten and status.storedVersions is without it."
		if v.Served {
			change.breaks = playground.BreaksBoth
		}
	case v.Served:
		change.breaks, change.because = playground.BreaksClients, "Requests at this version are answered 404; the objects stay, at the other versions."
	}
	d.addAt(playground.CRDChange{Version: v.Name, Field: versionField(j)}, versionField(j), "spec.versions", change)
}

// compareVersions compares version j of the old CRD with version i of the new.
func (d *diff) compareVersions(j, i int) {
	before, after := d.old.Spec.Versions[j], d.new.Spec.Versions[i]
	add := func(field string, c change) {
		d.addAt(playground.CRDChange{Version: after.Name, Field: versionField(i, field)}, versionField(j, field), versionField(i, field), c)
	}
	switch {
	case before.Served && !after.Served:
		add("served", change{"version no longer served", true, false, playground.BreaksClients, "Requests at this version are answered 404; the objects stay, at the other versions."})
	case !before.Served && after.Served:
		add("served", change{"version served", false, true, playground.BreaksNone, "Clients may use it besides the others."})
	}
	if !before.Storage && after.Storage {
		d.storageMoved(j, i)
	}
	if before.Deprecated != after.Deprecated {
		add("deprecated", change{"deprecation changed", before.Deprecated, after.Deprecated, playground.BreaksNone, "Clients are served as before; only the warning changes."})
	}
	if ptr.Deref(before.DeprecationWarning, "") != ptr.Deref(after.DeprecationWarning, "") {
		add("deprecationWarning", change{"deprecation changed", before.DeprecationWarning, after.DeprecationWarning, playground.BreaksNone, "Clients are served as before; only the warning changes."})
	}
	compareSubresources(before.Subresources, after.Subresources, add)
	compareSelectable(before.SelectableFields, after.SelectableFields, add)
	if !apiequality.Semantic.DeepEqual(before.AdditionalPrinterColumns, after.AdditionalPrinterColumns) {
		add("additionalPrinterColumns", change{"printer columns changed", columnNames(before), columnNames(after), playground.BreaksNone,
			"kubectl get prints other columns; only scripts that cut them up may notice."})
	}
	s := schemaChanges{diff: d, version: after.Name, oldIndex: j, newIndex: i}
	s.compareRoots(before.Schema, after.Schema)
}

// storageMoved tells that version i of the new CRD, which is version j of the
// old one or new, stores the objects from now on.
func (d *diff) storageMoved(j, i int) {
	name, before := d.new.Spec.Versions[i].Name, storageVersion(d.old)
	change := change{"storage version changed", before, name, playground.BreaksNone, fmt.Sprintf(
		"What is written from now on is stored as %s. Objects stored as %s stay so until they are written again, and status.storedVersions names both.", name, before)}
	if lost := d.lostBetween(before, name); len(lost) > 0 {
		change.breaks = playground.BreaksStored
		change.because += fmt.Sprintf(" Then they lose what %s does not have: %s.", name, listed(lost))
	}
	oldField := "spec.versions"
	if j >= 0 {
		oldField = versionField(j, "storage")
	}
	d.addAt(playground.CRDChange{Version: name, Field: versionField(i, "storage")}, oldField, versionField(i, "storage"), change)
}

func storageVersion(crd *apiextensionsv1.CustomResourceDefinition) string {
	for _, v := range crd.Spec.Versions {
		if v.Storage {
			return v.Name
		}
	}
	return ""
}

// storageLoss says in a sentence which fields of a version are not stored.
func (d *diff) storageLoss(version string) string {
	storage := storageVersion(d.new)
	lost := d.lostBetween(version, storage)
	if len(lost) == 0 {
		return ""
	}
	return fmt.Sprintf(" What is written to %s is lost, since %s, which is stored, does not have it.", listed(lost), storage)
}

// lostBetween are the fields of one version of the new CRD, or of the old one,
// that another does not have; none if a webhook converts.
func (d *diff) lostBetween(from, to string) []string {
	conversion := d.new.Spec.Conversion
	if d.new.Spec.PreserveUnknownFields || conversion == nil || conversion.Strategy != apiextensionsv1.NoneConverter {
		return nil
	}
	before := d.schemaOf(from)
	after := d.schemaOf(to)
	if before == nil || after == nil {
		return nil
	}
	return lostFields(before, after, nil)
}

func (d *diff) schemaOf(version string) *apiextensionsv1.JSONSchemaProps {
	for _, definition := range []*apiextensionsv1.CustomResourceDefinition{d.new, d.old} {
		if i := crd.VersionIndex(definition, version); i >= 0 && definition.Spec.Versions[i].Schema != nil {
			return definition.Spec.Versions[i].Schema.OpenAPIV3Schema
		}
	}
	return nil
}

func columnNames(v apiextensionsv1.CustomResourceDefinitionVersion) []string {
	names := []string{}
	for _, c := range v.AdditionalPrinterColumns {
		names = append(names, c.Name)
	}
	return names
}

func compareSelectable(before, after []apiextensionsv1.SelectableField, add func(string, change)) {
	paths := func(fields []apiextensionsv1.SelectableField) []string {
		names := []string{}
		for _, f := range fields {
			names = append(names, f.JSONPath)
		}
		return names
	}
	if apiequality.Semantic.DeepEqual(before, after) {
		return
	}
	change := change{"selectable fields changed", paths(before), paths(after), playground.BreaksNone, "Clients may select by more fields."}
	if gone := missing(paths(before), paths(after)); len(gone) > 0 {
		change.breaks, change.because = playground.BreaksClients, "Field selectors on "+listed(gone)+" are refused."
	}
	add("selectableFields", change)
}

func compareSubresources(before, after *apiextensionsv1.CustomResourceSubresources, add func(string, change)) {
	before, after = ptr.To(ptr.Deref(before, apiextensionsv1.CustomResourceSubresources{})), ptr.To(ptr.Deref(after, apiextensionsv1.CustomResourceSubresources{}))
	switch {
	case before.Status == nil && after.Status != nil:
		add("subresources.status", change{"subresource added", nil, after.Status, playground.BreaksClients,
			"Writes to the object ignore its status from now on; clients have to use /status."})
	case before.Status != nil && after.Status == nil:
		add("subresources.status", change{"subresource removed", before.Status, nil, playground.BreaksClients,
			"Requests to /status are answered 404, and writes to the object set its status too."})
	}
	if apiequality.Semantic.DeepEqual(before.Scale, after.Scale) {
		return
	}
	change := change{"subresource changed", before.Scale, after.Scale, playground.BreaksClients,
		"kubectl scale and autoscalers read and write other fields."}
	switch {
	case before.Scale == nil:
		change.kind, change.breaks, change.because = "subresource added", playground.BreaksNone, "kubectl scale and autoscalers work from now on."
	case after.Scale == nil:
		change.kind, change.because = "subresource removed", "Requests to /scale are answered 404: kubectl scale and autoscalers fail."
	}
	add("subresources.scale", change)
}
