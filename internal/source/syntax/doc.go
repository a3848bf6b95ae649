// Package syntax splits a file into documents, parses a document as YAML or JSON
// into YAML nodes, and locates syntax errors.
package syntax
