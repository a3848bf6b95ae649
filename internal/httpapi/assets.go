package httpapi

import (
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
)

// encodings lists the content codings of built files with their file name
// suffixes, in order of preference.
var encodings = []struct{ name, suffix string }{{"br", ".br"}, {"gzip", ".gz"}}

// assets holds the files below assets/ of the built page. Their names contain a
// content hash, so their contents never change. A file may exist uncompressed,
// compressed, or both.
type assets struct {
	built fs.FS
	files map[string]asset
}

// asset describes a file.
type asset struct {
	mediaType string
	// policy is the content security policy of the file as a web worker.
	policy string
	// stored has the built file by content coding; "" is uncompressed.
	stored map[string]storedFile
}

// storedFile is a built file. The modules are large, so they are not copied into memory.
type storedFile struct {
	name string
	size int64
}

// readAssets lists all assets.
func readAssets(built fs.FS) (*assets, error) {
	a := &assets{built, map[string]asset{}}
	if _, err := fs.Stat(built, "assets"); err != nil {
		return a, nil
	}
	err := fs.WalkDir(built, "assets", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s is not a regular file", name)
		}
		a.add(strings.TrimPrefix(name, "assets/"), storedFile{name, info.Size()})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the page's assets: %w", err)
	}
	return a, nil
}

func (a *assets) add(name string, stored storedFile) {
	coding := ""
	for _, e := range encodings {
		if base, ok := strings.CutSuffix(name, e.suffix); ok {
			name, coding = base, e.name
		}
	}
	file, ok := a.files[name]
	if !ok {
		file = asset{mediaType: mediaType(name), policy: policyOf(name), stored: map[string]storedFile{}}
		a.files[name] = file
	}
	file.stored[coding] = stored
}

// fetcherName begins the name of the script in web/src/remote/fetcher.ts.
const fetcherName = "fetcher-"

// policyOf returns the content security policy of an asset.
func policyOf(name string) string {
	if strings.HasPrefix(name, fetcherName) {
		return fetcherPolicy
	}
	return assetPolicy
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

// decompressionCost is the time that is charged for the decompression of an asset.
const decompressionCost = time.Second

// asset serves a built file in the best content coding that the client accepts.
func (s *Server) asset(w http.ResponseWriter, r *http.Request) error {
	file, ok := s.assets.files[chi.URLParam(r, "*")]
	if !ok {
		return notFound(w, r)
	}
	header := w.Header()
	header.Set("Content-Type", file.mediaType)
	header.Set("Cache-Control", "public, max-age=31536000, immutable")
	header.Set(policyHeader, file.policy)
	_, isPlain := file.stored[""]
	if len(file.stored) > 1 || !isPlain {
		header.Set("Vary", "Accept-Encoding")
	}
	coding := file.chooseCoding(r.Header.Get("Accept-Encoding"))
	stored, ok := file.stored[coding]
	if !ok {
		// Decompression is costly compared with other reads.
		client, now := clientNetwork(r.Context()), time.Now()
		if wait := s.reads.take(client, now); wait > 0 {
			return rateLimited(w, wait)
		}
		s.reads.charge(client, now, decompressionCost)
		return s.assets.writeUncompressed(w, file.stored["gzip"])
	}
	content, err := s.assets.built.Open(stored.name)
	if err != nil {
		return fmt.Errorf("open an asset: %w", err)
	}
	defer content.Close()
	if coding != "" {
		header.Set("Content-Encoding", coding)
	}
	header.Set("Content-Length", strconv.FormatInt(stored.size, 10))
	_, _ = io.Copy(w, content)
	return nil
}

// chooseCoding returns the content coding for an Accept-Encoding header. It
// returns "" if the client accepts no stored coding, even if the uncompressed
// file is not stored.
func (a asset) chooseCoding(accepted string) string {
	for _, e := range encodings {
		if _, ok := a.stored[e.name]; ok && accepts(accepted, e.name) {
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
func (a *assets) writeUncompressed(w io.Writer, compressed storedFile) error {
	content, err := a.built.Open(compressed.name)
	if err != nil {
		return fmt.Errorf("open an asset: %w", err)
	}
	defer content.Close()
	reader, err := gzip.NewReader(content)
	if err != nil {
		return fmt.Errorf("decompress an asset: %w", err)
	}
	_, _ = io.Copy(w, reader)
	return nil
}
