// Package layout finds the start and end of YAML nodes in the source text.
package layout
