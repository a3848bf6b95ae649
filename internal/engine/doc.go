// Package engine evaluates a CustomResourceDefinition and its objects with the code of
// the Kubernetes API server. It runs the stages of a real request in their order,
// records the changes of each stage, and maps each error to a range in the user's YAML.
//
// A scenario passes through these packages:
//
//	release    selects the CEL environment and the feature gates of a release
//	crd        decodes, merges, validates, establishes and compiles the CRD
//	crdschema  finds and describes the nodes of its schemas
//	celrule    compiles its rules and evaluates them against an object
//	object     runs the request of each object, and builds the tables
//	crddiff    compares the CRD and the stored objects with the old CRD
//	quickfix   adds hints and fixes to the findings of the finished report
//	kubectl    formats the output of the kubectl command
//
// Packages admission, conversion and openapi drive the API server's plugins, converter and
// generator of schemas. Packages finding, jsonvalue and upstream hold code that these packages
// share; package webhook holds the code that admission and conversion share. Package assist uses the engine to
// complete, explain and generate YAML.
package engine
