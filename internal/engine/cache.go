package engine

import (
	"maps"
	"sync"
	"sync/atomic"

	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/utils/lru"

	"github.com/crdlab/crdlab/internal/engine/admission"
	"github.com/crdlab/crdlab/internal/engine/admission/manifest"
	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/openapi"
	"github.com/crdlab/crdlab/internal/playground"
)

// caches holds the caches of an engine. Each key holds all inputs of its value.
// Documents are part of the keys as strings, because hashing a large document needs
// more time than evaluating an object.
//
//	cache        key                                      entries  benchmark
//	crds         release, both CRDs, options, file        16       BenchmarkCRDEdit
//	lastCRD      the key of crds                          1        BenchmarkObjectEdit
//	plugins      release, admission document              16       -
//	policyTypes  the keys of crds and plugins             16       -
//	changes      the key of crds                          16       BenchmarkCRDUpdate
//	types        -                                        1        -
//
// Package celrule caches compiled rules. Package crd caches the last valid CRD and
// values derived from a CRD.
type caches struct {
	crds *lru.Cache // of *crd.CRD by crdKey
	// lastCRD is the CRD of the previous evaluation. It stays when the others are
	// forgotten: the next keystroke in the object needs it.
	lastCRD     atomic.Pointer[keyedCRD]
	plugins     *lru.Cache // of *admission.Plugins by pluginsKey
	policyTypes *lru.Cache // of []playground.Finding by policyTypesKey
	changes     *lru.Cache // of []playground.CRDChange by crdKey
	types       struct {
		sync.Once
		built *crdschema.Types
	}
}

// maxCached limits the entries of each LRU cache. A page needs the current CRD and the
// CRDs that undo restores; a server evaluates a few CRDs at a time.
const maxCached = 16

func newCaches() *caches {
	return &caches{crds: lru.New(maxCached), plugins: lru.New(maxCached), policyTypes: lru.New(maxCached), changes: lru.New(maxCached)}
}

// ForgetCRDs removes all CRDs from the caches, except for the last one. A caller with
// little memory limits it in this way: a large CRD needs 100 MiB.
func (e *Engine) ForgetCRDs() {
	e.caches.crds.Clear()
	e.caches.policyTypes.Clear()
}

// A crdKey identifies an evaluated CRD.
type crdKey struct {
	kubernetes, fieldValidation string
	crd, oldCRD, crdFile        string
	operation, manager          string
	force, stored, verdictOnly  bool
	// now is empty for requests whose report does not depend on it.
	now string
}

func newCRDKey(s playground.Scenario) crdKey {
	key := crdKey{
		kubernetes: s.Kubernetes, fieldValidation: s.FieldValidation, crd: s.CRD, oldCRD: s.OldCRD, crdFile: s.CRDFile,
		operation: s.CRDOperation, manager: s.CRDFieldManager, force: s.CRDForce, stored: s.CRDStored, verdictOnly: s.VerdictOnly,
	}
	if s.CRDStored {
		key.now = s.Now
	}
	return key
}

// A keyedCRD is an evaluated CRD with its key.
type keyedCRD struct {
	key crdKey
	crd *crd.CRD
}

// A pluginsKey identifies admission plugins.
type pluginsKey struct{ kubernetes, admission string }

func newPluginsKey(s playground.Scenario) pluginsKey {
	return pluginsKey{s.Kubernetes, s.Admission}
}

// A policyTypesKey identifies the type checks of policies against a CRD.
type policyTypesKey struct {
	crd     crdKey
	plugins pluginsKey
}

// crd returns the cached CRD with the given key, and remembers it as the last CRD.
func (c *caches) crd(key crdKey) (*crd.CRD, bool) {
	if last := c.lastCRD.Load(); last != nil && last.key == key {
		return last.crd, true
	}
	cached, ok := c.crds.Get(key)
	if !ok {
		return nil, false
	}
	c.lastCRD.Store(&keyedCRD{key, cached.(*crd.CRD)})
	return cached.(*crd.CRD), true
}

// admissionPlugins returns the plugins with the given key. It loads and caches them if
// the cache lacks them.
func (c *caches) admissionPlugins(key pluginsKey, load func() (*admission.Plugins, error)) (*admission.Plugins, error) {
	if cached, ok := c.plugins.Get(key); ok {
		return cached.(*admission.Plugins), nil
	}
	plugins, err := load()
	if err != nil {
		return nil, err
	}
	c.plugins.Add(key, plugins)
	return plugins, nil
}

// policyTypeFindings returns the findings with the given key. It calls check and caches
// its findings if the cache lacks them.
func (c *caches) policyTypeFindings(key policyTypesKey, check func() ([]playground.Finding, error)) ([]playground.Finding, error) {
	if cached, ok := c.policyTypes.Get(key); ok {
		return cached.([]playground.Finding), nil
	}
	findings, err := check()
	if err != nil {
		return nil, err
	}
	c.policyTypes.Add(key, findings)
	return findings, nil
}

// KubernetesTypes returns the Kubernetes types for which the engine has definitions. It
// builds them at the first call.
func (e *Engine) KubernetesTypes() *crdschema.Types {
	types := &e.caches.types
	types.Do(func() { types.built = crdschema.NewTypes(definitions) })
	return types.built
}

func definitions(reference common.ReferenceCallback) map[string]common.OpenAPIDefinition {
	all := openapi.Definitions(reference)
	maps.Copy(all, manifest.Definitions(reference))
	return all
}
