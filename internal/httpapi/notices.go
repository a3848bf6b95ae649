package httpapi

import (
	"errors"
	"io/fs"
	"net/http"
)

// notices answers with the licences of everything that the page and the server
// are made of.
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
