package lsp

import (
	"unicode/utf16"
	"unicode/utf8"

	protocol "github.com/tliron/glsp/protocol_3_16"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// rangeIn converts a range of a file for the editor.
func (s *Server) rangeIn(f *manifest.File, r playground.Range) protocol.Range {
	return protocol.Range{Start: s.positionIn(f, r.Start), End: s.positionIn(f, r.End)}
}

func (s *Server) positionIn(f *manifest.File, p playground.Position) protocol.Position {
	if s.client.utf8 {
		p.Character = bytesOf(f.Line(p.Line), p.Character)
	}
	return protocol.Position{Line: uint32(p.Line), Character: uint32(p.Character)} //nolint:gosec // positions are not negative
}

// rangeFrom converts a range of the editor in a file.
func (s *Server) rangeFrom(f *manifest.File, r protocol.Range) playground.Range {
	return playground.Range{Start: s.positionFrom(f, r.Start), End: s.positionFrom(f, r.End)}
}

func (s *Server) positionFrom(f *manifest.File, p protocol.Position) playground.Position {
	at := playground.Position{Line: int(p.Line), Character: int(p.Character)}
	if s.client.utf8 {
		line := f.Line(at.Line)
		at.Character = unitsOf(line[:min(at.Character, len(line))])
	}
	return at
}

// bytesOf returns the offset in bytes of an offset in UTF-16 code units.
func bytesOf(line string, units int) int {
	for i, r := range line {
		if units <= 0 {
			return i
		}
		units -= max(utf16.RuneLen(r), 1)
	}
	return len(line)
}

// unitsOf returns the length of a string in UTF-16 code units.
func unitsOf(text string) int {
	units := 0
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		units += max(utf16.RuneLen(r), 1)
		text = text[size:]
	}
	return units
}

// location returns a place for the editor; nil if an editor cannot open
// the file. An open file has the editor's address, because editors escape other characters.
func (s snapshot) location(place manifest.Place) *protocol.Location {
	uri := uriOf(place.Path())
	for _, open := range s.files {
		if open.path == place.Path() {
			uri = open.uri
		}
	}
	if uri == "" {
		return nil
	}
	return &protocol.Location{URI: uri, Range: s.rangeIn(place.File, place.Range)}
}

// contains reports whether a range contains a position, or ends at it.
func contains(r playground.Range, p playground.Position) bool {
	return !before(p, r.Start) && !before(r.End, p)
}

func before(a, b playground.Position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Character < b.Character
}
