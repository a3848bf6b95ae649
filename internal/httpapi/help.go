package httpapi

import (
	"net/http"

	"github.com/crdlab/crdlab/internal/playground"
)

// complete responds with the completions at a cursor.
func (s *Server) complete(w http.ResponseWriter, r *http.Request) error {
	return assist(s, w, r, func(cursor *playground.Cursor) playground.AssistRequest {
		return playground.AssistRequest{Complete: cursor}
	})
}

// hover responds with the documentation of the field or value at a cursor.
func (s *Server) hover(w http.ResponseWriter, r *http.Request) error {
	return assist(s, w, r, func(cursor *playground.Cursor) playground.AssistRequest {
		return playground.AssistRequest{Hover: cursor}
	})
}

// explain responds with the effect of the request and the rules on the field at a cursor.
func (s *Server) explain(w http.ResponseWriter, r *http.Request) error {
	return assist(s, w, r, func(cursor *playground.Cursor) playground.AssistRequest {
		return playground.AssistRequest{Explain: cursor}
	})
}

// sample responds with a sample object of a CRD.
func (s *Server) sample(w http.ResponseWriter, r *http.Request) error {
	return assist(s, w, r, func(request *playground.SampleRequest) playground.AssistRequest {
		return playground.AssistRequest{Sample: request}
	})
}

// template responds with the start of a conversion or admission document for a CRD.
func (s *Server) template(w http.ResponseWriter, r *http.Request) error {
	return assist(s, w, r, func(request *playground.TemplateRequest) playground.AssistRequest {
		return playground.AssistRequest{Template: request}
	})
}

// format responds with a document, formatted as YAML.
func (s *Server) format(w http.ResponseWriter, r *http.Request) error {
	return assist(s, w, r, func(request *playground.FormatRequest) playground.AssistRequest {
		return playground.AssistRequest{Format: request}
	})
}

// try responds with the value and the cost of a CEL expression at a node of an object.
func (s *Server) try(w http.ResponseWriter, r *http.Request) error {
	return assist(s, w, r, func(request *playground.ExpressionRequest) playground.AssistRequest {
		return playground.AssistRequest{Try: request}
	})
}

// fields responds with the fields of a version of a CRD.
func (s *Server) fields(w http.ResponseWriter, r *http.Request) error {
	return assist(s, w, r, func(request *playground.FieldsRequest) playground.AssistRequest {
		return playground.AssistRequest{Fields: request}
	})
}

// insert responds with the edit that inserts a field into an object.
func (s *Server) insert(w http.ResponseWriter, r *http.Request) error {
	return assist(s, w, r, func(request *playground.InsertRequest) playground.AssistRequest {
		return playground.AssistRequest{Insert: request}
	})
}

// test responds with the expectations in comments, and whether they are met.
func (s *Server) test(w http.ResponseWriter, r *http.Request) error {
	return assist(s, w, r, func(request *playground.TestRequest) playground.AssistRequest {
		return playground.AssistRequest{Test: request}
	})
}

// export responds with a scenario as a test file.
func (s *Server) export(w http.ResponseWriter, r *http.Request) error {
	return assist(s, w, r, func(request *playground.ExportRequest) playground.AssistRequest {
		return playground.AssistRequest{Export: request}
	})
}

// assist decodes the body of an assist request and responds with the engine's JSON.
// question wraps the decoded body.
func assist[Part any](s *Server, w http.ResponseWriter, r *http.Request, question func(*Part) playground.AssistRequest) error {
	var part Part
	if err := readBody(r, "request", &part); err != nil {
		return err
	}
	body, err := encodeJSON(question(&part))
	if err != nil {
		return err
	}
	response, err := s.evaluator.run(r.Context(), job{request: playground.Request{Task: playground.TaskAssist, Body: body}})
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	return writeEncoded(w, http.StatusOK, response)
}
