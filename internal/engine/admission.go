package engine

import (
	"fmt"
	"strings"

	"github.com/crdlab/crdlab/internal/engine/admission"
	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/quickfix"
	"github.com/crdlab/crdlab/internal/playground"
)

// AdmissionPlugins returns the admission plugins of a scenario. It returns nil if the
// scenario has no plugins.
func (e *Engine) AdmissionPlugins(s playground.Scenario) (*admission.Plugins, error) {
	if strings.TrimSpace(s.Admission) == "" {
		return nil, nil
	}
	return e.caches.admissionPlugins(newPluginsKey(s), func() (*admission.Plugins, error) { return admission.New(s.Admission) })
}

// reportAdmission returns the findings about the admission document, or nil without
// plugins.
func (e *Engine) reportAdmission(s playground.Scenario, c *crd.CRD, plugins *admission.Plugins, objects []playground.Object) (*playground.Admission, error) {
	if plugins == nil {
		return nil, nil
	}
	typeFindings, err := e.checkPolicyTypes(s, c, plugins)
	if err != nil {
		return nil, err
	}
	findings := append([]playground.Finding{}, plugins.Findings()...)
	findings = append(append(findings, typeFindings...), plugins.UnappliedFindings(objects, c.Report.Names)...)
	findings = append(findings, plugins.SelectorFindings(objects)...)
	if len(findings) > 0 {
		quickfix.SuggestForAdmission(findings, plugins.File(), nil, nil)
	}
	return &playground.Admission{Findings: findings}, nil
}

// checkPolicyTypes runs the API server's type checker on the policies and returns its
// findings. It returns nil if the CRD is rejected or serves no version.
func (e *Engine) checkPolicyTypes(s playground.Scenario, c *crd.CRD, plugins *admission.Plugins) ([]playground.Finding, error) {
	served := c.ServedByPriority()
	if !c.Report.Accepted || len(served) == 0 {
		return nil, nil
	}
	return e.caches.policyTypeFindings(policyTypesKey{newCRDKey(s), newPluginsKey(s)}, func() ([]playground.Finding, error) {
		findings, err := plugins.TypeFindings(c.V1, served)
		if err != nil {
			return nil, fmt.Errorf("check the types of the policies: %w", err)
		}
		return findings, nil
	})
}
