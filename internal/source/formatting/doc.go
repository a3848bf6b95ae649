// Package formatting formats YAML and JSON as indented YAML.
package formatting
