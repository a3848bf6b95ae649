// Package enginetest connects the engine's tests with the reference server. Its
// subpackages read test cases, send them to API servers and compare verdicts.
// Only tests and the conformance program import them.
package enginetest

import (
	"errors"
	"strings"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"

	"github.com/crdlab/crdlab/internal/apiclient"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/admission"
	"github.com/crdlab/crdlab/internal/engine/admission/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/refserver"
)

// The handlers log each response with an error; tests read the response.
func init() { klog.SetLogger(logr.Discard()) }

// A RefCluster is a reference server as the cluster of an [apiclient.Client].
type RefCluster struct{ *refserver.Server }

var _ apiclient.Cluster = RefCluster{}

// NewRefCluster returns a cluster without CRDs.
func NewRefCluster() (RefCluster, error) {
	server, err := refserver.New()
	return RefCluster{server}, err
}

// NewRefClient returns a client of a new [RefCluster]. The engine provides the
// responses of conversion webhooks.
func NewRefClient() (*apiclient.Client, error) {
	cluster, err := NewRefCluster()
	if err != nil {
		return nil, err
	}
	return apiclient.New(cluster, engine.New().Evaluate), nil
}

// HasControllers returns false.
func (RefCluster) HasControllers() bool { return false }

// Reset implements [apiclient.Cluster].
func (c RefCluster) Reset() error {
	c.Server.Reset()
	return nil
}

// ClearObjects implements [apiclient.Cluster].
func (c RefCluster) ClearObjects() error {
	c.Server.ClearObjects()
	return nil
}

// SetAdmission implements [apiclient.Cluster].
func (c RefCluster) SetAdmission(s playground.Scenario) error {
	a := refserver.Admission{User: admission.Requester(s), Authorizer: admission.NoRoles}
	if strings.TrimSpace(s.Admission) != "" {
		objects, complete := manifest.Objects(s.Admission)
		if !complete {
			return &apiclient.UnsupportedError{Reason: "admission cannot be in a cluster: a document has errors"}
		}
		a.Objects = withNamespaces(objects, s)
	}
	err := c.Server.SetAdmission(a)
	if unsupported := (*refserver.UnsupportedError)(nil); errors.As(err, &unsupported) {
		return &apiclient.UnsupportedError{Reason: unsupported.Reason}
	}
	return err
}

// withNamespaces appends the namespaces of the scenario's objects that the
// scenario does not declare.
func withNamespaces(objects []runtime.Object, s playground.Scenario) []runtime.Object {
	known := map[string]bool{}
	for _, object := range objects {
		if namespace, ok := object.(*corev1.Namespace); ok {
			known[namespace.Name] = true
		}
	}
	for _, name := range apiclient.Namespaces(s) {
		if !known[name] {
			known[name] = true
			objects = append(objects, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelMetadataName: name}}})
		}
	}
	return objects
}
