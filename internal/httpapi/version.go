package httpapi

import "net/http"

// Build is what a server was built from.
type Build struct {
	// Version names the release or the commit, such as "1.2.0"; "unknown" if it
	// was built without.
	Version string `json:"version"`
	// Go is the release of Go that compiled it, such as "go1.26.1".
	Go string `json:"go"`
	// Kubernetes is the release of the Kubernetes libraries that decide, such as
	// "1.37.2"; absent if the server has no engine.
	Kubernetes string `json:"kubernetes,omitempty"`
}

// tellVersion answers with what this server was built from.
func (s *Server) tellVersion(w http.ResponseWriter, _ *http.Request) error {
	return writeJSON(w, s.build)
}
