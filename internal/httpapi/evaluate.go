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

	"github.com/crdlab/crdlab/internal/playground"
)

// evaluate responds with the report of the scenario in the request.
func (s *Server) evaluate(w http.ResponseWriter, r *http.Request) error {
	return s.respond(w, r, playground.TaskReport, "scenario", &playground.Scenario{})
}

// respond responds with the JSON that the engine returns for the JSON in the request
// body. name and value are as in renderBody.
func (s *Server) respond(w http.ResponseWriter, r *http.Request, task playground.Task, name string, value any) error {
	// The buffer is not reused, because a timed-out evaluation may still read it.
	var body bytes.Buffer
	if err := readAll(r, name, &body); err != nil {
		return err
	}
	rendered, err := s.renderBody(r, playground.Request{Task: task, Body: body.Bytes()}, name, value)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	return writeEncoded(w, http.StatusOK, rendered)
}

// readBody decodes a JSON body strictly. Its errors are problems that name the
// kind of document, such as "scenario", and the offending field.
func readBody(r *http.Request, name string, into any) error {
	var body bytes.Buffer
	if err := readAll(r, name, &body); err != nil {
		return err
	}
	return decodeBody(body.Bytes(), name, into)
}

func readAll(r *http.Request, name string, into *bytes.Buffer) error {
	if media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); media != "application/json" {
		return &problem{kind: kindMediaType, detail: "Send the " + name + " as JSON, with the header Content-Type: application/json."}
	}
	if _, err := into.ReadFrom(r.Body); err != nil {
		return readProblem(err)
	}
	return nil
}

func decodeBody(body []byte, name string, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return decodeProblem(name, err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return &problem{kind: kindMalformed, detail: "The request body has data after the JSON object."}
	}
	return nil
}

// readProblem converts an error from reading a request body.
func readProblem(err error) error {
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return &problem{kind: kindTooLarge, detail: "The request body exceeds the limit of " + formatBytes(large.Limit) + ".", cause: err}
	case errors.Is(err, errClientMemory):
		return &problem{kind: kindBusy, detail: "Your other requests use all memory that one client gets. Try again when some of them have finished.", cause: err}
	case errors.Is(err, errMemory):
		return &problem{kind: kindBusy, detail: "The server is busy reading other requests. Try again in a moment.", cause: err}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &problem{kind: kindRequestTimeout, detail: "The request body did not arrive in time.", cause: err}
	}
	return &problem{kind: kindMalformed, detail: "The request body is incomplete.", cause: err}
}

// decodeProblem converts an error from decoding a request body.
func decodeProblem(name string, err error) error {
	var (
		syntax   *json.SyntaxError
		mismatch *json.UnmarshalTypeError
		detail   string
	)
	switch {
	case errors.Is(err, io.EOF):
		detail = "The request body is empty. Send a " + name + " as a JSON object."
	case errors.Is(err, io.ErrUnexpectedEOF):
		detail = "The request body is not valid JSON: it ends in the middle of a value."
	case errors.As(err, &syntax):
		detail = fmt.Sprintf("The request body is not valid JSON: %v at byte %d.", err, syntax.Offset)
	case errors.As(err, &mismatch) && mismatch.Field == "":
		detail = fmt.Sprintf("The request body must be a JSON object, not %s.", withArticle(mismatch.Value))
	case errors.As(err, &mismatch):
		detail = fmt.Sprintf("%q must be %s, not %s.", mismatch.Field, withArticle(mismatch.Type.String()), withArticle(mismatch.Value))
	default:
		detail = "The " + name + " has an " + strings.TrimPrefix(err.Error(), "json: ") + "."
	}
	return &problem{kind: kindMalformed, detail: detail, cause: err}
}

// withArticle prefixes the name of a JSON type with its indefinite article.
func withArticle(name string) string {
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
	data, err := encodeJSON(value)
	if err != nil {
		return err
	}
	return writeEncoded(w, status, data)
}

// encodeJSON encodes a value without HTML escapes and appends a line feed.
func encodeJSON(value any) (json.RawMessage, error) {
	line, err := playground.EncodeJSON(value)
	if err != nil {
		return nil, fmt.Errorf("encode the response: %w", err)
	}
	return append(line, '\n'), nil
}

func writeEncoded(w http.ResponseWriter, status int, data json.RawMessage) error {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	w.WriteHeader(status)
	_, _ = w.Write(data) // fails if the client has left
	return nil
}
