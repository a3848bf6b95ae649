// Package tolerant parses YAML and JSON that need not be valid, such as a document
// that is being typed, and finds the syntactic context of a cursor.
package tolerant
