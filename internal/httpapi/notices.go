package httpapi

import (
	"errors"
	"io/fs"
	"net/http"
)

// notices responds with the licences of all parts of the page and the server.
func (s *Server) notices(w http.ResponseWriter, r *http.Request) error {
	text, err := fs.ReadFile(s.built, "notices.txt")
	if errors.Is(err, fs.ErrNotExist) {
		return notFound(w, r)
	}
	if err != nil {
		return err
	}
	writeText(w, string(text))
	return nil
}
