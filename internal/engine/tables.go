package engine

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/client-go/util/jsonpath"

	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

var metadataDescriptions = metav1.ObjectMeta{}.SwaggerDoc()

// tables are what the API server answers to `kubectl get` at each served
// version.
func tables(c *crd, objects []readObject, now time.Time) []playground.Table {
	tables := []playground.Table{}
	if !c.report.Accepted {
		return tables
	}
	for _, name := range c.servedByPriority() {
		_ = upstream.Guard(playground.StageRead, func() error {
			table, err := newTable(c.versions[name], listAt(objects, name), now)
			if err == nil {
				tables = append(tables, table)
			}
			return err
		})
	}
	return tables
}

// readObject is an accepted object as read at each served version, by its name;
// nil where it cannot be read.
type readObject map[string]*unstructured.Unstructured

// returned is what the report says that is read.
func (r *request) returned() readObject {
	reads := readObject{}
	for _, v := range r.report.Versions {
		reads[v.Name] = r.reads[v.Name]
	}
	return reads
}

// listAt are the objects as read at a version, in the order of their keys in
// etcd.
func listAt(objects []readObject, version string) *unstructured.UnstructuredList {
	list := &unstructured.UnstructuredList{}
	for _, object := range objects {
		read, ok := object[version]
		switch {
		case !ok:
		case read == nil:
			list.Items = append(list.Items, unstructured.Unstructured{})
		default:
			list.Items = append(list.Items, unstructured.Unstructured{Object: jsonvalue.Decoded(read.Object)})
		}
	}
	slices.SortStableFunc(list.Items, func(a, b unstructured.Unstructured) int {
		return cmp.Or(cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetName(), b.GetName()))
	})
	return list
}

// tableConvertor makes the tables of a version, one at a time. If there is
// something wrong with the columns, it has none: the server falls back to the
// name alone.
type tableConvertor struct {
	rest.TableConvertor
	columns []apiextensionsv1.CustomResourceColumnDefinition
}

func (v *version) tableConvertor() *tableConvertor {
	if idle, ok := v.convertors.Get().(*tableConvertor); ok {
		return idle
	}
	convertor, err := tableconvertor.New(v.columns)
	if err != nil {
		return &tableConvertor{convertor, nil}
	}
	return &tableConvertor{convertor, v.columns}
}

func newTable(v *version, list *unstructured.UnstructuredList, now time.Time) (playground.Table, error) {
	out := playground.Table{Version: v.kind.Version, Columns: []playground.Column{}, Rows: [][]any{}}
	convertor := v.tableConvertor()
	defer v.convertors.Put(convertor)
	columns := convertor.columns
	table, err := convertor.ConvertToTable(nil, list, nil)
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
	out.Get = printTable(out, false)
	out.Wide = printTable(out, true)
	return out, nil
}

// age is the cell of a date column as of now; upstream's convertor takes the
// time of the machine.
func age(column apiextensionsv1.CustomResourceColumnDefinition, object map[string]any, cell any, now time.Time) any {
	path := jsonpath.New(column.Name).AllowMissingKeys(true)
	if cell == nil || path.Parse("{"+column.JSONPath+"}") != nil {
		return cell
	}
	results, err := path.FindResults(object)
	if err != nil || len(results) == 0 || len(results[0]) == 0 {
		return cell
	}
	text, ok := results[0][0].Interface().(string)
	if !ok {
		return cell
	}
	t := metav1.Time{}
	if t.UnmarshalQueryParameter(text) != nil || t.IsZero() {
		return cell
	}
	return duration.HumanDuration(now.Sub(t.Time))
}

// cellText is a cell as kubectl prints it.
func cellText(cell any) string {
	if cell == nil {
		return ""
	}
	if number, ok := cell.(json.Number); ok {
		return number.String()
	}
	return fmt.Sprint(reflect.ValueOf(cell).Interface())
}
