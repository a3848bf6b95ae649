// Package naming finds the CRDs whose names conflict, with the controller of the API server
// that accepts names.
package naming

import (
	"context"
	"errors"
	"strconv"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/status"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/crdlab/crdlab/internal/playground"
)

// Conditions creates CRDs in a cluster, one after the other, and returns the condition
// NamesAccepted of each. The names of the CRDs must differ. The error is from ctx.
func Conditions(ctx context.Context, crds []playground.CRD) ([]playground.Condition, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cluster := newCluster(ctx)
	controller := status.NewNamingConditionController(klog.FromContext(ctx), informer{cluster: cluster}, client{cluster: cluster})
	go controller.RunWithContext(ctx)
	var all []playground.Condition
	for _, crd := range crds {
		condition, err := cluster.create(ctx, crd)
		if err != nil {
			return nil, err
		}
		all = append(all, condition)
	}
	return all, nil
}

// A cluster holds CRDs for the controller.
type cluster struct {
	ctx     context.Context
	crds    cache.Indexer
	handler cache.ResourceEventHandler
	// updates receives the CRDs whose status the controller sets.
	updates chan *apiextensionsv1.CustomResourceDefinition
}

func newCluster(ctx context.Context) *cluster {
	return &cluster{
		ctx:     ctx,
		crds:    cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{}),
		updates: make(chan *apiextensionsv1.CustomResourceDefinition),
	}
}

// create creates a CRD, and returns its condition NamesAccepted. The controller always sets
// the condition of a new CRD. It may set the conditions of other CRDs again before.
func (c *cluster) create(ctx context.Context, crd playground.CRD) (playground.Condition, error) {
	created := &apiextensionsv1.CustomResourceDefinition{}
	created.Name, created.ResourceVersion = crd.Name, "1"
	created.Spec.Group = crd.Group
	created.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{
		Plural: crd.Names.Plural, Singular: crd.Names.Singular, Kind: crd.Names.Kind, ListKind: crd.Names.ListKind,
		ShortNames: crd.Names.ShortNames, Categories: crd.Names.Categories,
	}
	if err := c.crds.Add(created); err != nil {
		return playground.Condition{}, err
	}
	c.handler.OnAdd(created, false)
	for {
		select {
		case updated := <-c.updates:
			if updated.Name == crd.Name {
				return namesAccepted(updated), nil
			}
		case <-ctx.Done():
			return playground.Condition{}, ctx.Err()
		}
	}
}

func namesAccepted(crd *apiextensionsv1.CustomResourceDefinition) playground.Condition {
	condition := apihelpers.FindCRDCondition(crd, apiextensionsv1.NamesAccepted)
	if condition == nil {
		return playground.Condition{}
	}
	return playground.Condition{
		Type: string(condition.Type), Status: string(condition.Status), Reason: condition.Reason, Message: condition.Message,
	}
}

// updateStatus stores a CRD as the API server does.
func (c *cluster) updateStatus(crd *apiextensionsv1.CustomResourceDefinition) (*apiextensionsv1.CustomResourceDefinition, error) {
	version, err := strconv.Atoi(crd.ResourceVersion)
	if err != nil {
		return nil, err
	}
	updated := crd.DeepCopy()
	updated.ResourceVersion = strconv.Itoa(version + 1)
	old, found, err := c.crds.GetByKey(crd.Name)
	if err != nil || !found {
		return nil, errors.Join(err, errors.New("the CRD is not in the cluster"))
	}
	if err := c.crds.Update(updated); err != nil {
		return nil, err
	}
	c.handler.OnUpdate(old, updated)
	select {
	case c.updates <- updated:
	case <-c.ctx.Done():
	}
	return updated, nil
}
