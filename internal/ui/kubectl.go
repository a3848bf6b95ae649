package ui

import "github.com/crdlab/crdlab/internal/playground"

// resourceArgument returns the resource argument of kubectl, qualified by
// version and group unless the version is the preferred one.
func resourceArgument(crd playground.CRD, version string, preferred bool) string {
	if preferred {
		return crd.Names.Plural
	}
	return crd.Names.Plural + "." + version + "." + crd.Group
}

func noTablesMessage(report playground.Report) string {
	if !report.CRD.Accepted {
		return "Nothing to get: the API server does not accept the CRD."
	}
	return "Nothing to get: no version is served."
}

// deprecations returns the deprecation warning for reads at a version, if any.
func deprecations(crd playground.CRD, version string) []string {
	for _, v := range crd.Versions {
		if v.Name == version && v.Deprecated {
			return []string{crd.Group + "/" + version + " " + crd.Names.Kind + " is deprecated"}
		}
	}
	return nil
}
