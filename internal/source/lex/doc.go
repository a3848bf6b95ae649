// Package lex holds the character-level rules of YAML 1.1: line breaks, blanks,
// document markers, and the ends of anchors, tags and aliases.
package lex
