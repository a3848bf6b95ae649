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
		d.record("spec.preserveUnknownFields", change{"pruning changed", before, after, breaksBoth,
			"The API server now prunes fields that the schema does not specify, also when it reads stored objects."})
	case !before && after:
		d.record("spec.preserveUnknownFields", change{"pruning changed", before, after, breaksNothingKnown,
			"The API server now keeps fields that the schema does not specify."})
	}
}

func (d *diff) compareConversion() {
	before, after := d.old.Spec.Conversion, d.new.Spec.Conversion
	if before == nil || after == nil || apiequality.Semantic.DeepEqual(before, after) {
		return
	}
	if before.Strategy != after.Strategy {
		d.record("spec.conversion.strategy", change{"conversion changed", before.Strategy, after.Strategy, breaksClients,
			"Objects are converted in another way when they are read or written at a version that is not stored."})
		return
	}
	d.record("spec.conversion.webhook", change{"conversion changed", before.Webhook, after.Webhook, breaksNothingKnown,
		"The webhook or its settings changed. It must still convert objects in the same way."})
}

func versionField(i int, rest ...string) string {
	return strings.Join(append([]string{fmt.Sprintf("spec.versions[%d]", i)}, rest...), ".")
}

// recordAddedVersion records version i of the new CRD, which the old CRD lacks.
func (d *diff) recordAddedVersion(i int) {
	v := d.new.Spec.Versions[i]
	d.recordAt(Difference{CRDChange: playground.CRDChange{Version: v.Name, Field: versionField(i)}}, "spec.versions", versionField(i), change{
		"version added", nil, v.Name, breaksNothing,
		"Clients may use it besides the others, and see the same objects." + d.describeStorageLoss(v.Name),
	})
	if v.Storage {
		d.recordStorageChange(-1, i)
	}
}

// migration tells how to remove a version in which objects may be stored.
const migration = "First keep the version with served: false, write each object again, and remove the version from status.storedVersions. The plan of the upgrade has the commands."

// recordRemovedVersion records version j of the old CRD, which the new CRD
// lacks. The API server rejects the removal while status.storedVersions
// contains the version.
func (d *diff) recordRemovedVersion(j int) {
	v := d.old.Spec.Versions[j]
	change := change{"version removed", v.Name, nil, breaksNothing, "The version was not served. No object should be stored in it, because status.storedVersions does not list it."}
	stored := slices.Contains(d.old.Status.StoredVersions, v.Name)
	_, known := d.oldDoc.At("status", "storedVersions")
	switch {
	case stored:
		change.effect = breaksStored
		change.because = "The API server could not read objects that are stored in this version. It rejects the change until status.storedVersions no longer lists the version. " + migration
	case !known:
		change.effect = breaksStored
		change.because = "An earlier CRD may have stored objects in this version: the API server rejects the change if status.storedVersions in the cluster still lists the version. " + migration
	case v.Served:
		change.effect, change.because = breaksClients, "Requests at this version get status 404. The objects remain available at the other versions."
	}
	if v.Served && change.effect == breaksStored {
		change.effect = breaksBoth
	}
	d.recordAt(Difference{CRDChange: playground.CRDChange{Version: v.Name, Field: versionField(j)}}, versionField(j), "spec.versions", change)
}

// compareVersions compares version j of the old CRD with version i of the new
// CRD.
func (d *diff) compareVersions(j, i int) {
	before, after := d.old.Spec.Versions[j], d.new.Spec.Versions[i]
	add := func(field string, c change) {
		d.recordAt(Difference{CRDChange: playground.CRDChange{Version: after.Name, Field: versionField(i, field)}}, versionField(j, field), versionField(i, field), c)
	}
	switch {
	case before.Served && !after.Served:
		add("served", change{"version no longer served", true, false, breaksClients, "Requests at this version get status 404. The objects remain available at the other versions."})
	case !before.Served && after.Served:
		add("served", change{"version served", false, true, breaksNothing, "Clients can use this version in addition to the others."})
	}
	if !before.Storage && after.Storage {
		d.recordStorageChange(j, i)
	}
	if before.Deprecated != after.Deprecated {
		add("deprecated", change{"deprecation changed", before.Deprecated, after.Deprecated, breaksNothing, "Only the warning changes. Requests still succeed."})
	}
	if ptr.Deref(before.DeprecationWarning, "") != ptr.Deref(after.DeprecationWarning, "") {
		add("deprecationWarning", change{"deprecation changed", before.DeprecationWarning, after.DeprecationWarning, breaksNothing, "Only the warning changes. Requests still succeed."})
	}
	compareSubresources(before.Subresources, after.Subresources, add)
	compareSelectableFields(before.SelectableFields, after.SelectableFields, add)
	if !apiequality.Semantic.DeepEqual(before.AdditionalPrinterColumns, after.AdditionalPrinterColumns) {
		add("additionalPrinterColumns", change{"printer columns changed", columnsOf(before), columnsOf(after), breaksNothing,
			"kubectl get prints other columns. This affects only scripts that parse its output."})
	}
	s := schemaDiff{diff: d, version: after.Name, oldIndex: j, newIndex: i}
	s.compareRoots(before.Schema, after.Schema)
}

