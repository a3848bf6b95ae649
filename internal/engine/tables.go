package engine

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/customresource"
	"github.com/crdlab/crdlab/internal/engine/kubectl"
	"github.com/crdlab/crdlab/internal/engine/object"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// printTables returns the response of the API server to `kubectl get` at each served
// version.
func printTables(c *crd.CRD, objects []object.Evaluated, now time.Time) []playground.Table {
	tables := []playground.Table{}
	if !c.Report.Accepted {
		return tables
	}
	for _, name := range c.ServedByPriority() {
		_ = upstream.Guard(playground.StageRead, func() error {
			v := c.Versions[name]
			table, err := customresource.NewTable(v, listAt(objects, name), now)
			if err != nil {
				return err
			}
			table.Get, table.Wide = kubectl.FormatTable(table, false), kubectl.FormatTable(table, true)
			if failure := listFailure(objects, name); failure != "" {
				table.Rows, table.Get, table.Wide = [][]any{}, failure, failure
			}
			if v.DeprecationWarning != "" {
				warning := kubectl.FormatWarnings([]string{v.DeprecationWarning})
				table.Get, table.Wide = warning+table.Get, warning+table.Wide
			}
			if !c.IsEstablished() {
				unknown := fmt.Sprintf("error: the server doesn't have a resource type %q\n", c.V1.Spec.Names.Plural)
				table.Get, table.Wide = unknown, unknown
			}
			tables = append(tables, table)
			return nil
		})
	}
	return tables
}

// listFailure returns a message if an object cannot be read at a version, so that
// the API server cannot list the objects. Otherwise it returns an empty string.
func listFailure(objects []object.Evaluated, version string) string {
	for _, evaluated := range objects {
		for _, v := range evaluated.Report.Versions {
			switch {
			case v.Name != version || v.Error == "":
			case v.Cause == playground.CauseUnansweredWebhook:
				return "The output depends on the conversion webhook, for which the scenario has no response.\n"
			default:
				return "The API server cannot return the list: " + v.Error + "\n"
			}
		}
	}
	return ""
}

// listAt returns the objects as read at a version, in the order of their keys in
// etcd.
func listAt(objects []object.Evaluated, version string) *unstructured.UnstructuredList {
	list := &unstructured.UnstructuredList{}
	for _, evaluated := range objects {
		read, ok := evaluated.Reads[version]
		switch {
		case !ok:
		case read == nil:
			list.Items = append(list.Items, unstructured.Unstructured{})
		default:
			list.Items = append(list.Items, *read)
		}
	}
	slices.SortStableFunc(list.Items, func(a, b unstructured.Unstructured) int {
		return cmp.Or(cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetName(), b.GetName()))
	})
	return list
}
