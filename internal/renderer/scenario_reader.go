package renderer

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/crdlab/crdlab/internal/playground"
)

const (
	// minCached is the minimum size in bytes of a cached JSON literal.
	minCached = 4 << 10
	// maxCached is the maximum number of cached literals. It suffices for the CRDs
	// that a child usually alternates between, and their previous versions.
	maxCached = 4
)

// scenarioReader decodes scenarios and the requests that contain one. It caches long
// strings, because the page sends the same CRD with every keystroke in an object.
type scenarioReader struct {
	cache   []cachedLiteral // most recently used first
	options json.Options
}

type cachedLiteral struct {
	literal []byte // including quotes
	value   string
}

func newScenarioReader() *scenarioReader {
	s := &scenarioReader{}
	s.options = json.JoinOptions(
		json.RejectUnknownMembers(true),
		json.WithUnmarshalers(json.UnmarshalFromFunc(s.readString)),
	)
	return s
}

// read decodes a value with the same result as encoding/json, or returns
// [playground.ErrUnreadable]. In contrast to encoding/json, it rejects names in a
// different case, duplicate names and invalid UTF-8.
func (s *scenarioReader) read(data []byte, value any) error {
	if err := json.Unmarshal(data, value, s.options); err != nil {
		return fmt.Errorf("%w: %w", playground.ErrUnreadable, err)
	}
	return nil
}

func (s *scenarioReader) readString(decoder *jsontext.Decoder, value *string) error {
	if decoder.PeekKind() != jsontext.KindString {
		return errors.ErrUnsupported // selects the library's own decoder
	}
	literal, err := decoder.ReadValue()
	if err != nil {
		return err
	}
	if len(literal) >= minCached {
		*value, err = s.unquoteCached(literal)
		return err
	}
	unquoted, err := jsontext.AppendUnquote(nil, literal)
	*value = string(unquoted)
	return err
}

// unquoteCached returns the value of a literal from the cache, or adds it.
func (s *scenarioReader) unquoteCached(literal []byte) (string, error) {
	at := slices.IndexFunc(s.cache, func(known cachedLiteral) bool { return bytes.Equal(known.literal, literal) })
	if at < 0 {
		unquoted, err := jsontext.AppendUnquote(nil, literal)
		if err != nil {
			return "", err
		}
		if len(s.cache) < maxCached {
			s.cache = append(s.cache, cachedLiteral{})
		}
		at = len(s.cache) - 1
		s.cache[at] = cachedLiteral{bytes.Clone(literal), string(unquoted)}
	}
	used := s.cache[at]
	copy(s.cache[1:at+1], s.cache[:at])
	s.cache[0] = used
	return used.value, nil
}
