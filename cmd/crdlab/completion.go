package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/releases"
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
		present := releases.Open(flags.path()).Releases()
		return slices.DeleteFunc(releases.Known(), func(name string) bool {
			return slices.Contains(present, name) != installed || slices.Contains(arguments, name)
		}), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeVersions completes a version of the CRDs in the files of the command line.
func completeVersions(command *cobra.Command, arguments []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	// A completion must not wait for standard input, a network or the compiler.
	local := slices.DeleteFunc(slices.Clone(arguments), func(path string) bool {
		return path == "-" || strings.Contains(path, "://") || manifest.IsGoPattern(path)
	})
	groups, _ := check.Groups(newReader(command).Read(command.Context(), local))
	var names []cobra.Completion
	for _, group := range groups {
		var crd apiextensionsv1.CustomResourceDefinition
		_ = yaml.Unmarshal([]byte(group.CRD.Text), &crd) // The versions of a wrong CRD are incomplete.
		for _, version := range crd.Spec.Versions {
			names = append(names, version.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), cobra.ShellCompDirectiveNoFileComp
}
