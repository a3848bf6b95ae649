package httpapi

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/share"
)

// Sharing is how short links are kept.
type Sharing struct {
	// Store keeps the scenarios. If it is nil, there are no short links.
	Store share.Store
	// Limit is the size in bytes of a scenario's JSON that may be shared, by
	// default [ShareLimit].
	Limit int64
	// Lifetime is how long a link leads somewhere, counted from the last time
	// that its scenario was shared. 0 means for ever.
	Lifetime time.Duration
	// OperatorToken lets whoever sends it delete links. If it is empty, nobody
	// can.
	OperatorToken string
	// PublicURL is where users reach this server, without a slash at its end.
	// If it is empty, links begin with what the client called the server.
	PublicURL string
}

// ShareLimit is the size of a scenario's JSON that may be shared by default.
const ShareLimit = 2 << 20

// shareMaxAge is how long those who fetched a shared scenario may keep it
// without asking again. It never changes; but it may be deleted.
const shareMaxAge = 24 * time.Hour

// shareAnswer is what is answered to whoever shares a scenario.
type shareAnswer struct {
	ID  string `json:"id"`
	URL string `json:"url"`
	// Expires is absent if the link is for ever.
	Expires *time.Time `json:"expires,omitempty"`
}

// share keeps a scenario and answers with its short link.
func (s *Server) share(w http.ResponseWriter, r *http.Request) error {
	scenario, err := readScenario(w, r, s.sharing.Limit)
	if err != nil {
		return err
	}
	if scenario.CRD == "" && scenario.Object == "" {
		return &problem{kind: kindMalformed, detail: "The scenario is empty: there is nothing to share."}
	}
	id, value, err := share.Encode(scenario)
	if err != nil {
		return err
	}
	answer := shareAnswer{ID: id, URL: s.address(r, sharedPath+id)}
	var expires time.Time
	if s.sharing.Lifetime > 0 {
		expires = time.Now().Add(s.sharing.Lifetime).Truncate(time.Second).UTC()
		answer.Expires = &expires
	}
	if err := s.sharing.Store.Put(r.Context(), id, value, expires); err != nil {
		return storeProblem(err)
	}
	w.Header().Set("Location", sharePath+"/"+id)
	w.Header().Set("Cache-Control", "no-store")
	return writeValue(w, http.StatusCreated, answer)
}

// shared is the scenario of the request's id. It sets the headers by which
// clients keep what they have of it.
func (s *Server) shared(w http.ResponseWriter, r *http.Request, tag string) (playground.Scenario, error) {
	id := chi.URLParam(r, "id")
	value, expires, err := s.stored(r.Context(), id)
	if err != nil {
		return playground.Scenario{}, err
	}
	age := shareMaxAge
	if !expires.IsZero() {
		age = min(age, time.Until(expires))
	}
	header := w.Header()
	header.Set("ETag", `W/"`+id+tag+`"`)
	header.Set("Cache-Control", fmt.Sprintf("public, max-age=%d, immutable", max(0, int(age.Seconds()))))
	return share.Decode(value)
}

func (s *Server) stored(ctx context.Context, id string) ([]byte, time.Time, error) {
	if !share.IsID(id) {
		return nil, time.Time{}, storeProblem(share.ErrNotFound)
	}
	value, expires, err := s.sharing.Store.Get(ctx, id)
	return value, expires, storeProblem(err)
}

// notModified answers a client that has what the ETag names. Clients give what
// they have the headers of this answer, so that these have to be set before. The
// codings of one answer share its tag, which is weak for that reason.
func notModified(w http.ResponseWriter, r *http.Request) bool {
	tag := strings.TrimPrefix(w.Header().Get("ETag"), "W/")
	for known := range strings.SplitSeq(r.Header.Get("If-None-Match"), ",") {
		known = strings.TrimSpace(known)
		if known == "*" || strings.TrimPrefix(known, "W/") == tag {
			w.WriteHeader(http.StatusNotModified)
			return true
		}
	}
	return false
}

// sharedJSON answers with a shared scenario, as it can be evaluated.
func (s *Server) sharedJSON(w http.ResponseWriter, r *http.Request) error {
	scenario, err := s.shared(w, r, "")
	if err != nil || notModified(w, r) {
		return err
	}
	return writeValue(w, http.StatusOK, scenario)
}

// sharedYAML answers with a shared scenario's CRD and objects, for kubectl.
func (s *Server) sharedYAML(w http.ResponseWriter, r *http.Request) error {
	scenario, err := s.shared(w, r, "")
	if err != nil || notModified(w, r) {
		return err
	}
	w.Header().Set("Content-Type", "application/yaml")
	_, _ = w.Write([]byte(share.YAML(scenario)))
	return nil
}

// unshare deletes what a link leads to, for the operator.
func (s *Server) unshare(w http.ResponseWriter, r *http.Request) error {
	if err := s.requireOperator(w, r); err != nil {
		return err
	}
	id := chi.URLParam(r, "id")
	if _, _, err := s.stored(r.Context(), id); err != nil {
		return err
	}
	if err := s.sharing.Store.Delete(r.Context(), id); err != nil {
		return storeProblem(err)
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (s *Server) requireOperator(w http.ResponseWriter, r *http.Request) error {
	if s.sharing.OperatorToken == "" {
		return &problem{kind: kindForbidden, detail: "This server has no operator token, so that nobody can delete links."}
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	// Hashes have one length, so that the time tells nothing about the token's.
	sent, want := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(s.sharing.OperatorToken))
	if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(sent[:], want[:]) != 1 {
		w.Header().Set("WWW-Authenticate", "Bearer")
		return &problem{kind: kindUnauthorized, detail: "Send the operator token in the header Authorization: Bearer …"}
	}
	return nil
}

// storeProblem is what an error of the store means to the client.
func storeProblem(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, share.ErrNotFound):
		return &problem{kind: kindNotFound, detail: "There is no such link: it was never made, has expired, or was deleted.", cause: err}
	case errors.Is(err, share.ErrFull):
		return &problem{kind: kindStoreFull, detail: "The server has no room left for links.", cause: err}
	case errors.Is(err, context.Canceled):
		return err
	}
	return &problem{kind: kindStore, detail: "The server cannot reach its links at the moment. Try again in a while.", cause: err}
}

// address is the URL of a path on this server.
func (s *Server) address(r *http.Request, path string) string {
	if s.sharing.PublicURL != "" {
		return s.sharing.PublicURL + path
	}
	scheme := "http"
	if s.isEncrypted(r) {
		scheme = "https"
	}
	return scheme + "://" + r.Host + path
}

// readable lets pages of other sites read an answer.
func readable(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
		next.ServeHTTP(w, r)
	})
}
