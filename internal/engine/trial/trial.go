package trial

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	utilversion "k8s.io/apimachinery/pkg/version"
	"k8s.io/apiserver/pkg/util/webhook"

	"github.com/crdlab/crdlab/internal/engine/verdict"
	"github.com/crdlab/crdlab/internal/playground"
)

// Trial puts scenarios before a cluster, one after the other. A CRD stays
// there as long as the scenarios have the same.
type Trial struct {
	cluster  Cluster
	evaluate Evaluate
	webhook  *WebhookPlayer // nil if nothing stands for the conversion webhook
	// key are the inputs that judged and crd depend on.
	key    [3]string
	judged verdict.CRD
	crd    *apiextensionsv1.CustomResourceDefinition // nil if it was refused
}

// Evaluate is the engine, whose reports say what a scenario's conversion webhook
// is asked and what it answers. That is how it answers the cluster. Without the
// engine such scenarios are not put before it.
type Evaluate func(context.Context, playground.Scenario) (playground.Report, error)

// New returns a trial before a cluster that has no CRDs.
func New(cluster Cluster, evaluate Evaluate) *Trial {
	return &Trial{cluster: cluster, evaluate: evaluate}
}

// UnaskedError says why a scenario cannot be put before a cluster.
type UnaskedError struct{ Reason string }

func (e *UnaskedError) Error() string { return "the API server was not asked: " + e.Reason }

func unreadable(document playground.Document, err error) error {
	return &UnaskedError{fmt.Sprintf("%s cannot be in a cluster: %v", document, err)}
}

// Judge is what the cluster makes of a scenario.
func (t *Trial) Judge(s playground.Scenario) (v verdict.Verdict, err error) {
	if s.Kubernetes != "" {
		return v, &UnaskedError{"the cluster is not of release " + s.Kubernetes}
	}
	s.FieldValidation = cmp.Or(s.FieldValidation, playground.FieldValidationStrict)
	if err := t.prepare(s); err != nil {
		return v, err
	}
	v.CRD = t.judged
	if t.crd == nil {
		return v, nil
	}
	if err := t.playWebhook(s); err != nil {
		return v, err
	}
	if err := t.cluster.Admit(s); err != nil {
		return v, err
	}
	objects := &objects{Trial: t, scenario: s}
	if err := objects.judge(); err != nil {
		return v, err
	}
	v.Objects = objects.verdicts
	v.Tables, err = objects.tables()
	return v, err
}

// prepare sees to it that the scenario's CRD has been judged.
func (t *Trial) prepare(s playground.Scenario) (err error) {
	key := [...]string{s.CRD, s.OldCRD, s.FieldValidation}
	if key == t.key {
		return nil
	}
	t.key = [3]string{}
	if err := t.cluster.Clear(); err != nil {
		return fmt.Errorf("clear the cluster: %w", err)
	}
	if t.judged, err = t.judgeCRD(s); err != nil {
		return err
	}
	t.key = key
	return nil
}

// served are the served versions, the preferred one first. Clients find none
// as long as the CRD is not established, which takes a usable certificate for
// the webhook (k8s.io/apiextensions-apiserver/pkg/controller/establish).
func (t *Trial) served() []string {
	var names []string
	conversion := t.crd.Spec.Conversion
	if conversion != nil && conversion.Webhook != nil && conversion.Webhook.ClientConfig != nil &&
		len(webhook.ValidateCABundle(field.NewPath(""), conversion.Webhook.ClientConfig.CABundle)) > 0 {
		return nil
	}
	for _, v := range t.crd.Spec.Versions {
		if v.Served {
			names = append(names, v.Name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return utilversion.CompareKubeAwareVersionStrings(b, a) })
	return names
}

func (t *Trial) storageVersion() string {
	for _, v := range t.crd.Spec.Versions {
		if v.Storage {
			return v.Name
		}
	}
	return ""
}

// lacksWebhook says whether reading and writing at a version takes a
// conversion webhook that nothing stands for.
func (t *Trial) lacksWebhook(version string) bool {
	return t.webhook == nil && t.hasWebhook() && version != t.storageVersion()
}

func (t *Trial) hasWebhook() bool {
	return t.crd.Spec.Conversion != nil && t.crd.Spec.Conversion.Strategy == apiextensionsv1.WebhookConverter
}

// verdictOf is what an answer says apart from the object.
func verdictOf(a Answer) verdict.Answer {
	v := verdict.Answer{Code: a.Code, Message: a.Body, Warnings: a.Warnings}
	if a.Status == nil {
		return v
	}
	v.Reason, v.Message = string(a.Status.Reason), a.Status.Message
	if a.Status.Reason != metav1.StatusReasonInvalid || a.Status.Details == nil {
		return v
	}
	for _, c := range a.Status.Details.Causes {
		v.Causes = append(v.Causes, verdict.Cause{Reason: string(c.Type), Field: c.Field, Message: c.Message})
	}
	return v
}

// Namespaces are those that the requests for a scenario's objects go to.
func Namespaces(s playground.Scenario) []string {
	var names []string
	for _, document := range documents(s.Object) {
		names = append(names, cmp.Or(lookup(document, "metadata", "namespace"), metav1.NamespaceDefault))
	}
	return names
}
