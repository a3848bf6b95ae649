// Package scalar maps each code point of a decoded YAML scalar to the characters
// that it was written with.
package scalar
