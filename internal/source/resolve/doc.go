// Package resolve locates the fields and messages of API server errors in a
// document.
package resolve
