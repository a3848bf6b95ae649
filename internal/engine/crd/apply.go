package crd

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/kubectl"
	"github.com/crdlab/crdlab/internal/engine/openapi"
	"github.com/crdlab/crdlab/internal/engine/owner"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// apply merges the document into the existing CRD, or into a new one. It does nothing for
// other requests, except that it records their field manager if the report needs it.
func apply(r *Request) error {
	if name, _ := r.Doc.Lookup("metadata", "name"); r.Old != nil && r.isApply() && name != r.Old.Name {
		r.Old, r.OldDoc = nil, nil // The CRD is new in the cluster.
	}
	switch r.operation {
	case playground.OperationApply:
		return r.applyServerSide()
	case playground.CRDOperationClientApply:
		return r.applyClientSide()
	}
	return r.recordOwner()
}

func (r *Request) isApply() bool {
	return r.operation == playground.OperationApply || r.operation == playground.CRDOperationClientApply
}

// merges reports whether the API server decodes the document only as a part of the merged CRD.
func (r *Request) merges() bool {
	return r.operation == playground.OperationApply || r.operation == playground.CRDOperationClientApply && r.Old != nil
}

// applyServerSide lets upstream's field manager merge the document. It follows applyPatcher of
// k8s.io/apiserver/pkg/endpoints/handlers.
func (r *Request) applyServerSide() error {
	configuration := map[string]any{}
	if err := utilyaml.Unmarshal([]byte(r.Doc.Text), &configuration); err != nil {
		return apierrors.NewBadRequest(fmt.Sprintf("error decoding patch: %v", err))
	}
	manager, err := newFieldManager()
	if err != nil {
		return err
	}
	merged, err := manager.Apply(r.live(), &unstructured.Unstructured{Object: configuration}, r.fieldManager, r.force)
	if err != nil {
		return upstream.SortCauses(err)
	}
	warnings, err := upstream.CheckDuplicates(r.Doc.Text, r.fieldValidation)
	if err != nil {
		return err
	}
	r.warn(warnings...)
	if err := r.adopt(r.migrated(manager, merged, configuration)); err != nil {
		return err
	}
	if uid := r.Internal.UID; uid != "" && r.Old == nil {
		return apierrors.NewConflict(resource, r.Internal.Name,
			fmt.Errorf("uid mismatch: the provided object specified uid %s, and no existing object was found", uid))
	}
	return nil
}

// migrated returns what kubectl makes of a merged CRD that it had applied client-side before. kubectl sends
// further requests only after an accepted one, and if one of them is refused, the result remains.
func (r *Request) migrated(manager *managedfields.FieldManager, merged runtime.Object, configuration map[string]any) runtime.Object {
	if r.Old == nil {
		return merged
	}
	apply := func(live runtime.Object, configuration *unstructured.Unstructured, name string) (runtime.Object, error) {
		return manager.Apply(live, configuration, name, r.force)
	}
	migrated, err := kubectl.Migrate(merged, &unstructured.Unstructured{Object: configuration}, r.fieldManager, apply)
	if err != nil || migrated == nil || !r.accepts(merged) || !r.accepts(migrated) {
		return merged
	}
	r.between, _ = merged.(*apiextensions.CustomResourceDefinition)
	return migrated
}

// accepts reports whether the API server accepts a merged CRD.
func (r *Request) accepts(merged runtime.Object) bool {
	internal, ok := merged.DeepCopyObject().(*apiextensions.CustomResourceDefinition)
	if !ok {
		return false
	}
	trial := *r
	trial.CRD = &CRD{Doc: r.Doc, Internal: internal, Old: r.Old, operation: r.operation}
	return validate(&trial) == nil
}

// IsClientApply reports whether kubectl applies the CRD without --server-side.
func (c *CRD) IsClientApply() bool { return c.operation == playground.CRDOperationClientApply }

// live returns the existing CRD, or the empty object that the API server begins with.
func (r *Request) live() runtime.Object {
	if r.Old == nil {
		return &apiextensionsv1.CustomResourceDefinition{}
	}
	return r.Old.DeepCopy()
}

// adopt continues the request with the merged CRD, and explains the fields that the document lacks.
func (r *Request) adopt(merged runtime.Object) error {
	internal, ok := merged.(*apiextensions.CustomResourceDefinition)
	if !ok {
		return fmt.Errorf("applied to a %T", merged)
	}
	sent := r.Internal
	r.Internal = internal
	r.setTimes()
	if r.Old == nil || sent == nil {
		return nil
	}
	return r.explainKept(sent)
}

// recordOwner records the manager of a create or an update as the owner of the fields that the
// request changes.
func (r *Request) recordOwner() error {
	if !r.stored {
		return nil
	}
	manager, err := newFieldManager()
	if err != nil {
		return err
	}
	r.Internal = manager.UpdateNoErrors(r.live(), r.Internal, r.fieldManager).(*apiextensions.CustomResourceDefinition)
	r.setTimes()
	return nil
}

