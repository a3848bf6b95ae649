// Package nesting estimates the depth and node count of a YAML document before
// the parser sees it, and finds unclosed brackets and quotes.
package nesting
