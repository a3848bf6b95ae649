package check

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/bundle"
	"github.com/crdlab/crdlab/internal/manifest"
)

// crossplaneKind is the kind of objects from which Crossplane creates CRDs.
var crossplaneKind = bundle.Kind{Group: "apiextensions.crossplane.io", Kind: "CompositeResourceDefinition"}

// Unjudged describes the content of an input without a CRD, and the remedy. isBuiltIn reports whether
// the API server has the kind of an object without a CRD, and fromCluster whether the user can
// add the CRDs of a cluster.
func Unjudged(in *manifest.Input, isBuiltIn func(*manifest.Document) bool, fromCluster bool) string {
	_, objects := Groups(in)
	custom := slices.IndexFunc(objects, func(d *manifest.Document) bool { return !isBuiltIn(d) })
	if i := slices.IndexFunc(objects, func(d *manifest.Document) bool { return d.Kind == crossplaneKind }); i >= 0 {
		return fmt.Sprintf("found a %s of Crossplane, and not the CRD that Crossplane creates from it; add the output of: kubectl get crd %s --output yaml",
			crossplaneKind.Kind, objects[i].Name)
	}
	switch {
	case slices.ContainsFunc(in.Skipped, func(s manifest.Skipped) bool { return s.Reason == manifest.ReasonUnrendered }):
		return "found templates in crds, which Helm does not render; move them to templates, or write them as plain YAML"
	case slices.ContainsFunc(in.Skipped, func(s manifest.Skipped) bool { return s.Reason == manifest.ReasonChart }):
		return "found templates of Helm charts; --helm renders them with their default values"
	case slices.ContainsFunc(in.Skipped, func(s manifest.Skipped) bool {
		return s.Reason == manifest.ReasonTemplate || s.Reason == manifest.ReasonPlaceholders
	}):
		return "found templates; render them first, such as with: helm template CHART | crdlab check -"
	case custom >= 0:
		kind := objects[custom].Kind
		advice := "add the path of the CRD"
		if address := publishedCRDs[kind.Group]; address != "" {
			advice += ", such as " + address
		}
		if fromCluster {
			advice += ", or --from-cluster"
		}
		return fmt.Sprintf("found no CRD of the kind %s (%s); %s", kind.Kind, objects[custom].APIVersion, advice)
	case len(in.Packages) > 0:
		return "found no CRD in the Go packages; name the packages with the types of the API"
	case in.GoDirectory != "":
		return "found Go files and no CRD; to judge the CRDs of Go types, use the path " + goPattern(in.GoDirectory)
	case len(objects) > 0:
		return fmt.Sprintf("found only built-in kinds such as %s (%s); add CRDs and their objects", objects[0].Kind.Kind, objects[0].APIVersion)
	}
	return "found no Kubernetes objects; name files, or directories with *.yaml, *.yml or *.json, that contain CRDs"
}

// publishedCRDs maps API groups to the files with their CRDs in the newest releases of well-known
// projects. A project is missing if the name of its file contains the version.
var publishedCRDs = map[string]string{
	"acme.cert-manager.io":        "https://github.com/cert-manager/cert-manager/releases/latest/download/cert-manager.crds.yaml",
	"cert-manager.io":             "https://github.com/cert-manager/cert-manager/releases/latest/download/cert-manager.crds.yaml",
	"cluster.x-k8s.io":            "https://github.com/kubernetes-sigs/cluster-api/releases/latest/download/cluster-api-components.yaml",
	"gateway.networking.k8s.io":   "https://github.com/kubernetes-sigs/gateway-api/releases/latest/download/standard-install.yaml",
	"helm.toolkit.fluxcd.io":      "https://github.com/fluxcd/flux2/releases/latest/download/install.yaml",
	"jobset.x-k8s.io":             "https://github.com/kubernetes-sigs/jobset/releases/latest/download/manifests.yaml",
	"kueue.x-k8s.io":              "https://github.com/kubernetes-sigs/kueue/releases/latest/download/manifests.yaml",
	"kustomize.toolkit.fluxcd.io": "https://github.com/fluxcd/flux2/releases/latest/download/install.yaml",
	"kyverno.io":                  "https://github.com/kyverno/kyverno/releases/latest/download/install.yaml",
	"monitoring.coreos.com":       "https://github.com/prometheus-operator/prometheus-operator/releases/latest/download/bundle.yaml",
	"operators.coreos.com":        "https://github.com/operator-framework/operator-lifecycle-manager/releases/latest/download/crds.yaml",
	"rabbitmq.com":                "https://github.com/rabbitmq/cluster-operator/releases/latest/download/cluster-operator.yml",
	"source.toolkit.fluxcd.io":    "https://github.com/fluxcd/flux2/releases/latest/download/install.yaml",
	"tekton.dev":                  "https://github.com/tektoncd/pipeline/releases/latest/download/release.yaml",
}

// goPattern returns the pattern for the Go packages in a directory.
func goPattern(directory string) string {
	pattern := path.Join(filepath.ToSlash(directory), "...")
	if !path.IsAbs(pattern) && !strings.HasPrefix(pattern, "../") {
		pattern = "./" + pattern
	}
	return pattern
}