// setTimes sets the times of the entries that the field manager has written.
func (r *Request) setTimes() {
	var live []metav1.ManagedFieldsEntry
	if r.Old != nil {
		live = r.Old.ManagedFields
	}
	r.Internal.ManagedFields = owner.Timed(r.Internal.ManagedFields, live, r.now)
}

// newFieldManager returns the field manager of the endpoint of CRDs.
func newFieldManager() (*managedfields.FieldManager, error) {
	types, err := crdTypes()
	if err != nil {
		return nil, fmt.Errorf("prepare the types of CRDs: %w", err)
	}
	// GetResetFields of the strategy: only controllers write the status.
	reset := map[fieldpath.APIVersion]*fieldpath.Set{}
	for _, version := range []string{apiextensionsv1.SchemeGroupVersion.String(), apiextensionsv1beta1.SchemeGroupVersion.String()} {
		reset[fieldpath.APIVersion(version)] = fieldpath.NewSet(fieldpath.MakePathOrDie("status"))
	}
	return managedfields.NewDefaultFieldManager(types, runtime.UnsafeObjectConvertor(scheme), scheme, scheme,
		v1Kind, apiextensions.SchemeGroupVersion, "", fieldpath.NewExcludeFilterSetMap(reset))
}

// crdTypes are the types of CRDs themselves, which never change.
var crdTypes = sync.OnceValues(openapi.CRDTypes)

// maxKeptFindings limits the number of findings about what apply keeps.
const maxKeptFindings = 10

// explainKept adds a finding for each value of the merged CRD that the document alone would
// not result in. sent is the decoded document.
func (r *Request) explainKept(sent *apiextensions.CustomResourceDefinition) error {
	without, err := content(sent)
	if err != nil {
		return err
	}
	merged, err := content(r.Internal)
	if err != nil {
		return err
	}
	existing, err := content(r.Old)
	if err != nil {
		return err
	}
	count := 0
	for _, change := range jsonvalue.Diff(without, merged, nil) {
		if change.Op == playground.ChangeRemove || count == maxKeptFindings {
			continue
		}
		if before, _ := jsonvalue.At(existing, change.Path); len(jsonvalue.BeforeIndex(change.Path)) == len(change.Path) && !jsonvalue.Equal(before, change.Value) {
			continue // a default, not an existing value
		}
		count++
		f := r.keptFinding(change)
		r.findings.Add(f)
		if f.Field != "spec.conversion.webhook" {
			continue
		}
		r.webhookHint = "The webhook is the existing CRD's, and apply keeps it. Write webhook: null, or use kubectl replace."
		if r.operation == playground.OperationApply {
			r.webhookHint = "The webhook is the existing CRD's, and apply keeps it. Remove it with kubectl replace, or with a merge patch in which it is null."
		}
	}
	return nil
}

// keptFinding returns a finding about a value that apply keeps.
func (r *Request) keptFinding(change jsonvalue.Change) playground.Finding {
	path := jsonvalue.BeforeIndex(change.Path)
	field := jsonvalue.PathString(path)
	at := r.Doc.Line(1)
	if location, ok := finding.LocateCRD(r.Doc, field); ok {
		at = finding.Mark(location)
	}
	f := finding.New(playground.SeverityInfo, playground.DocumentCRD, playground.StageCRDApply, at,
		"apply keeps the existing value, which the document does not have")
	f.Field = field
	f.Reason = playground.ReasonKept
	owners := owner.Of(r.Old.ManagedFields, path...)
	switch {
	case r.operation == playground.CRDOperationClientApply:
		f.Hint = "kubectl apply removes only what the annotation " + kubectl.LastApplied + " has. To remove the value, write it as null, or use kubectl replace."
	case len(owners) > 0:
		f.Hint = "The value belongs to " + strings.Join(owners, ", ") + ". It stays until its managers no longer apply it. To remove it, use kubectl replace."
	default:
		f.Hint = "The value has no known owner, because the existing CRD has no managedFields for it. To remove it, use kubectl replace."
	}
	return f
}

// content returns what users write in a CRD, as JSON values.
func content(internal *apiextensions.CustomResourceDefinition) (map[string]any, error) {
	v1, err := ToV1(internal)
	if err != nil {
		return nil, err
	}
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(v1)
	if err != nil {
		return nil, err
	}
	metadata := map[string]any{}
	for _, name := range []string{"labels", "annotations"} {
		if values, found, _ := unstructured.NestedMap(object, "metadata", name); found {
			delete(values, kubectl.LastApplied)
			if len(values) > 0 {
				metadata[name] = values
			}
		}
	}
	return map[string]any{"metadata": metadata, "spec": object["spec"]}, nil
}

// requestTime returns the time of a request, which was parsed before.
func requestTime(now string) time.Time {
	at, err := time.Parse(time.RFC3339, now)
	if err != nil {
		at = time.Now()
	}
	return at.UTC().Truncate(time.Second)
}
