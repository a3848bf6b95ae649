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
	"github.com/crdlab/crdlab/internal/ui"
)

// sharedResultTimeout limits the evaluation for the page of a link. After the
// timeout, the page has no result, and its script evaluates again without this limit.
const sharedResultTimeout = 10 * time.Second

// sharedPage responds with the playground page for a shared scenario.
func (s *Server) sharedPage(w http.ResponseWriter, r *http.Request) error {
	return s.sharedHTML(w, r, pagePolicy, func(scenario playground.Scenario, report *playground.Report) templ.Component {
		data := s.front.data
		data.Example = ""
		data.Shared = chi.URLParam(r, "id")
		data.Scenario = scenario
		data.Report = report
		return ui.Page(data)
	})
}

// embedPolicy is the content security policy of a page without scripts that any
// site may frame.
const embedPolicy = "default-src 'none'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors *"

// embed responds with the result of a shared scenario as a page for frames.
func (s *Server) embed(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	return s.sharedHTML(w, r, embedPolicy, func(scenario playground.Scenario, report *playground.Report) templ.Component {
		return ui.Embed(ui.EmbedData{
			Assets:   s.front.data.Assets,
			Link:     sharedPath + chi.URLParam(r, "id"),
			Scenario: scenario,
			Report:   report,
		})
	})
}

// sharedHTML responds with a page that component renders for a shared scenario.
func (s *Server) sharedHTML(w http.ResponseWriter, r *http.Request, policy string,
	component func(playground.Scenario, *playground.Report) templ.Component,
) error {
	header := w.Header()
	if s.front.missing != nil {
		return s.page(w, r)
	}
	// The scenario never changes, but its page depends on the version of the program.
	scenario, err := s.loadShared(w, r, "-"+s.front.version)
	header.Set("Cache-Control", "no-cache")
	header.Set("Content-Security-Policy", policy)
	var p *problem
	if errors.As(err, &p) && p.kind == kindNotFound {
		return s.missingLink(w, r, policy)
	}
	if err != nil || writeNotModified(w, r) {
		return err
	}
	report, isFinal := s.evaluateShared(r, scenario)
	if !isFinal {
		header.Del("ETag")
	}
	return writeHTML(w, r, http.StatusOK, policy, component(scenario, report))
}

// evaluateShared returns the report of a scenario, or nil if the evaluation fails
// or the client exceeds its rate limit. isFinal reports that a repeated evaluation
// would have the same result.
func (s *Server) evaluateShared(r *http.Request, scenario playground.Scenario) (report *playground.Report, isFinal bool) {
	if s.evaluator == nil {
		return nil, true
	}
	if s.evaluations.take(clientNetwork(r), time.Now()) > 0 {
		return nil, false
	}
	ctx, cancel := context.WithTimeout(r.Context(), sharedResultTimeout)
	defer cancel()
	result, isStopped, err := s.evaluateScenario(r.WithContext(ctx), scenario)
	if err != nil {
		return nil, false
	}
	return &result, !isStopped
}

// missingLink responds with the page for an unknown link.
func (s *Server) missingLink(w http.ResponseWriter, r *http.Request, policy string) error {
	w.Header().Set("Cache-Control", "no-store")
	return writeHTML(w, r, http.StatusNotFound, policy, ui.UnknownLink(s.front.data.Assets, s.front.data.Home))
}

func writeHTML(w http.ResponseWriter, r *http.Request, status int, policy string, component templ.Component) error {
	var html bytes.Buffer
	if err := component.Render(r.Context(), &html); err != nil {
		return fmt.Errorf("render the page: %w", err)
	}
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", policy)
	w.WriteHeader(status)
	_, _ = w.Write(html.Bytes())
	return nil
}
