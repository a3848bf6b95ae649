package object

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/client-go/util/jsonpath"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/kubectl"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// Tables returns the response of the API server to `kubectl get` at each served
// version.
func Tables(c *crd.CRD, objects []Evaluated, now time.Time) []playground.Table {
	tables := []playground.Table{}
	if !c.Report.Accepted {
		return tables
	}
	for _, name := range c.ServedByPriority() {
		_ = upstream.Guard(playground.StageRead, func() error {
			table, err := newTable(c.Versions[name], listAt(objects, name), now)
			if err == nil {
				tables = append(tables, table)
			}
			return err
		})
	}
	return tables
}

// versionReads holds a stored object as read at each served version, by the name of
// the version. It is nil at a version that cannot be read.
type versionReads map[string]*unstructured.Unstructured

// listAt returns the objects as read at a version, in the order of their keys in
// etcd.
func listAt(objects []Evaluated, version string) *unstructured.UnstructuredList {
	list := &unstructured.UnstructuredList{}
	for _, object := range objects {
		read, ok := object.reads[version]
		switch {
		case !ok:
		case read == nil:
			list.Items = append(list.Items, unstructured.Unstructured{})
		default:
			list.Items = append(list.Items, unstructured.Unstructured{Object: jsonvalue.NormalizeNumbers(read.Object)})
		}
	}
	slices.SortStableFunc(list.Items, func(a, b unstructured.Unstructured) int {
		return cmp.Or(cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetName(), b.GetName()))
	})
	return list
}

func newTable(v *crd.Version, list *unstructured.UnstructuredList, now time.Time) (playground.Table, error) {
	out := playground.Table{Version: v.Kind.Version, Columns: []playground.Column{}, Rows: [][]any{}}
	convertor := v.AcquireTableConvertor()
	defer v.ReleaseTableConvertor(convertor)
	columns := convertor.Columns
	table, err := convertor.ConvertToTable(context.Background(), list, nil)
	if err != nil {
		return out, fmt.Errorf("convert to table: %w", err)
	}
	for _, c := range table.ColumnDefinitions {
		out.Columns = append(out.Columns, playground.Column{Name: c.Name, Type: c.Type, Format: c.Format, Description: c.Description, Priority: c.Priority})
	}
	for i, row := range table.Rows {
		for j, column := range columns {
			if column.Type == "date" {
				row.Cells[j+1] = age(column, list.Items[i].Object, row.Cells[j+1], now)
			}
		}
		out.Rows = append(out.Rows, row.Cells)
	}
	out.Get = kubectl.FormatTable(out, false)
	out.Wide = kubectl.FormatTable(out, true)
	return out, nil
}

// age returns the cell of a date column at the time now, because upstream's
// convertor uses the time of the machine.
func age(column apiextensionsv1.CustomResourceColumnDefinition, object map[string]any, cell any, now time.Time) any {
	path := jsonpath.New(column.Name).AllowMissingKeys(true)
	if cell == nil || path.Parse("{"+column.JSONPath+"}") != nil {
		return cell
	}
	results, err := path.FindResults(object)
	if err != nil || len(results) == 0 || len(results[0]) == 0 {
		return cell
	}
	timestamp, ok := reflect.TypeAssert[string](results[0][0])
	if !ok {
		return cell
	}
	t := metav1.Time{}
	if t.UnmarshalQueryParameter(timestamp) != nil || t.IsZero() {
		return cell
	}
	return duration.HumanDuration(now.Sub(t.Time))
}
