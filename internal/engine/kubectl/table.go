package kubectl

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/liggitt/tabwriter"

	"github.com/crdlab/crdlab/internal/playground"
)

var terminalEscaper = strings.NewReplacer("\x1b", "^[", "\r", "\\r")

// FormatTable returns the output of kubectl get. Only wide output includes columns with
// a priority above 0. FormatTable follows k8s.io/cli-runtime/pkg/printers, which does
// not build for WebAssembly.
func FormatTable(table playground.Table, wide bool) string {
	if len(table.Rows) == 0 {
		return ""
	}
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 6, 4, 3, ' ', tabwriter.RememberWidths)
	visible := func(cells []string) string {
		var shown []string
		for i, cell := range cells {
			if wide || table.Columns[i].Priority == 0 {
				shown = append(shown, cell)
			}
		}
		return strings.Join(shown, "\t") + "\n"
	}
	header := make([]string, len(table.Columns))
	for i, column := range table.Columns {
		header[i] = strings.ToUpper(column.Name)
	}
	_, _ = w.Write([]byte(visible(header)))
	for _, row := range table.Rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = escapeCell(formatCell(cell))
		}
		_, _ = w.Write([]byte(visible(cells)))
	}
	_ = w.Flush()
	return out.String()
}

// escapeCell truncates a cell at its first line break and escapes terminal controls.
func escapeCell(cell string) string {
	if i := strings.IndexAny(cell, "\f\n\r"); i >= 0 {
		return terminalEscaper.Replace(cell[:i]) + "..."
	}
	return terminalEscaper.Replace(cell)
}

// formatCell formats the value of a cell as kubectl does.
func formatCell(cell any) string {
	if cell == nil {
		return ""
	}
	if number, ok := cell.(json.Number); ok {
		return number.String()
	}
	return fmt.Sprint(reflect.ValueOf(cell).Interface())
}
