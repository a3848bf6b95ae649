package inspect

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/crdlab/crdlab/internal/playground"
)

// A Table is the output of `kubectl get` at a version of a CRD.
type Table struct {
	CRD CRD `json:"crd"`
	playground.Table
}

// Tables returns the tables of a subject at the selected version, see [ExplainOptions].
func Tables(s Subject, version string) []Table {
	var all []Table
	for i, table := range s.Report.Tables {
		if selects(version, table.Version, i) {
			all = append(all, Table{s.crd(), table})
		}
	}
	return all
}

// WriteText writes the table as `kubectl get` does.
func (t Table) WriteText(w io.Writer) error {
	_, err := io.WriteString(w, t.Get)
	return err
}

// WriteWide writes the table as `kubectl get -o wide` does.
func (t Table) WriteWide(w io.Writer) error {
	_, err := io.WriteString(w, t.Wide)
	return err
}

// Columns has the columns of `kubectl get` at a version of a CRD.
type Columns struct {
	CRD     CRD                 `json:"crd"`
	Version string              `json:"version"`
	Columns []playground.Column `json:"columns"`
}

// ColumnsOf returns the columns of a subject at the selected version, see [ExplainOptions].
func ColumnsOf(s Subject, version string) []Columns {
	var all []Columns
	for _, table := range Tables(s, version) {
		all = append(all, Columns{table.CRD, table.Version, table.Columns})
	}
	return all
}

// WriteText writes a table with a row for each column.
func (c Columns) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "%s %s\n", c.CRD.Name, c.Version)
	table := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "COLUMN\tTYPE\tFORMAT\tSHOWN\tDESCRIPTION")
	for _, column := range c.Columns {
		shown := "always"
		if column.Priority > 0 {
			shown = "with -o wide"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", column.Name, column.Type, column.Format, shown, oneLine(column.Description))
	}
	return table.Flush()
}
