// Package yamltext relates parsed YAML to its text: it converts between byte
// offsets and positions, finds the start and end of YAML nodes, and maps each code
// point of a decoded scalar to the characters that it was written with.
package yamltext
