//go:build !js

package engine_test

import (
	"cmp"
	"context"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apimachinery/pkg/runtime"
	utilversion "k8s.io/apimachinery/pkg/version"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/judge"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// TestJudge evaluates every case with the engine and with the API server's own
// request handlers, which must agree.
func TestJudge(t *testing.T) {
	e := engine.New()
	for _, c := range readCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			report, err := e.Evaluate(context.Background(), c.Scenario)
			if err != nil {
				t.Fatal(err)
			}
			compareWithJudge(t, c.Scenario, report)
		})
	}
}

// compareWithJudge fails if the judge answers s differently than report does.
func compareWithJudge(t *testing.T, s playground.Scenario, report playground.Report) {
	if isLimited(report) {
		return // upstream's code was not asked
	}
	if trial := newTrial(t, s, report); trial != nil {
		trial.judgeObjects(t, s, report)
	}
}

// trial compares the verdicts on the objects of one CRD.
type trial struct {
	*testing.T
	crd    *apiextensionsv1.CustomResourceDefinition
	server *judge.Server
	// validators are those of single rules, by version and place.
	validators map[string]map[string]*cel.Validator

	fieldValidation string
	// replaced says that two documents have the same name, so that the server
	// has fewer objects than the report.
	replaced bool
	// generateName is that of the last document.
	generateName string
}

// newTrial compares the verdicts on the CRD. It returns nil if the CRD is
// refused.
func newTrial(t *testing.T, s playground.Scenario, report playground.Report) *trial {
	crd := judgeCRD(t, s, report)
	if crd == nil {
		return nil
	}
	return &trial{T: t, crd: crd, validators: map[string]map[string]*cel.Validator{}}
}

// judgeObjects compares the verdicts on the objects of s, starting from an
// empty cluster.
func (t *trial) judgeObjects(test *testing.T, s playground.Scenario, report playground.Report) {
	var err error
	if t.server, err = judge.NewServer(t.crd); err != nil {
		test.Fatal(err)
	}
	t.T, t.replaced, t.generateName = test, false, ""
	t.fieldValidation = cmp.Or(s.FieldValidation, playground.FieldValidationStrict)
	documents := documents(test, s.Object)
	if len(documents) != len(report.Objects) {
		t.Fatalf("%d objects in the report, %d in the text", len(report.Objects), len(documents))
	}
	for i, document := range documents {
		t.judgeObject(document, report, report.Objects[i])
	}
	if t.crd.Spec.Conversion.Strategy == apiextensionsv1.NoneConverter && !t.replaced {
		t.judgeTables(report.Tables)
	}
}

func isLimited(report playground.Report) bool {
	findings := report.CRD.Findings
	for _, object := range report.Objects {
		findings = append(findings, object.Findings...)
	}
	return slices.ContainsFunc(findings, func(f playground.Finding) bool { return f.Reason == "PlaygroundLimit" })
}

// documents are the documents of a text that are not empty, readable or not.
func documents(t *testing.T, text string) []*source.Document {
	file, err := source.Parse(text, source.Limits{})
	if file == nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(slices.Clone(file.Documents), (*source.Document).Empty)
}

func contentType(document *source.Document) string {
	if document.JSON() {
		return judge.JSON
	}
	return judge.YAML
}

