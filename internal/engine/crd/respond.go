package crd

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"

	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/kubectl"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// Respond returns the report of c with the response of another release instead of
// its own: an error, or acceptance if err is nil. The explanations remain.
func (c *CRD) Respond(err error, warnings []string) playground.CRD {
	report := c.Report
	report.Warnings = append([]string{}, warnings...)
	findings := finding.NewCollector(finding.MaxDescribed)
	for _, f := range report.Findings {
		isGone := f.Reason == playground.ReasonWarning && !slices.Contains(warnings, f.Message)
		if f.Severity != playground.SeverityError && !isGone {
			findings.Add(f)
		}
	}
	c.addWarnings(findings, warnings)
	code := http.StatusCreated
	if c.Old != nil {
		code = http.StatusOK
	}
	report.Accepted = err == nil
	if report.Accepted {
		report.Findings = findings.List()
		report.Status = playground.Status{Code: code}
		report.Output = cmp.Or(c.unsent, c.formatSuccess(warnings))
		return report
	}
	report.Status = upstream.StatusOf(err)
	report.Output = cmp.Or(c.unsent, c.formatError(err, warnings))
	c.addCauses(findings, "", err)
	report.Findings = findings.List()
	report.Conditions, report.StoredVersions = []playground.Condition{}, []string{}
	return report
}

// formatSuccess returns kubectl's output for the accepted request.
func (c *CRD) formatSuccess(warnings []string) string {
	verb := c.operation
	if verb == playground.CRDOperationClientApply && c.Old == nil {
		verb = playground.OperationCreate
	}
	if c.patch == kubectl.EmptyPatch {
		return kubectl.FormatUnchanged("CustomResourceDefinition", apiextensions.GroupName, c.Report.Name, warnings)
	}
	return kubectl.FormatSuccess("CustomResourceDefinition", apiextensions.GroupName, c.Report.Name, verb, warnings)
}

// formatError returns kubectl's output for the rejected request.
func (c *CRD) formatError(err error, warnings []string) string {
	if c.patch != "" {
		return kubectl.FormatPatchError(err, c.patch, c.patchTarget(), c.file, warnings)
	}
	return kubectl.FormatError(err, c.operation, c.file, warnings)
}

// patchTarget describes the CRD as kubectl does. It follows Info.String of
// k8s.io/cli-runtime/pkg/resource.
func (c *CRD) patchTarget() string {
	name, _ := c.Doc.Lookup("metadata", "name")
	return fmt.Sprintf("Resource: %q, GroupVersionKind: %q\nName: %q, Namespace: %q",
		v1Kind.GroupVersion().WithResource(resource.Resource).String(), v1Kind.String(), name, "")
}

// Rejected returns a rejected CRD with the documents of c and the given report.
func (c *CRD) Rejected(report playground.CRD) *CRD {
	return &CRD{
		Report: report, Doc: c.Doc, OldDoc: c.OldDoc, Internal: c.Internal, Old: c.Old,
		Versions: map[string]*Version{}, compiler: c.compiler,
	}
}
