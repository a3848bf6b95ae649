// Package edit changes values of a document and keeps everything else as it was
// typed: comments, quotes, indentation and the order of keys. It also formats whole
// files.
package edit