// crdDocument is the document that counts: the first CRD, or else whatever
// stands there.
func crdDocument(t *testing.T, text string) *source.Document {
	all := documents(t, text)
	for _, document := range all {
		if kind, _ := document.Lookup("kind"); kind == "CustomResourceDefinition" {
			return document
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[0]
}

// judgeCRD compares the verdicts on the CRD and returns it if it is accepted.
func judgeCRD(t *testing.T, s playground.Scenario, report playground.Report) *apiextensionsv1.CustomResourceDefinition {
	document := crdDocument(t, s.CRD)
	if document == nil {
		return nil
	}
	fieldValidation := cmp.Or(s.FieldValidation, playground.FieldValidationStrict)
	text, contentType := servedCRD(t, document)
	answer, err := judge.CreateCRD(text, contentType, fieldValidation)
	if err != nil {
		t.Fatal(err)
	}
	want := statusVerdict(answer)
	got := reportVerdict(report.CRD.Status, report.CRD.Findings, report.CRD.Warnings)
	got.Errors = got.Errors || !report.CRD.Accepted
	var crd *apiextensionsv1.CustomResourceDefinition
	if answer.Object != nil {
		crd = &apiextensionsv1.CustomResourceDefinition{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(answer.Object.Object, crd); err != nil {
			t.Fatal(err)
		}
		want.Names, want.StoredVersions = namesOf(crd.Spec.Names), crd.Status.StoredVersions
		got.Names, got.StoredVersions = &report.CRD.Names, report.CRD.StoredVersions
	}
	generateName, _ := document.Lookup("metadata", "generateName")
	if diff := gocmp.Diff(comparable(t, want, generateName), comparable(t, got, generateName)); diff != "" {
		t.Errorf("CRD (-judge +engine):\n%s", diff)
		return nil
	}
	return crd
}

// servedCRD is the CRD as it can be sent to the server: what a v1beta1 CRD
// converts to, since v1beta1 is not served.
func servedCRD(t *testing.T, document *source.Document) (text []byte, kind string) {
	if version, _ := document.Lookup("apiVersion"); version != "apiextensions.k8s.io/v1beta1" {
		return []byte(document.Text), contentType(document)
	}
	object, err := runtime.Decode(apiserver.Codecs.UniversalDecoder(apiextensions.SchemeGroupVersion), []byte(document.Text))
	if err != nil {
		t.Fatal(err)
	}
	data, err := runtime.Encode(apiserver.Codecs.LegacyCodec(apiextensionsv1.SchemeGroupVersion), object)
	if err != nil {
		t.Fatal(err)
	}
	return data, judge.JSON
}

func namesOf(n apiextensionsv1.CustomResourceDefinitionNames) *playground.Names {
	return &playground.Names{
		Plural: n.Plural, Singular: n.Singular, Kind: n.Kind, ListKind: n.ListKind,
		ShortNames: append([]string{}, n.ShortNames...), Categories: append([]string{}, n.Categories...),
	}
}

// served are the served versions, the preferred one first.
func (t *trial) served() []string {
	var names []string
	for _, v := range t.crd.Spec.Versions {
		if v.Served {
			names = append(names, v.Name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return utilversion.CompareKubeAwareVersionStrings(b, a) })
	return names
}

// endpoint is the version of the endpoint to which kubectl sends the document;
// false if it finds none.
func (t *trial) endpoint(document *source.Document) (string, bool) {
	apiVersion, _ := document.Lookup("apiVersion")
	kind, _ := document.Lookup("kind")
	for _, version := range t.served() {
		if apiVersion == t.crd.Spec.Group+"/"+version && kind == t.crd.Spec.Names.Kind {
			return version, true
		}
	}
	if served := t.served(); len(served) > 0 && (apiVersion == "" || kind == "") {
		return served[0], true
	}
	return "", false
}

func (t *trial) judgeObject(document *source.Document, report playground.Report, object playground.Object) {
	version, ok := t.endpoint(document)
	if !ok {
		if object.Accepted || object.Status.Code != 404 || object.Status.Reason != "NotFound" {
			t.Errorf("no endpoint, but the engine says %+v", object.Status)
		}
		return
	}
	namespace, _ := document.Lookup("metadata", "namespace")
	if namespace == "" {
		namespace = "default"
	}
	answer := t.create(document, version, namespace)
	if t.needsWebhook(version) {
		return
	}
	want := statusVerdict(answer)
	got := reportVerdict(object.Status, object.Findings, object.Warnings)
	got.Errors = got.Errors || !object.Accepted
	if answer.Code == 201 {
		t.readBack(&want, answer, version, namespace)
		got.Stored, got.Versions = t.reportedReadings(object)
	}
	t.generateName, _ = document.Lookup("metadata", "generateName")
	if diff := gocmp.Diff(comparable(t.T, want, t.generateName), comparable(t.T, got, t.generateName)); diff != "" {
		t.Errorf("%s (-judge +engine):\n%s", object.Name, diff)
	}
	t.compareRules(document, version, report, object)
}

// create sends the document to be created. Documents are judged each on its
// own: an object of its name that an earlier one created makes way.
func (t *trial) create(document *source.Document, version, namespace string) judge.Answer {
	name, _ := document.Lookup("metadata", "name")
	if stored, err := t.server.Stored(namespace, name); err != nil {
		t.Fatal(err)
	} else if stored != nil {
		t.replaced = true
		if _, err := t.server.Delete(version, namespace, name); err != nil {
			t.Fatal(err)
		}
	}
	answer, err := t.server.Create(version, namespace, []byte(document.Text), judge.Write{
		ContentType: contentType(document), FieldValidation: t.fieldValidation,
	})
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// needsWebhook reports whether the outcome depends on a conversion webhook,
// which neither side can call.
func (t *trial) needsWebhook(version string) bool {
	return t.crd.Spec.Conversion.Strategy != apiextensionsv1.NoneConverter && version != t.storageVersion()
}

func (t *trial) storageVersion() string {
	return t.crd.Status.StoredVersions[0]
}

// readBack adds to the judge's verdict what an accepted object is stored as
// and what is read at each version. The answer to the creation must be what is
// then read at its version.
func (t *trial) readBack(v *verdict, created judge.Answer, version, namespace string) {
	name := created.Object.GetName()
	stored, err := t.server.Stored(namespace, name)
	if err != nil || stored == nil {
		t.Fatalf("%s is not stored: %v", name, err)
	}
	v.Stored = lasting(t.T, stored)
	v.Versions = map[string]reading{}
	for _, served := range t.served() {
		if t.needsWebhook(served) {
			continue
		}
		answer, err := t.server.Get(served, namespace, name)
		if err != nil || answer.Object == nil {
			t.Fatalf("reading %s at %s: %v %+v", name, served, err, answer.Status)
		}
		read := reading{Object: lasting(t.T, answer.Object)}
		if len(answer.Warnings) > 0 {
			read.Warning = answer.Warnings[0]
		}
		v.Versions[served] = read
	}
	if diff := gocmp.Diff(lasting(t.T, created.Object), v.Versions[version].Object); diff != "" {
		t.Errorf("%s (-created +read):\n%s", name, diff)
	}
}

func (t *trial) reportedReadings(object playground.Object) (any, map[string]reading) {
	readings := map[string]reading{}
	for _, v := range object.Versions {
		if !t.needsWebhook(v.Name) {
			readings[v.Name] = reading{lasting(t.T, v.Object), v.Warning}
		}
	}
	return lasting(t.T, object.Stored), readings
}

func (t *trial) judgeTables(tables []playground.Table) {
	var want, got []playground.Table
	for _, version := range t.served() {
		answer, err := t.server.Table(version, "")
		if err != nil || answer.Table == nil {
			t.Fatalf("table at %s: %v %+v", version, err, answer.Status)
		}
		want = append(want, tableOf(version, answer.Table))
	}
	for _, table := range tables {
		got = append(got, ageless(table))
	}
	if diff := gocmp.Diff(comparable(t.T, want, t.generateName), comparable(t.T, got, t.generateName)); diff != "" {
		t.Errorf("tables (-judge +engine):\n%s", diff)
	}
}
