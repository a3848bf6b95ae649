package upgrade

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/manifest"
)

// A draft is a step before it is tried.
type draft struct {
	kind  StepKind
	title string
	// crd is the manifest; nil for a step that is no manifest.
	crd definition
	// versions are the versions that the step is about.
	versions []string
}

// drafts returns the steps from a CRD with its status to a revision. Each step is one update that can be undone
// as long as the next one has not begun, which is why a new version is served before it is stored. Objects are written
// again after the last client has left a version: each of its writes leaves an entry in managedFields, and an entry
// of a version that the CRD lacks makes every server-side apply fail.
func drafts(current definition, target definition) []draft {
	storage, wanted := current.storage(), target.storage()
	isGone := func(name string) bool { return target.version(name) == nil }
	// Versions that hold no objects and answer no requests go with the first update.
	gone := current.names(func(v map[string]any) bool {
		name, _ := v["name"].(string)
		return isGone(name) && (isServed(v) || isStorage(v) || slices.Contains(current.stored(), name))
	})
	first := target.clone()
	for _, v := range first.versions() {
		name, _ := v["name"].(string)
		if old := current.version(name); old != nil && isServed(old) {
			v["served"] = true
		}
	}
	for _, name := range gone {
		old := current.clone().version(name)
		if isServed(old) {
			old["deprecated"] = true
		}
		first.addVersion(old)
	}
	if len(gone) > 0 && current.strategy() == "Webhook" && target.strategy() == "None" {
		first.spec()["conversion"] = current.clone().spec()["conversion"]
	}
	first.setStorage(storage)
	var all []draft
	if !isSame(first, current) {
		added := first.names(func(v map[string]any) bool { name, _ := v["name"].(string); return current.version(name) == nil })
		all = append(all, draft{StepUpdate, titleOfUpdate(first, current, added, gone), first, added})
	}
	stored := first
	if storage != wanted {
		stored = first.clone()
		stored.setStorage(wanted)
		all = append(all, draft{StepStore, "Store new objects as " + wanted, stored, []string{wanted}})
	}
	unserved := stored.names(func(v map[string]any) bool {
		name, _ := v["name"].(string)
		return isServed(v) && (isGone(name) || !isServed(target.version(name)))
	})
	if len(unserved) > 0 {
		quiet := stored.clone()
		for _, name := range unserved {
			quiet.version(name)["served"] = false
		}
		all = append(all, draft{StepUnserve, "Stop serving " + joined(unserved), quiet, unserved})
	}
	if rest := slices.DeleteFunc(withStorage(current.stored(), storage), func(name string) bool { return !isGone(name) }); len(rest) > 0 {
		all = append(all,
			draft{StepRewrite, "Write all objects again, which stores them as " + wanted, nil, rest},
			draft{StepForget, fmt.Sprintf("Remove %s from status.storedVersions", joined(rest)), nil, rest})
	}
	if len(gone) > 0 {
		all = append(all, draft{StepRemove, "Remove " + joined(gone), target, gone})
	}
	return all
}

// newlyDeprecated returns the versions that only the second CRD deprecates.
func newlyDeprecated(before, after definition) []string {
	return after.names(func(v map[string]any) bool {
		name, _ := v["name"].(string)
		return v["deprecated"] == true && before.version(name)["deprecated"] != true
	})
}

// withStorage returns names with the storage version.
func withStorage(names []string, storage string) []string {
	if slices.Contains(names, storage) {
		return slices.Clone(names)
	}
	return append(slices.Clone(names), storage)
}

func titleOfUpdate(first, current definition, added, gone []string) string {
	served := first.names(func(v map[string]any) bool {
		name, _ := v["name"].(string)
		return isServed(v) && slices.Contains(added, name)
	})
	beside := first.names(func(v map[string]any) bool {
		name, _ := v["name"].(string)
		return isServed(v) && slices.Contains(gone, name)
	})
	switch {
	case len(served) > 0 && len(beside) > 0:
		return fmt.Sprintf("Serve %s beside %s", joined(served), joined(beside))
	case len(served) > 0:
		return "Serve " + joined(served)
	case len(added) > 0:
		return "Add " + joined(added)
	}
	return "Change " + joined(withoutAll(current.names(isAny), gone))
}

// joined lists names: "a, b and c".
func joined(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// commandsOf returns the commands of a step.
func commandsOf(d draft, file string, state definition) []string {
	name := state.resource()
	switch d.kind {
	case StepRewrite:
		scope := ""
		if state.isNamespaced() {
			scope = " --all-namespaces"
		}
		plural, group, _ := strings.Cut(name, ".")
		var renames strings.Builder
		for _, version := range d.versions {
			fmt.Fprintf(&renames, " -e 's|apiVersion: %s/%s$|apiVersion: %s/%s|'", group, version, group, state.requested())
		}
		return []string{fmt.Sprintf("kubectl get %s.%s.%s%s --show-managed-fields -o yaml | sed%s | kubectl replace -f -", plural, state.requested(), group, scope, renames.String())}
	case StepForget:
		return []string{fmt.Sprintf(`kubectl patch crd %s --subresource=status --type=merge --patch '{"status":{"storedVersions":["%s"]}}'`, name, strings.Join(withoutAll(state.stored(), d.versions), `","`))}
	case StepDelete:
		return []string{"kubectl delete crd " + name}
	}
	// Without force, a conflict with the tool that created the CRD refuses the request.
	return []string{"kubectl apply --server-side --force-conflicts -f " + file}
}

func withoutAll(names, gone []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(gone, name) })
}

// waitsFor returns who has to be ready before a step.
func waitsFor(d draft, before, target definition) []string {
	waits := []string{}
	switch d.kind {
	case StepUpdate:
		if d.crd.strategy() == "Webhook" && before.strategy() != "Webhook" {
			waits = append(waits, "The conversion webhook: it has to answer before the API server knows of it. Requests at other versions than the stored one fail without it.")
		}
	case StepStore:
		waits = append(waits, fmt.Sprintf("All API servers: the update of the step before has to reach each of them. The condition Established is then True, and kubectl get --raw /apis/%v/%s works at each.", d.crd.spec()["group"], d.versions[0]))
	case StepRewrite:
		waits = append(waits, "The step before: it has to reach all API servers.")
	case StepForget:
		waits = append(waits, "The rewrite: an object that is still stored in another version can never be read again, and the API server does not check it.")
	case StepUnserve:
		waits = append(waits, fmt.Sprintf("All clients of %s: controllers, scripts, Helm charts and GitOps repositories. The metric apiserver_requested_deprecated_apis counts the ones that remain.", joined(d.versions)))
	case StepRemove:
		waits = append(waits, "The steps before. Nothing refers to "+joined(d.versions)+" any more.")
		if before.strategy() == "Webhook" && target.strategy() != "Webhook" {
			waits = append(waits, "The conversion webhook has to answer until this step is done.")
		}
	case StepCreate, StepDelete:
	}
	return waits
}

// notesOn returns what else to know about a step.
func notesOn(d draft) []string {
	if d.kind != StepRewrite {
		return []string{}
	}
	return []string{
		"If a client changes an object meanwhile, kubectl replace refuses to write it. Repeat the command until it succeeds.",
		fmt.Sprintf("The command also moves the entries of %s in metadata.managedFields, which a StorageVersionMigration leaves as they are. With such an entry, every server-side apply fails once the version is gone.", joined(d.versions)),
	}
}

// positionOf returns the position of a document as PATH:LINE, or an empty string.
func positionOf(d *manifest.Document) string {
	if d == nil {
		return ""
	}
	return position(d)
}
