package customresource

import (
	"context"
	"fmt"
	"reflect"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/client-go/util/jsonpath"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/playground"
)

// NewTable returns the columns and rows of a list of objects at a version, as the API
// server returns them to `kubectl get` at the time now.
func NewTable(v *crd.Version, list *unstructured.UnstructuredList, now time.Time) (playground.Table, error) {
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
