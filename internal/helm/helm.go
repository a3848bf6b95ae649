// Package helm renders Helm charts with their default values, as "helm template" does. Helm's own library renders,
// without a network and a cluster. The package leads each line of the result to a line of its template.
package helm

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/source"
)

// ChartFile is the name of the file in the directory of a chart.
const ChartFile = "Chart.yaml"

// Options describe the charts to render.
type Options struct {
	// Kubernetes is the minor release of the cluster, such as "1.37".
	Kubernetes string
	// Wants reports whether the chart in a directory is rendered. Dependencies are parts of their chart.
	Wants func(directory string) bool
}

// Apply renders the charts of an input. The result replaces what the templates gave without values. The templates of
// other charts have a reason of their own.
func Apply(in *manifest.Input, o Options) {
	var directories []string
	for _, f := range in.Files() {
		if directory, name := filepath.Split(f.Path); name == ChartFile && f.Writable {
			directories = append(directories, filepath.Clean(directory))
		}
	}
	slices.Sort(directories)
	served := sync.OnceValue(func() []string { return servedBy(in) })
	for _, directory := range directories {
		if isDependency(directory, directories) {
			continue
		}
		if !o.Wants(directory) {
			for i, s := range in.Skipped {
				if strings.HasPrefix(s.Path, filepath.Join(directory, "templates")+string(filepath.Separator)) {
					in.Skipped[i].Reason = manifest.ReasonChart
				}
			}
			continue
		}
		r := rendering{in: in, options: o, served: served, directory: directory}
		if err := r.render(); err != nil {
			in.Skip(filepath.Join(directory, ChartFile), "not rendered: "+reason(err))
		}
	}
}

// isDependency reports whether a directory is below the directory charts of another chart.
func isDependency(directory string, charts []string) bool {
	return slices.ContainsFunc(charts, func(parent string) bool {
		return strings.HasPrefix(directory, filepath.Join(parent, "charts")+string(filepath.Separator))
	})
}

// reason returns the cause of an error of Helm in one line.
func reason(err error) string {
	text := strings.Join(strings.Fields(err.Error()), " ")
	if short := []rune(text); len(short) > maxReason {
		text = string(short[:maxReason]) + "…"
	}
	return text
}

// maxReason limits the characters of a reason.
const maxReason = 300

// A rendering is a chart of an input that is rendered.
type rendering struct {
	in      *manifest.Input
	options Options
	served  func() []string
	// directory is the path of the chart in the form of the input.
	directory string
}

func (r rendering) render() error {
	c, err := loader.LoadDir(r.directory)
	if err != nil {
		return err
	}
	if c.Metadata.Type == "library" {
		return nil
	}
	if err := chartutil.ProcessDependencies(c, common.Values{}); err != nil {
		return err
	}
	capabilities, err := r.capabilities(c)
	if err != nil {
		return err
	}
	release := common.ReleaseOptions{Name: "release-name", Namespace: "default", Revision: 1, IsInstall: true}
	values, err := util.ToRenderValuesWithSchemaValidation(c, nil, release, capabilities, hasRemoteSchema(c))
	if err != nil {
		return err
	}
	rendered, err := engine.Render(c, values)
	if err != nil {
		return err
	}
	r.replace(c, rendered)
	return nil
}

// capabilities returns those of a cluster of the release with the CRDs of the input.
func (r rendering) capabilities(c *chart.Chart) (*common.Capabilities, error) {
	version, err := common.ParseKubeVersion(r.options.Kubernetes + ".0")
	if err != nil {
		return nil, err
	}
	if needed := c.Metadata.KubeVersion; needed != "" && !chartutil.IsCompatibleRange(needed, version.String()) {
		return nil, fmt.Errorf("the chart needs Kubernetes %s", needed)
	}
	capabilities := common.DefaultCapabilities.Copy()
	capabilities.KubeVersion = *version
	capabilities.APIVersions = append(capabilities.APIVersions, r.served()...)
	return capabilities, nil
}

// servedBy returns the versions and kinds of the CRDs of an input in the form of [common.VersionSet].
func servedBy(in *manifest.Input) (all []string) {
	for _, d := range in.Documents {
		if !d.IsCRD {
			continue
		}
		parsed, _ := source.Parse(d.Text, source.DefaultLimits)
		for _, document := range parsed.Documents {
			versions, _ := document.At("spec", "versions")
			for i := range versions.Len() {
				if name, ok := versions.At(i, "name"); ok {
					version := d.Described.Group + "/" + name.Node().Value
					all = append(all, version, version+"/"+d.Described.Kind)
				}
			}
		}
	}
	return all
}

var remoteReference = regexp.MustCompile(`"\$ref"\s*:\s*"https?:`)

// hasRemoteSchema reports whether a schema of the values refers to an address, which is not read.
func hasRemoteSchema(c *chart.Chart) bool {
	return remoteReference.Match(c.Schema) || slices.ContainsFunc(c.Dependencies(), hasRemoteSchema)
}

// replace replaces the templates in the input by what they render.
func (r rendering) replace(c *chart.Chart, rendered map[string]string) {
	replaced := map[string]bool{}
	first := len(r.in.Documents)
	for _, name := range slices.Sorted(maps.Keys(rendered)) {
		text := rendered[name]
		_, inChart, _ := strings.Cut(name, "/") // It begins with the name of the chart.
		file, ok := r.file(inChart)
		if ok && !strings.Contains(file.Text, "{{") {
			continue // It stands in the input as it is.
		}
		replaced[file.Path] = ok // Problems at the chart's own file are those of what it renders.
		if path.Base(name) != "NOTES.txt" && strings.TrimSpace(text) != "" {
			r.in.AddBuilt(filepath.Join(r.directory, ChartFile), generated(file, text))
		}
	}
	added := slices.Clone(r.in.Documents[first:])
	isReplaced := func(path string) bool {
		return replaced[path] || strings.HasPrefix(filepath.Base(path), "_") && strings.HasPrefix(path, filepath.Join(r.directory, "templates")) // a part of templates
	}
	r.in.Documents = append(slices.DeleteFunc(r.in.Documents[:first], func(d *manifest.Document) bool { return replaced[d.File.Path] }), added...)
	r.in.Skipped = slices.DeleteFunc(r.in.Skipped, func(s manifest.Skipped) bool { return isReplaced(s.Path) })
	r.in.Problems = slices.DeleteFunc(r.in.Problems, func(p manifest.Problem) bool {
		return isReplaced(line.ReplaceAllString(p.Path, ""))
	})
	if leftOut := missing(c); len(added)+len(replaced)+len(leftOut) > 0 {
		r.in.Builds = append(r.in.Builds, manifest.Build{Path: filepath.Join(r.directory, ChartFile), Objects: len(added), LeftOut: leftOut})
	}
}

// line matches the number of a line after a path.
var line = regexp.MustCompile(`:\d+$`)

// missing returns the dependencies that are not in the directory charts.
func missing(c *chart.Chart) []string {
	var all []string
	for _, needed := range c.Metadata.Dependencies {
		if !slices.ContainsFunc(c.Dependencies(), func(d *chart.Chart) bool { return d.Name() == needed.Name }) {
			all = append(all, needed.Name)
		}
	}
	return all
}

// file returns a file of the chart. A dependency in an archive has none, and stands at the chart's own.
func (r rendering) file(name string) (f *manifest.File, ok bool) {
	in := filepath.Join(r.directory, filepath.FromSlash(name))
	if text, err := os.ReadFile(in); err == nil {
		return manifest.NewFile(in, string(text)), true
	}
	return manifest.NewFile(filepath.Join(r.directory, ChartFile), ""), false
}
