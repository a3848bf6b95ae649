package crd

import (
	"cmp"
	"net/http"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"

	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/kubectl"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// Respond returns the report of c with the response of another release in place of
// its own: an error, or acceptance if err is nil. The explanations remain.
func (c *CRD) Respond(err error, warnings []string) playground.CRD {
	report := c.Report
	report.Warnings = append([]string{}, warnings...)
	findings := finding.NewCollector(finding.MaxDescribed)
	for _, f := range report.Findings {
		if f.Severity != playground.SeverityError {
			findings.Add(f)
		}
	}
	operation, code := playground.OperationCreate, http.StatusCreated
	if c.Old != nil {
		operation, code = playground.OperationUpdate, http.StatusOK
	}
	report.Accepted = err == nil
	if report.Accepted {
		report.Findings = findings.List()
		report.Status = playground.Status{Code: code}
		report.Output = cmp.Or(c.unsent, kubectl.FormatSuccess("CustomResourceDefinition", apiextensions.GroupName, report.Name, operation, warnings))
		return report
	}
	report.Status = upstream.StatusOf(err)
	report.Output = cmp.Or(c.unsent, kubectl.FormatError(err, operation, "crd.yaml", warnings))
	c.addCauses(findings, "", err)
	report.Findings = findings.List()
	report.Conditions, report.StoredVersions = []playground.Condition{}, []string{}
	return report
}

// Rejected returns a rejected CRD with the documents of c and the given report.
func (c *CRD) Rejected(report playground.CRD) *CRD {
	return &CRD{
		Report: report, Doc: c.Doc, OldDoc: c.OldDoc, Internal: c.Internal, Old: c.Old,
		Versions: map[string]*Version{}, compiler: c.compiler,
	}
}
