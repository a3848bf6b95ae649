//go:build !js

package gotypes

import (
	"slices"
	"strconv"

	"github.com/crdlab/crdlab/internal/project"
)

// ofProject adds the options that the project of a directory uses: those of the settings file, or otherwise those of
// the call of controller-gen for the directory. Options of the command remain.
func (o Options) ofProject(directory string) (Options, error) {
	settings, err := project.SettingsAt(directory)
	if err != nil {
		return o, err
	}
	o.Conventions = o.Conventions || settings.Conventions
	if o.isGiven {
		return o, nil
	}
	if settings.CRD != nil {
		return o.from(*settings.CRD, settings.File)
	}
	calls := project.CallsAt(directory)
	if len(calls) == 0 {
		return o, nil
	}
	used := slices.MaxFunc(calls, func(a, b project.Call) int { return a.Reach(directory) - b.Reach(directory) })
	if found, err := o.from(used.Options, used.File+":"+strconv.Itoa(used.Line)); err == nil {
		return found, nil
	}
	return o, nil // An older controller-gen may have had these options.
}

// from returns the options with those of controller-gen, which come from a source.
func (o Options) from(text, source string) (Options, error) {
	parsed, err := ParseOptions(text)
	if err != nil {
		return o, err
	}
	o.generator = parsed.generator
	o.generator.HeaderFile = ""
	o.text, o.source = text, source
	return o, nil
}

// RequestConventions makes the settings of a directory's project request the notes on conventions. A new settings
// file is beside the go.mod.
func RequestConventions(directory string) error {
	root, _ := moduleAbove(directory, directory)
	return project.RequestConventions(directory, root)
}
