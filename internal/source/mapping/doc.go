// Package mapping looks up keys in YAML mappings with the semantics of the
// decoders of Kubernetes: aliases, merge keys, duplicate keys, and keys that
// YAML 1.1 reads as booleans or numbers.
package mapping
