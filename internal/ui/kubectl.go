package ui

import "github.com/crdlab/crdlab/internal/playground"

// resourceArgument names the resource for kubectl; only the preferred version
// goes without saying.
func resourceArgument(crd playground.CRD, version string, preferred bool) string {
	if preferred {
		return crd.Names.Plural
	}
	return crd.Names.Plural + "." + version + "." + crd.Group
}

func withoutTables(report playground.Report) string {
	if !report.CRD.Accepted {
		return "Nothing to get: the API server does not accept the CRD."
	}
	return "Nothing to get: no version is served."
}

// deprecations are the warnings that a read at a version gives, once each.
func deprecations(crd playground.CRD, version string) []string {
	for _, v := range crd.Versions {
		if v.Name == version && v.Deprecated {
			return []string{crd.Group + "/" + version + " " + crd.Names.Kind + " is deprecated"}
		}
	}
	return nil
}
