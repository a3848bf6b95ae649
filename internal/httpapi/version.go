package httpapi

import "net/http"

// Build describes a build of the server.
type Build struct {
	// Version names the release or the commit, such as "1.2.0", or is "unknown".
	Version string `json:"version"`
	// Go is the release of the Go compiler, such as "go1.26.1".
	Go string `json:"go"`
	// Kubernetes is the release of the Kubernetes libraries in the engine, such as
	// "1.37.2". It is absent if the server has no engine.
	Kubernetes string `json:"kubernetes,omitempty"`
}

// version responds with the build of the server.
func (s *Server) version(w http.ResponseWriter, _ *http.Request) error {
	return writeJSON(w, s.build)
}
