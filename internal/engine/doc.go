// Package engine answers what a Kubernetes API server would do with a
// CustomResourceDefinition and its objects, and why.
//
// The code of the API server itself decides: this package drives it stage by
// stage in the order of a real request, records what each stage changed, and
// maps every error back to the text that the user typed. The stages of an
// object's request are listed in [objectStages]; each is in a file of its
// name.
package engine
