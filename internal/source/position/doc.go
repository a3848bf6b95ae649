// Package position converts between byte offsets, LSP positions and the line and
// column numbers of the YAML parser.
package position
