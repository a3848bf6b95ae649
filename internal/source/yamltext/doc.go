// Package yamltext splits a file into documents, checks their depth and size before the
// parser sees them, and parses each as YAML or JSON into YAML nodes.
//
// It also relates these nodes to the source: it converts between byte offsets and positions,
// finds the start and end of nodes, and maps each code point of a decoded scalar to the
// characters that it was written with.
package yamltext
