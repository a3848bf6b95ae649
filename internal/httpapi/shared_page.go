package httpapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/a-h/templ"
	"github.com/go-chi/chi/v5"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/share"
	"github.com/crdlab/crdlab/internal/ui"
)

// sharedResultTimeout limits the evaluation for the page of a link. After the
// timeout, the page has no result, and its script evaluates again without this limit.
const sharedResultTimeout = 10 * time.Second

// sharedPage responds with the playground page for a shared scenario.
func (s *Server) sharedPage(w http.ResponseWriter, r *http.Request) error {
	return s.sharedHTML(w, r, pagePolicy, playground.TaskPage, func(scenario playground.Scenario) sharedView {
		data := s.front.data
		data.Example = ""
		data.Shared = chi.URLParam(r, "id")
		data.Scenario = scenario
		return sharedView{data, ui.Page(data)}
	})
}

// embedPolicy is the content security policy of a page without scripts that any
// site may frame.
const embedPolicy = "default-src 'none'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors *"

// embed responds with the result of a shared scenario as a page for frames.
func (s *Server) embed(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	return s.sharedHTML(w, r, embedPolicy, playground.TaskEmbed, func(scenario playground.Scenario) sharedView {
		data := ui.EmbedData{
			Assets:   s.front.data.Assets,
			Link:     sharedPath + chi.URLParam(r, "id"),
			Scenario: scenario,
		}
		return sharedView{data, ui.Embed(data)}
	})
}

// sharedView is a page for a shared scenario.
type sharedView struct {
	// data is the body of the engine's request for the page with a result.
	data any
	// withoutResult is the page if there is no result.
	withoutResult templ.Component
}

// sharedHTML responds with the page that view returns for a shared scenario.
func (s *Server) sharedHTML(w http.ResponseWriter, r *http.Request, policy string,
	task playground.Task, view func(playground.Scenario) sharedView,
) error {
	header := w.Header()
	if s.front.missing != nil {
		return s.page(w, r)
	}
	// The scenario never changes, but its page depends on the version of the program.
	stored, err := s.loadStored(w, r, "-"+s.front.version)
	header.Set("Cache-Control", "no-cache")
	header.Set("Vary", "Accept-Encoding")
	header.Set(policyHeader, policy)
	var p *problem
	if errors.As(err, &p) && p.kind == kindNotFound {
		return s.missingLink(w, r, policy)
	}
	if err != nil || writeNotModified(w, r) {
		return err
	}
	page, withoutResult, err := s.renderShared(r, stored, task, view)
	switch {
	case err != nil:
		return err
	case page == nil:
		if s.evaluator != nil {
			header.Del("ETag")
		}
		return writeHTML(w, r, http.StatusOK, policy, withoutResult)
	case !page.isFinal:
		header.Del("ETag")
	}
	return s.writeResult(w, r, policy, page)
}

// renderShared returns the page of a stored scenario with its result. If the evaluation
// fails or the client exceeds its rate limit, it returns the page without a result.
func (s *Server) renderShared(r *http.Request, stored []byte, task playground.Task, view func(playground.Scenario) sharedView) (*result, templ.Component, error) {
	key := resultKey{task, chi.URLParam(r, "id")}
	if kept := s.results.get(key, time.Now()); kept != nil {
		return kept, nil, nil
	}
	scenario, err := share.Decode(stored)
	if err != nil {
		return nil, nil, err
	}
	page := view(scenario)
	if s.evaluator == nil || s.evaluations.take(clientNetwork(r.Context()), time.Now()) > 0 {
		return nil, page.withoutResult, nil
	}
	data, err := encodeJSON(page.data)
	if err != nil {
		return nil, nil, err
	}
	rendered, err := s.renderOnce(r, key, playground.Request{Task: task, Body: data})
	if err != nil {
		return nil, page.withoutResult, nil //nolint:nilerr // The page without a result replaces the error.
	}
	return rendered, nil, nil
}

// missingLink responds with the page for an unknown link.
func (s *Server) missingLink(w http.ResponseWriter, r *http.Request, policy string) error {
	w.Header().Set("Cache-Control", "no-store")
	return writeHTML(w, r, http.StatusNotFound, policy, ui.UnknownLink(s.front.data.Assets, s.front.data.Home))
}

func writeHTML(w http.ResponseWriter, r *http.Request, status int, policy string, component templ.Component) error {
	html, err := renderHTML(r.Context(), component)
	if err != nil {
		return err
	}
	return writeRendered(w, status, policy, html)
}

func renderHTML(ctx context.Context, component templ.Component) ([]byte, error) {
	var html bytes.Buffer
	if err := component.Render(ctx, &html); err != nil {
		return nil, fmt.Errorf("render the page: %w", err)
	}
	return html.Bytes(), nil
}

func writeRendered(w http.ResponseWriter, status int, policy string, html []byte) error {
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set(policyHeader, policy)
	w.WriteHeader(status)
	_, _ = w.Write(html)
	return nil
}
