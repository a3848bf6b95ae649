package object

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdlab/crdlab/internal/engine/conversion"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// A formerOwner is an entry of metadata.managedFields at a version other than the request's. It makes
// server-side apply fail, because the API server converts the object to that version.
type formerOwner struct {
	metav1.ManagedFieldsEntry
	// index is the index of the entry.
	index int
	// isGone reports that the CRD lacks the version.
	isGone bool
}

// explainFormer returns the error of a merge with the entry that causes it, if there is one: without
// the entry, the merge succeeds.
func (r *Request) explainFormer(live, configuration *unstructured.Unstructured, err error) error {
	if apierrors.IsConflict(err) {
		return err
	}
	entries := live.GetManagedFields()
	for i, entry := range entries {
		if entry.APIVersion == configuration.GetAPIVersion() {
			continue
		}
		without := live.DeepCopy()
		without.SetManagedFields(slices.Delete(slices.Clone(entries), i, i+1))
		if _, retried := mergeConfiguration(&r.endpoint, without, configuration, r.options); retried == nil || retried.Error() != err.Error() {
			_, version, _ := strings.Cut(entry.APIVersion, "/")
			r.former = &formerOwner{entry, i, r.endpoint.CRD.Versions[version] == nil}
			return err
		}
	}
	return err
}

// describe adds the entry and the remedy to the finding of the error.
func (o *formerOwner) describe(r *Request, f *playground.Finding) {
	cause := fmt.Sprintf("whose schema lacks a field. Declare the field in %s as well, convert it with a webhook, or clear the entries", o.APIVersion)
	if o.isGone {
		cause = "which the CRD no longer has, so every server-side apply fails. Clear the entries"
	}
	f.Hint = fmt.Sprintf("The manager %q wrote the object at %s, %s: %s", o.Manager, o.APIVersion, cause, clearOwners(r))
	if o.isGone {
		f.Hint += "\nTo prevent this, keep the version in the CRD with served: false until no object has such an entry."
	}
	if location, ok := r.rec.doc.At("apiVersion"); ok {
		f.Range = location.Value()
	}
	if r.rec.existing == nil {
		return
	}
	if location, ok := r.rec.existing.At("metadata", "managedFields", o.index); ok {
		f.Related = append(f.Related, playground.Related{
			Document: playground.DocumentOldObject, Range: location.Value(), Message: fmt.Sprintf("The entry of %q at %s", o.Manager, o.APIVersion),
		})
	}
}

// clearOwners returns the command that removes all entries of managedFields. The API server takes an
// empty list for a list that the client does not know, and an empty entry for this request.
func clearOwners(r *Request) string {
	namespace := ""
	if name := r.object.GetNamespace(); name != "" {
		namespace = " --namespace " + name
	}
	return fmt.Sprintf(`kubectl patch %s %s%s --type=json -p '[{"op": "replace", "path": "/metadata/managedFields", "value": [{}]}]'`,
		r.endpoint.CRD.V1.Name, r.object.GetName(), namespace)
}

// Applies returns the finding about an entry of managedFields that makes every server-side apply to
// the object fail; nil if one succeeds, or if the result is not known.
func (s *StoredRead) Applies() *playground.Finding {
	r := s.request
	if len(r.object.GetManagedFields()) == 0 {
		return nil
	}
	probe := newStoredRead(r.ctx, r.endpoint.Target, r.rec.doc, s.stored, r.options.now).request
	probe.options.operation, probe.options.fieldManager, probe.options.force = playground.OperationApply, "crdlab", true
	probe.object = r.object
	configuration := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": r.object.GetAPIVersion(), "kind": r.object.GetKind(), "metadata": map[string]any{"name": r.object.GetName(), "namespace": r.object.GetNamespace()},
	}}
	var refused error
	if err := upstream.Guard(playground.StageApply, func() error {
		_, refused = probe.mergeConfiguration(r.object, configuration)
		return nil
	}); err != nil || refused == nil || errors.Is(refused, conversion.ErrNoWebhook) {
		return nil
	}
	refused = probe.explainFormer(r.object, configuration, refused)
	if probe.former == nil {
		return nil
	}
	f := r.rec.finding(playground.StageApply, upstream.StatusOf(refused).Message)
	f.Document, f.Reason = playground.DocumentOldObject, upstream.StatusOf(refused).Reason
	probe.former.describe(probe, &f)
	f.Range = r.rec.doc.Line(1)
	if location, ok := r.rec.doc.At("metadata", "managedFields", probe.former.index); ok {
		f.Range = location.Value()
	}
	return &f
}
