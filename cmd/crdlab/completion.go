package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/minors"
	"github.com/crdlab/crdlab/internal/playground"
)

// completeFlag adds the completion of a flag that the command has.
func completeFlag(command *cobra.Command, name string, complete cobra.CompletionFunc) {
	if err := command.RegisterFlagCompletionFunc(name, complete); err != nil {
		panic(err) // The flag exists.
	}
}

// completeKubernetes completes a Kubernetes release.
func completeKubernetes(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []cobra.Completion
	for minor := playground.NewestMinor; minor >= playground.OldestMinor; minor-- {
		names = append(names, release.Name(minor))
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// completeKubernetesList completes the last of several releases, separated by commas.
func completeKubernetesList(command *cobra.Command, arguments []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	before := typed[:strings.LastIndex(typed, ",")+1]
	names, directive := completeKubernetes(command, arguments, typed)
	names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(strings.Split(before, ","), name) })
	for i := range names {
		names[i] = before + names[i]
	}
	return names, directive | cobra.ShellCompDirectiveNoSpace
}

// completePrograms returns the completion of releases by whether their programs are installed.
func completePrograms(flags *programFlags, installed bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, arguments []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		present := minors.Open(flags.path()).Releases()
		return slices.DeleteFunc(minors.Known(), func(name string) bool {
			return slices.Contains(present, name) != installed || slices.Contains(arguments, name)
		}), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeFromFiles returns a completion by the documents in the files of the command line: the
// values that list returns for each CRD with its objects.
func completeFromFiles(paths func(arguments []string) []string, list func(check.Group) []string) cobra.CompletionFunc {
	return func(command *cobra.Command, arguments []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		// A completion must not wait for a terminal, a network or the compiler.
		local := slices.DeleteFunc(slices.Clone(paths(arguments)), func(path string) bool {
			return path == "-" || strings.Contains(path, "://") || manifest.IsGoPattern(path)
		})
		groups, _ := check.Groups(newReader(command).Read(command.Context(), local))
		var values []cobra.Completion
		for _, group := range groups {
			values = append(values, list(group)...)
		}
		slices.Sort(values)
		return slices.Compact(values), cobra.ShellCompDirectiveNoFileComp
	}
}

func allArguments(arguments []string) []string { return arguments }

// afterExpression returns the paths in the arguments of the command eval.
func afterExpression(arguments []string) []string { return arguments[min(1, len(arguments)):] }

// objectsOf returns the names of the objects of a CRD, as the flag --object accepts them.
func objectsOf(group check.Group) []string {
	var names []string
	for _, object := range group.Objects {
		names = append(names, object.Name)
		if object.Namespace != "" {
			names = append(names, object.Namespace+"/"+object.Name)
		}
	}
	return names
}

// versionsOf returns the names of the versions of a CRD.
func versionsOf(group check.Group) []string {
	var crd struct {
		Spec struct {
			Versions []struct {
				Name string `json:"name"`
			} `json:"versions"`
		} `json:"spec"`
	}
	if yaml.Unmarshal([]byte(group.CRD.Text), &crd) != nil {
		return nil
	}
	var names []string
	for _, v := range crd.Spec.Versions {
		names = append(names, v.Name)
	}
	return names
}
