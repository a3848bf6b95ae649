// Package apiclient sends scenarios to an API server, as a sequence of requests,
// and collects its verdicts.
package apiclient

import (
	"cmp"
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilversion "k8s.io/apimachinery/pkg/version"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/refserver/kubeapi"
	"github.com/crdlab/crdlab/internal/verdict"
)

// A Client sends scenarios to a cluster, one after the other. The CRD remains in
// the cluster while consecutive scenarios share it.
type Client struct {
	cluster  Cluster
	evaluate Evaluate
	webhook  *WebhookReplay // nil without responses for the conversion webhook
	live     bool           // the cluster calls the conversion webhook itself
	// key holds the inputs on which crdVerdict and crd depend.
	key        crdKey
	crdVerdict verdict.CRD
	crd        *apiextensionsv1.CustomResourceDefinition // nil if it was rejected
}

// A crdKey holds the inputs of the request for a CRD.
type crdKey struct {
	crd, oldCRD, fieldValidation, operation, fieldManager string

	force, stored bool
}

// Evaluate is the engine. Its reports list the calls of a conversion webhook
// with the responses, which the Client replays to the cluster.
type Evaluate playground.Evaluate

// New returns a client of a cluster that has no CRDs. Without evaluate, the
// client does not support scenarios with a conversion webhook.
func New(cluster Cluster, evaluate Evaluate) *Client {
	return &Client{cluster: cluster, evaluate: evaluate}
}

// NewLive returns a client of a cluster that has no CRDs, and that calls the conversion
// webhooks of CRDs.
func NewLive(cluster Cluster) *Client { return &Client{cluster: cluster, live: true} }

// An UnsupportedError reports a scenario that cannot be sent to a cluster.
type UnsupportedError struct{ Reason string }

func (e *UnsupportedError) Error() string { return "the API server was not asked: " + e.Reason }

func unsupportedDocument(document playground.Document, err error) error {
	return &UnsupportedError{fmt.Sprintf("%s cannot be in a cluster: %v", document, err)}
}

// Run sends the requests of a scenario and returns the verdict of the cluster.
// It returns an [UnsupportedError] if the cluster cannot receive the scenario.
func (c *Client) Run(s playground.Scenario) (v verdict.Verdict, err error) {
	if s.Kubernetes != "" {
		return v, &UnsupportedError{"the cluster is not of release " + s.Kubernetes}
	}
	s.FieldValidation = cmp.Or(s.FieldValidation, playground.FieldValidationStrict)
	if err := c.ensureCRD(s); err != nil {
		return v, err
	}
	v.CRD = c.crdVerdict
	if c.crd == nil {
		return v, nil
	}
	if err := c.replayWebhook(s); err != nil {
		return v, err
	}
	if err := c.cluster.SetAdmission(s); err != nil {
		return v, err
	}
	o := &objects{Client: c, scenario: s, rows: map[string][]row{}, unreadable: map[string]bool{}}
	if err := o.send(); err != nil {
		return v, err
	}
	v.Objects = o.verdicts
	v.Tables, err = o.tables()
	return v, err
}

// ensureCRD sends the scenario's CRD unless the last scenario had the same one.
func (c *Client) ensureCRD(s playground.Scenario) (err error) {
	key := crdKey{s.CRD, s.OldCRD, s.FieldValidation, s.CRDOperation, s.CRDFieldManager, s.CRDForce, s.CRDStored}
	if key == c.key {
		return nil
	}
	c.key = crdKey{}
	if err := c.cluster.Reset(); err != nil {
		return fmt.Errorf("reset the cluster: %w", err)
	}
	if c.crdVerdict, err = c.sendCRD(s); err != nil {
		return err
	}
	c.key = key
	return nil
}

// served returns the names of the served versions, the preferred version first.
func (c *Client) served() []string {
	var names []string
	for _, v := range c.crd.Spec.Versions {
		if v.Served {
			names = append(names, v.Name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return utilversion.CompareKubeAwareVersionStrings(b, a) })
	return names
}

func (c *Client) storageVersion() string {
	for _, v := range c.crd.Spec.Versions {
		if v.Storage {
			return v.Name
		}
	}
	return ""
}

// lacksWebhook reports whether requests at a version call a conversion webhook
// for which the scenario has no responses.
func (c *Client) lacksWebhook(version string) bool {
	return !c.live && c.webhook == nil && c.hasWebhook() && version != c.storageVersion()
}

// appliesWithoutWebhook reports whether the field manager may call a conversion webhook
// for which the scenario has no responses.
func (o *objects) appliesWithoutWebhook() bool {
	return playground.IsApply(o.operation()) && !o.live && o.webhook == nil && o.hasWebhook()
}

func (c *Client) hasWebhook() bool {
	return c.crd.Spec.Conversion != nil && c.crd.Spec.Conversion.Strategy == apiextensionsv1.WebhookConverter
}

// verdictOf returns the verdict of a response, without its object.
func verdictOf(r kubeapi.Response) verdict.Response {
	v := verdict.Response{Code: r.Code, Message: r.Body, Warnings: r.Warnings}
	if r.Status == nil {
		return v
	}
	v.Reason, v.Message = string(r.Status.Reason), r.Status.Message
	if r.Status.Reason != metav1.StatusReasonInvalid || r.Status.Details == nil {
		return v
	}
	for _, c := range r.Status.Details.Causes {
		v.Causes = append(v.Causes, verdict.Cause{Reason: string(c.Type), Field: c.Field, Message: c.Message})
	}
	return v
}

// Namespaces returns the namespaces of the scenario's objects, one for each
// object.
func Namespaces(s playground.Scenario) []string {
	var names []string
	for _, document := range documents(s.Object) {
		names = append(names, cmp.Or(lookup(document, "metadata", "namespace"), metav1.NamespaceDefault))
	}
	return names
}
