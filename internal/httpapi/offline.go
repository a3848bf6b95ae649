package httpapi

import (
	"errors"
	"io/fs"
	"net/http"
)

// Files of the offline page and the installable app. Browsers revalidate them, so
// their names have no content hash. They are at the root because a service worker
// controls only the paths below its own.
const (
	serviceWorkerName = "service-worker.js"
	appName           = "app.webmanifest"
)

// serviceWorker responds with the page's service worker.
func (s *Server) serviceWorker(w http.ResponseWriter, r *http.Request) error {
	return s.rootFile(w, r, serviceWorkerName, mediaTypes[".js"])
}

// app responds with the web app manifest.
func (s *Server) app(w http.ResponseWriter, r *http.Request) error {
	return s.rootFile(w, r, appName, "application/manifest+json")
}

func (s *Server) rootFile(w http.ResponseWriter, r *http.Request, name, media string) error {
	content, err := fs.ReadFile(s.built, name)
	if errors.Is(err, fs.ErrNotExist) {
		return notFound(w, r)
	}
	if err != nil {
		return err
	}
	header := w.Header()
	header.Set("Content-Type", media)
	header.Set("Cache-Control", "no-cache")
	header.Set(policyHeader, assetPolicy)
	_, _ = w.Write(content)
	return nil
}
