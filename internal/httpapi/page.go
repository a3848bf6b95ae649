package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/crdlab/crdlab/internal/examples"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/ui"
)

// front is the page with the default example. It is rendered once.
type front struct {
	data ui.PageData
	// missing is the reason for a missing page, usually that it was not built.
	missing error
	html    atomic.Pointer[[]byte]
	// version identifies the build of the page and, since both have the same
	// sources, of the server.
	version string
}

func newFront(config Config) (*front, error) {
	data, err := pageData(config.Assets, "/")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	data.Examples, data.Home, data.Notices, data.API = examplesPath, homePath, noticesPath, apiPath
	data.ServiceWorker, data.App = "/"+serviceWorkerName, "/"+appName
	if config.Engine != nil {
		data.Evaluate, data.Assist, data.Releases = panelsPath, assistPath, config.Releases
	}
	if config.Sharing.Store != nil {
		data.Share, data.ShareLifetime = sharePath, int64(config.Sharing.Lifetime.Round(time.Second).Seconds())
	}
	return &front{data: data, missing: err, version: versionOf(data)}, nil
}

// pageData returns the data of the page with the default example. The built files
// are served below base.
func pageData(built fs.FS, base string) (ui.PageData, error) {
	first := examples.Default()
	data := ui.PageData{Gallery: examples.All(), Example: first.ID, Scenario: first.Scenario}
	var err error
	if data.Assets, err = ui.LoadAssets(built, base); err != nil {
		return data, err
	}
	data.Engine, err = loadEngine(built, base)
	return data, err
}

// versionOf returns a hash of the settings in the page and of the names of its files, which
// contain content hashes.
func versionOf(data ui.PageData) string {
	hash := sha256.Sum256(fmt.Append(nil, data.Assets, data.Engine, data.ShareLifetime, data.Releases))
	return hex.EncodeToString(hash[:6])
}

// loadEngine returns the addresses of the WebAssembly modules below base.
func loadEngine(built fs.FS, base string) (ui.EngineAddress, error) {
	const name = "engine.json"
	var address ui.EngineAddress
	text, err := fs.ReadFile(built, name)
	if err != nil {
		return address, fmt.Errorf("page assets: %w", err)
	}
	if err := json.Unmarshal(text, &address); err != nil {
		return address, fmt.Errorf("page assets: %s: %w", name, err)
	}
	address.Module = base + address.Module
	address.Runtime = base + address.Runtime
	for release, program := range address.Programs {
		program.Module = base + program.Module
		address.Programs[release] = program
	}
	if address.GoTypes != nil {
		address.GoTypes.Module = base + address.GoTypes.Module
	}
	return address, nil
}

// firstResultTimeout limits the evaluation for the first page. After the timeout,
// the page has no result, and its script requests one.
const firstResultTimeout = 2 * time.Second

// render returns the HTML of the page. It caches the page after the first
// successful evaluation.
func (f *front) render(ctx context.Context, evaluator *evaluator) ([]byte, error) {
	if html := f.html.Load(); html != nil {
		return *html, nil
	}
	if evaluator == nil {
		return renderHTML(ctx, ui.Page(f.data))
	}
	data, err := encodeJSON(f.data)
	if err != nil {
		return nil, err
	}
	evaluating, cancel := context.WithTimeout(ctx, firstResultTimeout)
	defer cancel()
	html, err := evaluator.run(evaluating, job{request: playground.Request{Task: playground.TaskPage, Body: data}})
	if err != nil {
		return renderHTML(ctx, ui.Page(f.data))
	}
	f.html.Store(&html)
	return html, nil
}

// page responds with the page and the result of its example.
func (s *Server) page(w http.ResponseWriter, r *http.Request) error {
	header := w.Header()
	header.Set("Cache-Control", "no-cache")
	if s.front.missing != nil {
		header.Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = fmt.Fprintf(w, "The page has not been built into this server: run make build.\n\n%v\n", s.front.missing)
		return nil
	}
	html, err := s.front.render(r.Context(), s.evaluator)
	if err != nil {
		return err
	}
	return writeRendered(w, http.StatusOK, pagePolicy, html)
}
