// Package source parses YAML and JSON files and locates values in them: the key
// and the value at a path, the characters of a quoted, folded or literal
// scalar, and the line that a decoder reports.
//
// All ranges refer to the input of [Parse] and count UTF-16 characters, like
// LSP. Lines break at \n, \r\n and \r, as in an editor. The results are
// immutable and safe for concurrent use.
package source
