// Package owner holds the data that the API server adds to the entries of field managers, beside
// upstream's managers themselves.
package owner

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Timed returns entries with the time of the request instead of the machine's in those
// that a field manager has written, in the API server's order. If only times differ from the
// entries of the live object, they stay, see IgnoreManagedFieldsTimestampsTransformer of
// k8s.io/apiserver/pkg/endpoints/handlers/fieldmanager.
func Timed(entries, live []metav1.ManagedFieldsEntry, now time.Time) []metav1.ManagedFieldsEntry {
	isNew := func(entry metav1.ManagedFieldsEntry) bool {
		return !slices.ContainsFunc(live, func(e metav1.ManagedFieldsEntry) bool {
			return isSameManager(e, entry) && unixTime(e) == unixTime(entry)
		})
	}
	for i := range entries {
		if entries[i].Time != nil && isNew(entries[i]) {
			at := metav1.NewTime(now)
			entries[i].Time = &at
		}
	}
	slices.SortStableFunc(entries, compareEntries)
	return entries
}

// compareEntries orders entries by operation, time in seconds and manager. It follows
// sortEncodedManagedFields of k8s.io/apimachinery/pkg/util/managedfields/internal.
func compareEntries(a, b metav1.ManagedFieldsEntry) int {
	return cmp.Or(
		cmp.Compare(a.Operation, b.Operation),
		cmp.Compare(unixTime(a), unixTime(b)),
		cmp.Compare(a.Manager, b.Manager),
		cmp.Compare(a.APIVersion, b.APIVersion),
		cmp.Compare(a.Subresource, b.Subresource),
	)
}

// isSameManager reports whether two entries belong to the same manager. The version of an
// applied configuration may change, see BuildManagerIdentifier of the same package.
func isSameManager(a, b metav1.ManagedFieldsEntry) bool {
	return a.Manager == b.Manager && a.Operation == b.Operation && a.Subresource == b.Subresource
}

func unixTime(e metav1.ManagedFieldsEntry) int64 {
	if e.Time == nil {
		return 0
	}
	return e.Time.Unix()
}

// ConflictHint returns the hint for a conflict of a manager with the managers of a live object. isOwn reports
// that the other manager has the same name, and isAtomic that the conflict is about an atomic list.
func ConflictHint(live []metav1.ManagedFieldsEntry, isOwn, isAtomic bool) string {
	if len(live) == 0 {
		return "The existing object has no managedFields, so its fields have no known owner. Add the managedFields that kubectl get --show-managed-fields prints, set the field to the same value, or force the conflict."
	}
	switch {
	case isOwn:
		return "The same manager set this field with a create or update request. Ownership is per manager and operation, so it conflicts with apply. Force the conflict once to take ownership."
	case isAtomic:
		return "Another manager owns this list. It is atomic, so forcing the conflict replaces all of its items. To let managers share it, set x-kubernetes-list-type to map (with x-kubernetes-list-map-keys) or set in the CRD."
	}
	return "Another manager set this field. Remove it, set it to the same value, or force the conflict (--force-conflicts) to take ownership."
}
