package procpool

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
	// longText is the length of a text's JSON in bytes that is worth keeping.
	longText = 4 << 10
	// longTexts is how many are kept: the CRDs that one child has to do with at
	// a time, and those that they replace.
	longTexts = 4
)

// scenarios reads scenarios. It keeps the long texts that it has read last: who
// edits an object sends the same CRD at every keystroke.
type scenarios struct {
	texts   []longTextRead // the last one first
	options json.Options
}

type longTextRead struct {
	literal []byte // with its quotes
	text    string
}

func newScenarios() *scenarios {
	s := &scenarios{}
	s.options = json.JoinOptions(
		json.RejectUnknownMembers(true),
		json.WithUnmarshalers(json.UnmarshalFromFunc(s.readText)),
	)
	return s
}

// read reads a scenario of which encoding/json would read the same. It refuses
// more than that does: names in other cases, those that come twice, and what is
// no UTF-8.
func (s *scenarios) read(data []byte) (scenario playground.Scenario, err error) {
	if err := json.Unmarshal(data, &scenario, s.options); err != nil {
		return playground.Scenario{}, fmt.Errorf("%w: %w", playground.ErrUnreadable, err)
	}
	return scenario, nil
}

func (s *scenarios) readText(decoder *jsontext.Decoder, text *string) error {
	if decoder.PeekKind() != jsontext.KindString {
		return errors.ErrUnsupported // by this function: the library goes on
	}
	literal, err := decoder.ReadValue()
	if err != nil {
		return err
	}
	if len(literal) >= longText {
		*text, err = s.longText(literal)
		return err
	}
	unquoted, err := jsontext.AppendUnquote(nil, literal)
	*text = string(unquoted)
	return err
}

func (s *scenarios) longText(literal []byte) (string, error) {
	at := slices.IndexFunc(s.texts, func(known longTextRead) bool { return bytes.Equal(known.literal, literal) })
	if at < 0 {
		unquoted, err := jsontext.AppendUnquote(nil, literal)
		if err != nil {
			return "", err
		}
		if len(s.texts) < longTexts {
			s.texts = append(s.texts, longTextRead{})
		}
		at = len(s.texts) - 1
		s.texts[at] = longTextRead{bytes.Clone(literal), string(unquoted)}
	}
	read := s.texts[at]
	copy(s.texts[1:at+1], s.texts[:at])
	s.texts[0] = read
	return read.text, nil
}
