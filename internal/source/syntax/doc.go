// Package syntax splits a file into documents, checks their depth and size before
// the parser sees them, parses a document as YAML or JSON into YAML nodes, and locates
// syntax errors.
package syntax
