// Package limits bounds the size, depth and number of nodes of documents, and
// counts nodes against these bounds.
package limits
