package httpapi

import (
	"net/http"

	"github.com/crdlab/crdlab/internal/examples"
)

// examples responds with the gallery.
func (s *Server) examples(w http.ResponseWriter, _ *http.Request) error {
	gallery, err := examples.JSON()
	if err != nil {
		return err
	}
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "no-cache")
	_, _ = w.Write(gallery)
	return nil
}