// recordStorageChange records that version i of the new CRD becomes the storage
// version. It is version j of the old CRD; j is negative if the old CRD lacks
// it.
func (d *diff) recordStorageChange(j, i int) {
	name, before := d.new.Spec.Versions[i].Name, storageVersion(d.old)
	change := change{"storage version changed", before, name, breaksNothing.unless(!d.haveOneSchema() || d.convertsByWebhook()), fmt.Sprintf(
		"The API server now stores objects as %s. Objects stored as %s keep this version until their next write, and status.storedVersions lists both.", name, before)}
	if lost := d.findLostFields(before, name); len(lost) > 0 {
		change.effect = breaksStored
		change.because += fmt.Sprintf(" The write then drops the fields that %s does not have: %s.", name, joinNames(lost))
	}
	oldField := "spec.versions"
	if j >= 0 {
		oldField = versionField(j, "storage")
	}
	d.recordAt(Difference{CRDChange: playground.CRDChange{Version: name, Field: versionField(i, "storage")}}, oldField, versionField(i, "storage"), change)
}

// storageVersion returns the name of the version in which objects are stored.
func storageVersion(crd *apiextensionsv1.CustomResourceDefinition) string {
	for _, v := range crd.Spec.Versions {
		if v.Storage {
			return v.Name
		}
	}
	return ""
}

// describeStorageLoss returns a sentence about the fields of a version that are
// not stored, or an empty string.
func (d *diff) describeStorageLoss(version string) string {
	storage := storageVersion(d.new)
	lost := d.findLostFields(version, storage)
	if len(lost) == 0 {
		return ""
	}
	return fmt.Sprintf(" Values written to %s are lost, because the storage version %s does not have these fields.", joinNames(lost), storage)
}

// findLostFields returns the fields of one version that another version prunes.
// It returns nil if the CRD preserves unknown fields, and with a conversion
// webhook, which may keep them.
func (d *diff) findLostFields(from, to string) []string {
	conversion := d.new.Spec.Conversion
	if d.new.Spec.PreserveUnknownFields || conversion == nil || conversion.Strategy != apiextensionsv1.NoneConverter {
		return nil
	}
	before := d.findSchema(from)
	after := d.findSchema(to)
	if before == nil || after == nil {
		return nil
	}
	return missingFields(before, after, nil)
}

// findSchema returns a version's schema in the new CRD, or otherwise in the old
// CRD, or nil.
func (d *diff) findSchema(version string) *apiextensionsv1.JSONSchemaProps {
	for _, definition := range []*apiextensionsv1.CustomResourceDefinition{d.new, d.old} {
		if i := crd.VersionIndex(definition, version); i >= 0 && definition.Spec.Versions[i].Schema != nil {
			return definition.Spec.Versions[i].Schema.OpenAPIV3Schema
		}
	}
	return nil
}

// columnsOf describes the printer columns of a version: the names alone would hide another path or type.
func columnsOf(v apiextensionsv1.CustomResourceDefinitionVersion) []string {
	columns := []string{}
	for _, c := range v.AdditionalPrinterColumns {
		column := fmt.Sprintf("%s: %s of type %s", c.Name, c.JSONPath, c.Type)
		if c.Format != "" {
			column += ", format " + c.Format
		}
		if c.Priority != 0 {
			column += fmt.Sprintf(", priority %d", c.Priority)
		}
		columns = append(columns, column)
	}
	return columns
}

func compareSelectableFields(before, after []apiextensionsv1.SelectableField, add func(string, change)) {
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
	change := change{"selectable fields changed", paths(before), paths(after), breaksNothing, "Clients can select by more fields."}
	if gone := subtract(paths(before), paths(after)); len(gone) > 0 {
		change.effect, change.because = breaksClients, "The API server now rejects field selectors on "+joinNames(gone)+"."
	}
	add("selectableFields", change)
}

func compareSubresources(before, after *apiextensionsv1.CustomResourceSubresources, add func(string, change)) {
	before, after = new(ptr.Deref(before, apiextensionsv1.CustomResourceSubresources{})), new(ptr.Deref(after, apiextensionsv1.CustomResourceSubresources{}))
	switch {
	case before.Status == nil && after.Status != nil:
		add("subresources.status", change{"subresource added", nil, after.Status, breaksClients,
			"The API server now ignores the status in other requests. Clients must write it to /status."})
	case before.Status != nil && after.Status == nil:
		add("subresources.status", change{"subresource removed", before.Status, nil, breaksClients,
			"Requests to /status get status 404. Other requests now also set the status."})
	}
	if apiequality.Semantic.DeepEqual(before.Scale, after.Scale) {
		return
	}
	change := change{"subresource changed", before.Scale, after.Scale, breaksClients,
		"kubectl scale and autoscalers now read and write other fields."}
	switch {
	case before.Scale == nil:
		change.kind, change.effect, change.because = "subresource added", breaksNothingKnown, "kubectl scale and autoscalers can now scale the objects."
	case after.Scale == nil:
		change.kind, change.because = "subresource removed", "Requests to /scale get status 404, so kubectl scale and autoscalers fail."
	}
	add("subresources.scale", change)
}
