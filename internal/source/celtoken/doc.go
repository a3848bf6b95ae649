// Package celtoken finds the CEL token at a line and column that the CEL compiler
// reports.
package celtoken
