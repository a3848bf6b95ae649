package object

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// defaultNamespace is where kubectl creates an object that names none.
const defaultNamespace = "default"

// prepare sets what users cannot, as the create handler, the generic registry
// and the strategy of custom resources do. What is random in a cluster is
// derived from the object, so that a report can be repeated.
func prepare(r *Request) error {
	return r.recordPreparing(func() error {
		if err := r.receive(); err != nil {
			return err
		}
		return r.complete()
	})
}

// receiveObject is what prepare does before admission plugins change the
// object.
func receiveObject(r *Request) error { return r.recordPreparing(r.receive) }

// completeObject is what prepare does after them.
func completeObject(r *Request) error { return r.recordPreparing(r.complete) }

func (r *Request) recordPreparing(step func() error) error {
	before := r.snapshot()
	err := step()
	r.recordChanges(before, playground.CauseServer, r.preparingReason())
	return err
}

func (r *Request) preparingReason() func(jsonvalue.Change) string {
	if r.creates() || r.Old == nil {
		return r.createReason
	}
	return r.updateReason
}

// receive is the part of the request's handler.
func (r *Request) receive() error {
	if r.creates() {
		rest.WipeObjectMetaSystemFields(r.Object)
	}
	r.requestName, r.requestNamespace = r.Object.GetName(), r.namespace()
	if err := rest.EnsureObjectNamespaceMatchesRequestNamespace(r.requestNamespace, r.Object); err != nil {
		return err
	}
	r.dedupOwnerReferences()
	if r.operation != playground.OperationApply {
		r.Object.SetManagedFields(nil) // not shown by kubectl, and only apply depends on it
	}
	if r.creates() {
		return nil
	}
	if err := r.findOld(); err != nil {
		return err
	}
	return r.checkUID()
}

// complete is the part of the generic registry and of the strategy.
func (r *Request) complete() error {
	if r.creates() {
		r.prepareCreate()
	}
	if err := rest.EnsureObjectNamespaceMatchesRequestNamespace(r.requestNamespace, r.Object); err != nil {
		return err
	}
	if r.creates() {
		return nil
	}
	return r.prepareUpdate()
}

// creates says whether the request makes a new object.
func (r *Request) creates() bool {
	return r.operation == playground.OperationCreate || r.operation == playground.OperationApply && r.Old == nil
}

func (r *Request) prepareCreate() {
	r.Object.SetCreationTimestamp(metav1.NewTime(r.now))
	if r.Object.GetName() == "" && r.Object.GetGenerateName() != "" {
		r.Object.SetName(upstream.GenerateName(r.Object.GetGenerateName()))
	}
	r.Object.SetUID(r.uid())
	if r.Version.HasStatus {
		delete(r.Object.Object, "status")
	}
	r.Object.SetGeneration(1)
}

// namespace is the namespace in the URL that a client sends the object to.
func (r *Request) namespace() string {
	switch {
	case !r.Version.Namespaced:
		return metav1.NamespaceNone
	case r.Object.GetNamespace() == "":
		return defaultNamespace
	}
	return r.Object.GetNamespace()
}

// createReason says why preparing a new object changed a value.
func (r *Request) createReason(c jsonvalue.Change) string {
	switch path := jsonvalue.PathString(c.Path); {
	case path == "status":
		return "the status subresource is enabled: only its own endpoint sets the status"
	case path == "metadata.namespace" && c.Op == playground.ChangeRemove:
		return "the resource is cluster-scoped"
	case path == "metadata.namespace":
		return "the namespace of the request"
	case path == "metadata.name":
		return "generated from metadata.generateName"
	case path == "metadata.ownerReferences":
		return "duplicate owner references are dropped"
	}
	return "set by the API server, not by users"
}

// dedupOwnerReferences drops owner references that stand there twice, with a
// warning (k8s.io/apiserver/pkg/endpoints/handlers).
func (r *Request) dedupOwnerReferences() {
	var unique []metav1.OwnerReference
	var duplicates []string
	for _, ref := range r.Object.GetOwnerReferences() {
		same := func(other metav1.OwnerReference) bool { return apiequality.Semantic.DeepEqual(other, ref) }
		if slices.ContainsFunc(unique, same) {
			duplicates = append(duplicates, string(ref.UID))
			continue
		}
		unique = append(unique, ref)
	}
	if len(duplicates) == 0 {
		return
	}
	r.warn(fmt.Sprintf(".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: %v",
		strings.Join(duplicates, ", ")))
	r.Object.SetOwnerReferences(unique)
}

// uid is a UUID made from what identifies the object.
func (r *Request) uid() types.UID {
	id := strings.Join([]string{r.Version.Kind.Group, r.Version.Kind.Kind, r.Object.GetNamespace(), r.Object.GetName()}, "/")
	return types.UID(uuid.NewSHA1(uuid.NameSpaceURL, []byte(id)).String())
}
