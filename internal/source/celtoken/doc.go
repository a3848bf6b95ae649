// Package celtoken splits CEL expressions into tokens, and finds the token at a line
// and column that the CEL compiler reports.
package celtoken
