package httpapi

import (
	"net/http"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/ui"
)

// The playground for frames of other sites, and the script of the element that frames it.
const (
	framedName  = "embed.html"
	elementName = "crd-lab.js"
)

// framedPolicy is the content security policy of the playground that any site may frame.
var framedPolicy = strings.Replace(pagePolicy, "frame-ancestors 'none'", "frame-ancestors *", 1)

// framedData returns the data of the playground for frames. Its documents come from the
// fragment. Another site could cover the frame with its own buttons, so the
// playground has no functions that store or send anything.
func framedData(data ui.PageData) ui.PageData {
	data.Evaluate, data.Assist, data.Share, data.Releases = "", "", "", nil
	data.ServiceWorker, data.App = "", ""
	data.Example, data.Scenario = "", playground.Scenario{}
	return data
}

// framed responds with the playground for frames.
func (s *Server) framed(w http.ResponseWriter, r *http.Request) error {
	if s.front.missing != nil {
		return s.page(w, r)
	}
	header := w.Header()
	header.Set("Cache-Control", "no-cache")
	header.Set("Cross-Origin-Resource-Policy", "cross-origin")
	return writeHTML(w, r, http.StatusOK, framedPolicy, ui.Page(framedData(s.front.data)))
}

// element responds with the script of the element crd-lab.
func (s *Server) element(w http.ResponseWriter, r *http.Request) error {
	return s.rootFile(w, r, elementName, mediaTypes[".js"])
}
