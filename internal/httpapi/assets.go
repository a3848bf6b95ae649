package httpapi

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"
)

// encodings are the content codings of the built files, the preferred first,
// by the suffix of their file names.
var encodings = []struct{ name, suffix string }{{"br", ".br"}, {"gzip", ".gz"}}

// assets are the files below assets/ of the built page. Their names hold a
// hash of their content, so that they never change. A file may be there in
// compressed forms beside its plain one, or in these alone.
type assets struct {
	files map[string]asset
}

// asset holds the contents of a file by content coding; "" is the plain one.
type asset struct {
	mediaType string
	contents  map[string][]byte
}

// readAssets reads what is to be served into memory.
func readAssets(built fs.FS) (*assets, error) {
	a := &assets{files: map[string]asset{}}
	if _, err := fs.Stat(built, "assets"); err != nil {
		return a, nil
	}
	err := fs.WalkDir(built, "assets", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(built, name)
		if err != nil {
			return err
		}
		a.add(strings.TrimPrefix(name, "assets/"), content)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the page's assets: %w", err)
	}
	return a, nil
}

func (a *assets) add(name string, content []byte) {
	coding := ""
	for _, e := range encodings {
		if base, ok := strings.CutSuffix(name, e.suffix); ok {
			name, coding = base, e.name
		}
	}
	file, ok := a.files[name]
	if !ok {
		file = asset{mediaType: mediaType(name), contents: map[string][]byte{}}
		a.files[name] = file
	}
	file.contents[coding] = content
}

// mediaTypes are those that must not depend on the tables of the system.
var mediaTypes = map[string]string{
	".js":    "text/javascript; charset=utf-8",
	".css":   "text/css; charset=utf-8",
	".wasm":  "application/wasm",
	".map":   "application/json",
	".json":  "application/json",
	".svg":   "image/svg+xml",
	".txt":   "text/plain; charset=utf-8",
	".woff2": "font/woff2",
}

func mediaType(name string) string {
	extension := path.Ext(name)
	if known, ok := mediaTypes[extension]; ok {
		return known
	}
	if known := mime.TypeByExtension(extension); known != "" {
		return known
	}
	return "application/octet-stream"
}

// asset answers with a built file in the best form that the client accepts.
func (s *Server) asset(w http.ResponseWriter, r *http.Request) error {
	file, ok := s.assets.files[chi.URLParam(r, "*")]
	if !ok {
		return notFound(w, r)
	}
	header := w.Header()
	header.Set("Content-Type", file.mediaType)
	header.Set("Cache-Control", "public, max-age=31536000, immutable")
	header.Set("Content-Security-Policy", assetPolicy)
	if len(file.contents) > 1 || file.contents[""] == nil {
		header.Set("Vary", "Accept-Encoding")
	}
	coding := file.choose(r.Header.Get("Accept-Encoding"))
	content, stored := file.contents[coding]
	if !stored {
		return unpack(w, file.contents["gzip"])
	}
	if coding != "" {
		header.Set("Content-Encoding", coding)
	}
	header.Set("Content-Length", strconv.Itoa(len(content)))
	_, _ = io.Copy(w, bytes.NewReader(content))
	return nil
}

// choose picks a content coding for the value of an Accept-Encoding header. ""
// means none, whether or not the file is stored like that.
func (a asset) choose(accepted string) string {
	for _, e := range encodings {
		if _, stored := a.contents[e.name]; stored && accepts(accepted, e.name) {
			return e.name
		}
	}
	return ""
}

// accepts reports whether an Accept-Encoding header allows a coding. The
// client's preferences among those that it allows are not looked at: the
// smaller form is faster for everyone.
func accepts(header, coding string) bool {
	wildcard := false
	for item := range strings.SplitSeq(header, ",") {
		name, parameters, _ := strings.Cut(item, ";")
		weight, found := strings.CutPrefix(strings.ReplaceAll(parameters, " ", ""), "q=")
		allowed := !found || strings.Trim(weight, "0.") != ""
		switch strings.ToLower(strings.TrimSpace(name)) {
		case coding:
			return allowed
		case "*":
			wildcard = allowed
		}
	}
	return wildcard
}

// unpack sends a file that is stored in compressed form only to a client that
// accepts no compression.
func unpack(w io.Writer, packed []byte) error {
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return fmt.Errorf("unpack an asset: %w", err)
	}
	_, _ = io.Copy(w, reader)
	return nil
}
