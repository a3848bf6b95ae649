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

// encodings lists the content codings of built files with their file name
// suffixes, in order of preference.
var encodings = []struct{ name, suffix string }{{"br", ".br"}, {"gzip", ".gz"}}

// assets holds the files below assets/ of the built page. Their names contain a
// content hash, so their contents never change. A file may exist uncompressed,
// compressed, or both.
type assets struct {
	files map[string]asset
}

// asset holds the contents of a file by content coding; "" is uncompressed.
type asset struct {
	mediaType string
	contents  map[string][]byte
}

// readAssets reads all assets into memory.
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

// mediaTypes overrides the media types of the operating system.
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

// asset serves a built file in the best content coding that the client accepts.
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
	coding := file.chooseCoding(r.Header.Get("Accept-Encoding"))
	content, stored := file.contents[coding]
	if !stored {
		return writeUncompressed(w, file.contents["gzip"])
	}
	if coding != "" {
		header.Set("Content-Encoding", coding)
	}
	header.Set("Content-Length", strconv.Itoa(len(content)))
	_, _ = io.Copy(w, bytes.NewReader(content))
	return nil
}

// chooseCoding returns the content coding for an Accept-Encoding header. It
// returns "" if the client accepts no stored coding, even if the uncompressed
// file is not stored.
func (a asset) chooseCoding(accepted string) string {
	for _, e := range encodings {
		if _, stored := a.contents[e.name]; stored && accepts(accepted, e.name) {
			return e.name
		}
	}
	return ""
}

// accepts reports whether an Accept-Encoding header allows a coding. It ignores
// the client's preference among allowed codings, because the smaller file is
// faster for every client.
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

// writeUncompressed decompresses a gzip file for a client that accepts no
// stored coding.
func writeUncompressed(w io.Writer, compressed []byte) error {
	reader, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return fmt.Errorf("decompress an asset: %w", err)
	}
	_, _ = io.Copy(w, reader)
	return nil
}
