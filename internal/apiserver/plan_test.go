package apiserver

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	clientv3 "go.etcd.io/etcd/client/v3"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/klog/v2"
	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/assist"
	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/memetcd"
	"github.com/crdlab/crdlab/internal/upgrade"
)

// A cluster carries out plans.
type cluster struct {
	client dynamic.Interface
	etcd   clientv3.KV
	// engine foretells what happens.
	engine *engine.Engine
}

var crdResource = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

func newCluster(t *testing.T) *cluster {
	klog.SetLogger(logr.Discard())
	data, err := memetcd.New()
	if err != nil {
		t.Fatal(err)
	}
	server := newTestServer(t, Options{Data: data, AllowAll: true})
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- server.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	<-server.Ready()
	config := *server.Config
	config.QPS = -1
	client, err := dynamic.NewForConfig(&config)
	if err != nil {
		t.Fatal(err)
	}
	return &cluster{client, data.KV, engine.New()}
}

// carryOut plans the update from one CRD to another, and does on the server what each step says. It compares what
// happens with what the plan foretells, and returns the plan.
func (c *cluster) carryOut(t *testing.T, old, changed string) upgrade.PlannedCRD {
	t.Helper()
	inputs := make([]*manifest.Input, 3)
	for i, text := range []string{old, changed, ""} {
		inputs[i] = manifest.NewInput()
		inputs[i].Add(fmt.Sprintf("%d.yaml", i), text)
	}
	plan, err := upgrade.NewPlan(t.Context(), check.Engine{Evaluate: c.engine.Evaluate}, inputs[:2], inputs[2], upgrade.PlanOptions{Assist: assist.New(c.engine).Respond})
	if err != nil {
		t.Fatal(err)
	}
	w := &walk{t: t, cluster: c, planned: plan.CRDs[0]}
	defer w.end()
	if !w.begin(old) {
		return w.planned
	}
	w.refusedBefore()
	for i, step := range w.planned.Steps {
		if !w.take(i, step) {
			t.Logf("the plan:\n%s", old+"---\n"+changed)
			break
		}
	}
	return w.planned
}

// A walk takes the steps of a plan.
type walk struct {
	t *testing.T
	*cluster
	planned upgrade.PlannedCRD
	objects []*unstructured.Unstructured
	// manifest is the manifest of the last step.
	manifest map[string]any
	isBroken map[string]bool // by the name of an object
}

func (w *walk) crds() dynamic.ResourceInterface { return w.client.Resource(crdResource) }

