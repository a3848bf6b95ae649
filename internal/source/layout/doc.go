// Package layout finds the start and end of YAML nodes in their source.
package layout
