package check

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/crdlab/crdlab/internal/bundle"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// AdmissionGroup is the group of policies, bindings and webhook configurations.
const AdmissionGroup = "admissionregistration.k8s.io"

// policyKinds lists the kinds that need nothing else to be evaluated: webhooks would have to be called.
var policyKinds = []string{"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding"}

// codeUnapplied is the code of the finding about a policy or binding that applies to no object.
const codeUnapplied = "policy-no-effect"

// An admission has the policies of an input, and the namespaces and parameters that they may read.
// All objects of the input are judged with them.
type admission struct {
	documents []*manifest.Document
	// text joins the documents, and starts has the line of each in it.
	text   string
	starts []int
	// groups has the groups and plurals of the CRDs.
	groups []string
	// releases has the releases in the order of the options. One that is approximate evaluates no
	// policies.
	releases []playground.Kubernetes

	access sync.Mutex
	// found has the findings in each policy by release, and applied the policies that judged a
	// request.
	found   map[*manifest.Document]map[string][]manifest.Finding
	applied map[*manifest.Document]bool
}

// admissionOf returns the policies of an input, or nil without any. Of several documents of one
// name, the first counts.
func admissionOf(in *manifest.Input) *admission {
	a := &admission{found: map[*manifest.Document]map[string][]manifest.Finding{}, applied: map[*manifest.Document]bool{}}
	read := map[bundle.Kind]bool{{Kind: "Namespace"}: true}
	hasPolicy := false
	for _, d := range in.Documents {
		if IsPolicy(d) {
			hasPolicy, read[d.Kind] = true, true
			read[paramKind(d)] = true
		}
		if d.IsCRD {
			plural, _, _ := strings.Cut(d.Name, ".")
			a.groups = append(a.groups, plural, d.Described.Group)
		}
	}
	if !hasPolicy {
		return nil
	}
	names := map[Object]bool{}
	for _, d := range in.Documents {
		name := Object{APIVersion: d.Kind.Group, Kind: d.Kind.Kind, Namespace: d.Namespace, Name: d.Name}
		if !read[d.Kind] || d.IsCRD || names[name] {
			continue
		}
		names[name] = true
		a.documents = append(a.documents, d)
		a.starts = append(a.starts, strings.Count(a.text, "\n"))
		a.text += strings.TrimRight(d.Text, "\n") + "\n---\n"
	}
	return a
}

// Policies returns the admission policies of an input, with the documents that they may read.
func Policies(in *manifest.Input) []*manifest.Document {
	if a := admissionOf(in); a != nil {
		return a.documents
	}
	return nil
}

// AdmissionOf returns [playground.Scenario.Admission] with the policies of an input.
func AdmissionOf(in *manifest.Input) string {
	if a := admissionOf(in); a != nil {
		return a.text
	}
	return ""
}

// IsPolicy reports whether a document is an admission policy or its binding.
func IsPolicy(d *manifest.Document) bool {
	return d.Kind.Group == AdmissionGroup && slices.Contains(policyKinds, d.Kind.Kind)
}

// JudgedBy returns the CRDs of an input that a policy or its bindings name, or all CRDs if they name none.
func JudgedBy(in *manifest.Input, policy *manifest.Document) []*manifest.Document {
	var all, named []*manifest.Document
	for _, crd := range in.Documents {
		if !crd.IsCRD {
			continue
		}
		all = append(all, crd)
		plural, _, _ := strings.Cut(crd.Name, ".")
		a := admission{groups: []string{plural, crd.Described.Group}}
		if slices.ContainsFunc(in.Documents, func(d *manifest.Document) bool {
			return (d == policy || isBinding(d) && d.Scalar("spec", "policyName") == policy.Name) && a.namesCRD(d)
		}) {
			named = append(named, crd)
		}
	}
	if len(named) == 0 {
		return all
	}
	return named
}

// paramKind returns the kind of the parameters of a policy.
func paramKind(policy *manifest.Document) bundle.Kind {
	group, _, hasGroup := strings.Cut(policy.Scalar("spec", "paramKind", "apiVersion"), "/")
	if !hasGroup {
		group = ""
	}
	return bundle.Kind{Group: group, Kind: policy.Scalar("spec", "paramKind", "kind")}
}

// has reports whether a document belongs to the admission.
func (a *admission) has(d *manifest.Document) bool {
	return a != nil && slices.Contains(a.documents, d)
}

// at returns the document at a range of text, and the range in the document.
func (a *admission) at(r playground.Range) (*manifest.Document, playground.Range) {
	if a == nil {
		return nil, r
	}
	i, found := slices.BinarySearch(a.starts, r.Start.Line)
	if !found {
		i--
	}
	r.Start.Line -= a.starts[i]
	r.End.Line -= a.starts[i]
	return a.documents[i], r
}