func (w *walk) crd() *unstructured.Unstructured {
	crd, err := w.crds().Get(context.Background(), w.planned.Name, metav1.GetOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	return crd
}

// resource returns the client for an object at a version.
func (w *walk) resource(o *unstructured.Unstructured, version string) dynamic.ResourceInterface {
	plural, group, _ := strings.Cut(w.planned.Name, ".")
	r := w.client.Resource(schema.GroupVersionResource{Group: group, Version: version, Resource: plural})
	if scope, _, _ := unstructured.NestedString(w.manifest, "spec", "scope"); scope == "Namespaced" {
		namespace := o.GetNamespace()
		if namespace == "" {
			namespace = "default"
		}
		return r.Namespace(namespace)
	}
	return r
}

func decoded(t *testing.T, text string) map[string]any {
	object := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	return object
}

// begin creates the CRD, and an object in each version by storing it there. It returns false if the plan says that the
// server refuses the CRD.
func (w *walk) begin(text string) bool {
	w.manifest, w.isBroken = decoded(w.t, text), map[string]bool{}
	created := &unstructured.Unstructured{Object: decoded(w.t, text)}
	unstructured.RemoveNestedField(created.Object, "status")
	if _, err := w.apply(created, false); err != nil {
		if len(w.planned.Steps) == 0 || w.planned.Steps[0].Rejected == "" {
			w.t.Fatalf("the CRD is refused: %v", err)
		}
		return false
	}
	versions, _, _ := unstructured.NestedSlice(w.manifest, "spec", "versions")
	wanted := ""
	for _, v := range versions {
		if v.(map[string]any)["storage"] == true {
			wanted = v.(map[string]any)["name"].(string)
		}
	}
	for _, v := range versions {
		name, _ := v.(map[string]any)["name"].(string)
		w.store(name)
		w.await(name)
		for _, text := range w.planned.Tried {
			o := &unstructured.Unstructured{Object: decoded(w.t, text)}
			if o.GroupVersionKind().Version != name {
				continue
			}
			for _, field := range []string{"uid", "resourceVersion", "creationTimestamp", "generation"} {
				unstructured.RemoveNestedField(o.Object, "metadata", field)
			}
			if _, err := w.resource(o, name).Create(context.Background(), o, metav1.CreateOptions{FieldValidation: "Ignore"}); err != nil {
				w.t.Fatalf("the object is refused: %v\n%s", err, text)
			}
			w.objects = append(w.objects, o)
		}
	}
	w.store(wanted)
	return true
}

// store makes a version the storage version.
func (w *walk) store(name string) {
	crd := (&unstructured.Unstructured{Object: w.manifest}).DeepCopy()
	w.setStorage(crd, name)
	if _, err := w.apply(crd, false); err != nil {
		w.t.Fatal(err)
	}
}

// await waits until the server serves a version: it does not before its controllers have established the CRD.
func (w *walk) await(version string) {
	for {
		if _, err := w.resource(&unstructured.Unstructured{}, version).List(w.t.Context(), metav1.ListOptions{Limit: 1}); !apierrors.IsNotFound(err) {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func (w *walk) setStorage(crd *unstructured.Unstructured, name string) {
	versions, _, _ := unstructured.NestedSlice(crd.Object, "spec", "versions")
	for _, v := range versions {
		version := v.(map[string]any)
		version["storage"] = version["name"] == name
		if version["name"] == name {
			version["served"] = true
		}
		for _, original := range w.versions() {
			if original["name"] == version["name"] && version["name"] != name {
				version["served"] = original["served"]
			}
		}
	}
	_ = unstructured.SetNestedSlice(crd.Object, versions, "spec", "versions")
}

func (w *walk) versions() (all []map[string]any) {
	versions, _, _ := unstructured.NestedSlice(w.manifest, "spec", "versions")
	for _, v := range versions {
		all = append(all, v.(map[string]any))
	}
	return all
}

// apply sends a CRD as kubectl apply --server-side --force-conflicts does.
func (w *walk) apply(crd *unstructured.Unstructured, dryRun bool) (*unstructured.Unstructured, error) {
	o := metav1.ApplyOptions{FieldManager: "kubectl", Force: true}
	if dryRun {
		o.DryRun = []string{metav1.DryRunAll}
	}
	applied := crd.DeepCopy()
	unstructured.RemoveNestedField(applied.Object, "status")
	unstructured.RemoveNestedField(applied.Object, "metadata", "creationTimestamp")
	return w.crds().Apply(context.Background(), w.planned.Name, applied, o)
}

// replace sends a CRD as kubectl replace does, again if a controller has changed it in the meantime.
func (w *walk) replace(crd *unstructured.Unstructured, o metav1.UpdateOptions) (*unstructured.Unstructured, error) {
	for {
		crd.SetResourceVersion(w.crd().GetResourceVersion())
		updated, err := w.crds().Update(context.Background(), crd, o)
		if !apierrors.IsConflict(err) {
			return updated, err
		}
	}
}

// end deletes the CRD and its objects, which the server may not be able to read any more.
func (w *walk) end() {
	ctx := context.Background()
	plural, group, _ := strings.Cut(w.planned.Name, ".")
	stored, err := w.etcd.Get(ctx, keyPrefix+"/"+group+"/"+plural+"/", clientv3.WithPrefix(), clientv3.WithKeysOnly())
	if err != nil {
		w.t.Fatal(err)
	}
	for _, kv := range stored.Kvs {
		if _, err := w.etcd.Delete(ctx, string(kv.Key)); err != nil {
			w.t.Fatal(err)
		}
	}
	_ = w.crds().Delete(ctx, w.planned.Name, metav1.DeleteOptions{})
	for {
		crd, err := w.crds().Get(ctx, w.planned.Name, metav1.GetOptions{})
		if err != nil {
			return
		}
		crd.SetFinalizers(nil) // The controller cannot delete objects that are gone.
		_, _ = w.crds().Update(ctx, crd, metav1.UpdateOptions{})
	}
}

func (w *walk) served() (names []string) {
	crd, err := w.crds().Get(context.Background(), w.planned.Name, metav1.GetOptions{})
	if err != nil {
		return nil
	}
	versions, _, _ := unstructured.NestedSlice(crd.Object, "spec", "versions")
	for _, v := range versions {
		if v.(map[string]any)["served"] == true {
			names = append(names, v.(map[string]any)["name"].(string))
		}
	}
	return names
}

// A read is an object at a version; the object is nil if the server cannot read it.
type read struct{ name, version string }

func (w *walk) reads() map[read]map[string]any {
	all := map[read]map[string]any{}
	for _, version := range w.served() {
		for _, o := range w.objects {
			found, err := w.resource(o, version).Get(context.Background(), o.GetName(), metav1.GetOptions{})
			if err != nil {
				all[read{o.GetName(), version}] = nil
				continue
			}
			delete(found.Object, "metadata")
			delete(found.Object, "apiVersion")
			all[read{o.GetName(), version}] = found.Object
		}
	}
	return all
}

// take takes a step. It returns false if there are no more steps, or after a failure.
func (w *walk) take(i int, step upgrade.Step) bool {
	ctx := context.Background()
	before := w.reads()
	fail := func(format string, a ...any) bool {
		w.t.Helper()
		w.t.Errorf("step %d, %s: %s\nthe step: %+v", i+1, step.Title, fmt.Sprintf(format, a...), step.Trial)
		return false
	}
	hasEffect := func(kinds ...upgrade.EffectKind) bool {
		return slices.ContainsFunc(step.Effects, func(e upgrade.Effect) bool { return slices.Contains(kinds, e.Kind) })
	}
	switch step.Kind {
	case upgrade.StepRewrite:
		for _, o := range w.objects {
			resource := w.resource(o, step.Storage)
			live, err := resource.Get(ctx, o.GetName(), metav1.GetOptions{})
			if err != nil {
				return fail("read %s: %v", o.GetName(), err)
			}
			fields := live.GetManagedFields()
			for i := range fields {
				fields[i].APIVersion = live.GetAPIVersion()
			}
			live.SetManagedFields(fields)
			if _, err := resource.Update(ctx, live, metav1.UpdateOptions{}); err != nil && !hasEffect(upgrade.EffectInvalid) {
				return fail("the server refuses to write %s again: %v", o.GetName(), err)
			}
		}
	case upgrade.StepForget:
		patch := fmt.Sprintf(`{"status":{"storedVersions":["%s"]}}`, strings.Join(step.Stored, `","`))
		if _, err := w.crds().Patch(ctx, w.planned.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}, "status"); err != nil {
			return fail("%v", err)
		}
	default:
		previous := (&unstructured.Unstructured{Object: w.manifest}).DeepCopy()
		next := &unstructured.Unstructured{Object: decoded(w.t, step.Manifest)}
		_, err := w.apply(next, false)
		if strings.HasPrefix(step.Commands[0], "kubectl replace") {
			_, err = w.replace(next, metav1.UpdateOptions{FieldValidation: "Ignore"})
		}
		if (err != nil) != (step.Rejected != "") {
			return fail("the server says: %v", err)
		}
		if err != nil {
			return false
		}
		if step.Rollback != nil {
			_, err := w.apply(previous, true)
			if err != nil {
				_, err = w.replace(previous, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}, FieldValidation: "Ignore"})
			}
			if (err != nil) != (step.Rollback.Rejected != "") {
				return fail("the server says to the rollback: %v", err)
			}
		}
		w.manifest = next.Object
	}
	crd := w.crd()
	stored, _, _ := unstructured.NestedStringSlice(crd.Object, "status", "storedVersions")
	slices.Sort(stored)
	if got, want := fmt.Sprint(stored, w.served()), fmt.Sprint(slices.Sorted(slices.Values(step.Stored)), step.Served); got != want {
		return fail("status.storedVersions and the served versions are %s, not %s", got, want)
	}
	after := w.reads()
	differs := false
	for r, object := range after {
		old, known := before[r]
		if known && !reflect.DeepEqual(old, object) {
			differs = true
			if !hasEffect(upgrade.EffectChanged, upgrade.EffectAdded, upgrade.EffectUnreadable) {
				return fail("%s reads differently at %s: %v, before %v", r.name, r.version, object, old)
			}
		}
	}
	if hasEffect(upgrade.EffectUnreadable, upgrade.EffectChanged, upgrade.EffectAdded) && !differs {
		return fail("no read differs")
	}
	return w.writes(step, fail, hasEffect)
}

// refusedBefore marks the objects of which the server refuses writes before the first step.
func (w *walk) refusedBefore() {
	storage, _ := w.versions()[slices.IndexFunc(w.versions(), func(v map[string]any) bool { return v["storage"] == true })]["name"].(string)
	w.writes(upgrade.Step{Storage: storage, Served: w.served()}, func(string, ...any) bool { return true }, func(...upgrade.EffectKind) bool { return true })
}

// writes sends an update and an apply of each object that change nothing. They are refused only if the step says so, or one before.
func (w *walk) writes(step upgrade.Step, fail func(string, ...any) bool, hasEffect func(...upgrade.EffectKind) bool) bool {
	if !slices.Contains(step.Served, step.Storage) {
		return true
	}
	for _, o := range w.objects {
		resource := w.resource(o, step.Storage)
		live, err := resource.Get(context.Background(), o.GetName(), metav1.GetOptions{})
		if err != nil {
			continue
		}
		_, err = resource.Update(context.Background(), live, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
		if err == nil {
			applied := &unstructured.Unstructured{}
			applied.SetGroupVersionKind(live.GroupVersionKind())
			applied.SetName(live.GetName())
			_, err = resource.Apply(context.Background(), live.GetName(), applied, metav1.ApplyOptions{FieldManager: "test", Force: true, DryRun: []string{metav1.DryRunAll}})
		}
		if err == nil {
			continue
		}
		if !w.isBroken[o.GetName()] && !hasEffect(upgrade.EffectInvalid, upgrade.EffectUnappliable) {
			return fail("the server refuses an update or an apply of %s that changes nothing: %v", o.GetName(), err)
		}
		w.isBroken[o.GetName()] = true
	}
	return true
}
