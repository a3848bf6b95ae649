package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/crdlab/crdlab/internal/playground"
)

// evaluate answers a scenario with its report.
func (s *Server) evaluate(w http.ResponseWriter, r *http.Request) error {
	body := buffers.Get().(*bytes.Buffer)
	body.Reset()
	if err := readAll(w, r, MaxBody, "scenario", body); err != nil {
		return err
	}
	report, err := s.evaluatedJSON(r, body.Bytes())
	if err != nil {
		return err
	}
	// Not before: an evaluation that was given up may still be read.
	buffers.Put(body)
	w.Header().Set("Cache-Control", "no-store")
	return writeEncoded(w, http.StatusOK, report)
}

// buffers are of bodies that were answered.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func readScenario(w http.ResponseWriter, r *http.Request, limit int64) (scenario playground.Scenario, err error) {
	return scenario, readBody(w, r, limit, "scenario", &scenario)
}

// readBody decodes the body, which may have so many bytes and is to be what the
// name says. What it refuses is a problem that names the member at fault.
func readBody(w http.ResponseWriter, r *http.Request, limit int64, name string, into any) error {
	var body bytes.Buffer
	if err := readAll(w, r, limit, name, &body); err != nil {
		return err
	}
	return decodeBody(body.Bytes(), name, into)
}

func readAll(w http.ResponseWriter, r *http.Request, limit int64, name string, into *bytes.Buffer) error {
	if media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); media != "application/json" {
		return &problem{kind: kindMediaType, detail: "Send the " + name + " as JSON, with the header Content-Type: application/json."}
	}
	if _, err := into.ReadFrom(http.MaxBytesReader(w, r.Body, limit)); err != nil {
		return unreadable(err)
	}
	return nil
}

func decodeBody(body []byte, name string, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return malformed(name, err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return &problem{kind: kindMalformed, detail: "The body holds something after the " + name + "'s closing brace."}
	}
	return nil
}

func unreadable(err error) error {
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return tooLarge(large.Limit)
	case errors.Is(err, errBodies):
		return &problem{kind: kindBusy, detail: "The server is busy reading other requests. Try again in a moment.", cause: err}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &problem{kind: kindTooSlow, detail: "The request's body did not arrive in time.", cause: err}
	}
	return &problem{kind: kindMalformed, detail: "The request's body ended before it was complete.", cause: err}
}

func malformed(name string, err error) error {
	var (
		syntax   *json.SyntaxError
		mismatch *json.UnmarshalTypeError
		detail   string
	)
	switch {
	case errors.Is(err, io.EOF):
		detail = "The body is empty; it has to be a " + name + " as a JSON object."
	case errors.Is(err, io.ErrUnexpectedEOF):
		detail = "The body is not valid JSON: it ends in the middle of a value."
	case errors.As(err, &syntax):
		detail = fmt.Sprintf("The body is not valid JSON: %v at byte %d.", err, syntax.Offset)
	case errors.As(err, &mismatch) && mismatch.Field == "":
		detail = fmt.Sprintf("The body has to be a JSON object, not %s.", article(mismatch.Value))
	case errors.As(err, &mismatch):
		detail = fmt.Sprintf("%q has to be %s, not %s.", mismatch.Field, article(mismatch.Type.String()), article(mismatch.Value))
	default:
		detail = "The " + name + " has an " + strings.TrimPrefix(err.Error(), "json: ") + "."
	}
	return &problem{kind: kindMalformed, detail: detail, cause: err}
}

// article puts the indefinite article before the name of a JSON type.
func article(name string) string {
	name, _, _ = strings.Cut(name, " ")
	if strings.HasPrefix(name, "a") || strings.HasPrefix(name, "o") {
		return "an " + name
	}
	return "a " + name
}

func writeJSON(w http.ResponseWriter, value any) error {
	w.Header().Set("Cache-Control", "no-store")
	return writeValue(w, http.StatusOK, value)
}

func writeValue(w http.ResponseWriter, status int, value any) error {
	data, err := encoded(value)
	if err != nil {
		return err
	}
	return writeEncoded(w, status, data)
}

// encoded is a value as JSON, with a line break behind it.
func encoded(value any) (json.RawMessage, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("encode the answer: %w", err)
	}
	return out.Bytes(), nil
}

func writeEncoded(w http.ResponseWriter, status int, data json.RawMessage) error {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	w.WriteHeader(status)
	if _, err := w.Write(data); err != nil {
		return fmt.Errorf("send the answer: %w", err)
	}
	return nil
}
