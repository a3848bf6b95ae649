package httpapi

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/crdlab/crdlab/internal/httpapi/apidoc"
)

// description is the OpenAPI document of the service. The tests of this package
// generate it from the Go types: go test ./internal/httpapi -run TestOpenAPI -update
//
//go:embed openapi.json
var description []byte

// openAPI responds with the OpenAPI document.
func (s *Server) openAPI(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(description)
	return nil
}

// descriptionPolicy is the content security policy of a page without scripts.
const descriptionPolicy = "default-src 'none'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// describe responds with the OpenAPI document and the limits of this server, rendered as
// a page.
func (s *Server) describe(w http.ResponseWriter, r *http.Request) error {
	var document apidoc.Document
	if err := json.Unmarshal(description, &document); err != nil {
		return fmt.Errorf("read the API's description: %w", err)
	}
	w.Header().Set("Cache-Control", "no-cache")
	return writeHTML(w, r, http.StatusOK, descriptionPolicy, apidoc.Page(document, s.statedLimits(), s.front.data.Assets, homePath, openAPIPath))
}
