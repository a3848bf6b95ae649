package ui

import (
	"fmt"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// formatSize describes the size of a stored object and its largest fields; empty for
// nil.
func formatSize(size *playground.Size) string {
	if size == nil {
		return ""
	}
	text := fmt.Sprintf("%s of the %s that etcd accepts (%d %%)", formatBytes(size.Bytes), formatBytes(size.Limit), 100*size.Bytes/size.Limit)
	var fields []string
	for _, field := range size.Largest {
		fields = append(fields, field.Path+" "+formatBytes(field.Bytes))
	}
	if len(fields) > 0 {
		text += "; largest fields: " + strings.Join(fields, ", ")
	}
	return text
}

// formatBytes formats a number of bytes with a binary unit.
func formatBytes(bytes int) string {
	switch {
	case bytes >= 1<<20:
		return fmt.Sprintf("%.2f MiB", float64(bytes)/(1<<20))
	case bytes >= 1<<10:
		return fmt.Sprintf("%.0f KiB", float64(bytes)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", bytes)
}