// add collects the findings of a report about the policies.
func (a *admission) add(report playground.Report) {
	if a == nil || report.Admission == nil {
		return
	}
	a.access.Lock()
	defer a.access.Unlock()
	for _, o := range report.Objects {
		if o.Admission == nil {
			continue
		}
		for _, p := range o.Admission.Policies {
			a.apply(p.Range, p.Outcome)
			for _, b := range p.Bindings {
				a.apply(b.Range, b.Outcome)
			}
		}
	}
	for _, f := range report.Admission.Findings {
		d, _ := a.at(f.Range)
		if a.found[d] == nil {
			a.found[d] = map[string][]manifest.Finding{}
		}
		release := report.Kubernetes.Emulated
		for _, placed := range findingsOf([]playground.Finding{f}, sources{admission: a, own: d}) {
			if !slices.ContainsFunc(a.found[d][release], func(other manifest.Finding) bool {
				return other.Place == placed.Place && other.Message == placed.Message
			}) {
				a.found[d][release] = append(a.found[d][release], placed)
			}
		}
	}
}

func (a *admission) apply(at playground.Range, outcome playground.Outcome) {
	if d, _ := a.at(at); outcome != playground.OutcomeSkipped {
		a.applied[d] = true
	}
}

// concerns reports whether a finding is about a policy that is meant for the CRDs: another one
// applies to no object here for good reason.
func (a *admission) concerns(d *manifest.Document, f manifest.Finding) bool {
	if f.Code != codeUnapplied {
		return true
	}
	if a.applied[d] || !judgesCreates(d) {
		return false
	}
	return isBinding(d) || a.namesCRD(d) || slices.ContainsFunc(a.documents, func(b *manifest.Document) bool {
		return isBinding(b) && b.Scalar("spec", "policyName") == d.Name && a.namesCRD(b)
	})
}

func isBinding(d *manifest.Document) bool {
	return IsPolicy(d) && strings.HasSuffix(d.Kind.Kind, "Binding")
}

// namesCRD reports whether a document names the group or the plural of a CRD.
func (a *admission) namesCRD(d *manifest.Document) bool {
	return slices.ContainsFunc(a.groups, func(name string) bool { return strings.Contains(d.Text, name) })
}

// judgesCreates reports whether a rule of a policy lists the operation CREATE, or none lists any. Most
// inputs have no other requests.
func judgesCreates(d *manifest.Document) bool {
	operations := 0
	for i := 0; d.Has("spec", "matchConstraints", "resourceRules", i); i++ {
		for j := 0; d.Has("spec", "matchConstraints", "resourceRules", i, "operations", j); j++ {
			operations++
			if operation := d.Scalar("spec", "matchConstraints", "resourceRules", i, "operations", j); operation == "CREATE" || operation == "*" {
				return true
			}
		}
	}
	return operations == 0
}

// judgePolicies judges the policies, which the API server does without any object. The programs of
// older releases evaluate no policies: objects are then judged without them.
func (c *checker) judgePolicies(ctx context.Context) error {
	if c.admission == nil {
		return nil
	}
	engine := c.NewEngine()
	for _, release := range c.Releases {
		s := playground.Scenario{Admission: c.admission.text, Kubernetes: release, FieldValidation: c.FieldValidation}
		report, err := engine.Evaluate(ctx, s)
		if err != nil {
			return fmt.Errorf("judge the admission policies: %w", err)
		}
		c.admission.releases = append(c.admission.releases, report.Kubernetes)
		c.admission.add(report)
	}
	return nil
}

// textFor returns the admission with which a release judges objects.
func (a *admission) textFor(release int) string {
	if a == nil || a.releases[release].Approximate {
		return ""
	}
	return a.text
}

// addVerdicts adds the verdicts on the policies to the result.
func (a *admission) addVerdicts(r *Result) {
	if a == nil {
		return
	}
	for i := range r.Documents {
		d := &r.Documents[i]
		if d.source == nil || !IsPolicy(d.source) || !a.has(d.source) {
			continue
		}
		for _, release := range a.releases {
			d.Verdicts = append(d.Verdicts, a.verdict(d, release))
		}
	}
}

func (a *admission) verdict(d *Document, release playground.Kubernetes) Verdict {
	v := Verdict{
		Kubernetes: release.Emulated, Accepted: true, Findings: []manifest.Finding{},
		Output: fmt.Sprintf("%s.%s/%s created", strings.ToLower(d.Kind), AdmissionGroup, d.Name),
	}
	if release.Approximate {
		if !isBinding(d.source) {
			v.addNote(d, "crdlab evaluates policies only with the newest release. For this release, it judges the objects without this policy.")
		}
		return v
	}
	for _, f := range a.found[d.source][release.Emulated] {
		if f.Severity == playground.SeverityError {
			v.Accepted, v.Output = false, fmt.Sprintf("The %s %q is invalid: %s\n", d.Kind, d.Name, f.Text())
			v.Status = playground.Status{Code: http.StatusUnprocessableEntity, Reason: "Invalid", Message: f.Text()}
		}
		if a.concerns(d.source, f) {
			v.Findings = append(v.Findings, f)
		}
	}
	return v
}
