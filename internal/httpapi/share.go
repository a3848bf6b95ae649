package httpapi

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/share"
)

// Sharing configures short links.
type Sharing struct {
	// Store stores the scenarios. If it is nil, short links are disabled.
	Store share.Store
	// Limit is the maximum size in bytes of a shared scenario's JSON, by default
	// [ShareLimit].
	Limit int64
	// Lifetime is the lifetime of a link, counted from the last time that it was
	// created or opened. 0 means that links never expire.
	Lifetime time.Duration
	// ClientQuota limits the size in bytes of the scenarios that a client shares on one
	// day. 0 means no limit.
	ClientQuota int64
	// OperatorToken authorizes the deletion of links. If it is empty, links cannot
	// be deleted.
	OperatorToken string
	// PublicURL is the server's URL for users, without a trailing slash. If it is
	// empty, links use the host of the request.
	PublicURL string
}

// ShareLimit is the default maximum size in bytes of a shared scenario's JSON.
const ShareLimit = 2 << 20

// ShareLifetime is the default lifetime of a link.
const ShareLifetime = 90 * 24 * time.Hour

// shareMaxAge is the cache lifetime of a shared scenario. A scenario never
// changes, but the operator may delete it.
const shareMaxAge = 24 * time.Hour

// linkResponse is the response to a shared scenario.
type linkResponse struct {
	ID  string `json:"id"`
	URL string `json:"url"`
	// Expires is absent if the link never expires.
	Expires *time.Time `json:"expires,omitempty"`
}

// share stores a scenario and responds with its short link.
func (s *Server) share(w http.ResponseWriter, r *http.Request) error {
	var scenario playground.Scenario
	if err := readBody(r, "scenario", &scenario); err != nil {
		return err
	}
	if scenario.CRD == "" && scenario.Object == "" {
		return &problem{kind: kindMalformed, detail: "The scenario is empty."}
	}
	id, value, err := share.Encode(scenario)
	if err != nil {
		return err
	}
	link := linkResponse{ID: id, URL: s.absoluteURL(r, sharedPath+id)}
	var expires time.Time
	if s.sharing.Lifetime > 0 {
		expires = time.Now().Add(s.sharing.Lifetime).Truncate(time.Second).UTC()
		link.Expires = &expires
	}
	if err := s.put(r, id, value, expires); err != nil {
		return err
	}
	w.Header().Set("Location", sharePath+"/"+id)
	w.Header().Set("Cache-Control", "no-store")
	return writeValue(w, http.StatusCreated, link)
}

// put stores a scenario if the client has not reached its quota.
func (s *Server) put(r *http.Request, id string, value []byte, expires time.Time) error {
	client, size, now := clientNetwork(r.Context()), int64(len(value)), time.Now()
	if !s.shareQuota.take(client, size, now) {
		return &problem{kind: kindStoreFull, detail: fmt.Sprintf(
			"You have reached the daily limit of %s for short links. Existing short links and long links still work.",
			formatBytes(s.sharing.ClientQuota))}
	}
	err := s.sharing.Store.Put(r.Context(), id, value, expires)
	if err != nil {
		s.shareQuota.take(client, -size, now)
	}
	return storeProblem(err)
}

// renew extends a link that is being opened. All renewals of one day set the same expiry,
// so only the first writes to the store. It is at least the lifetime from now.
func (s *Server) renew(ctx context.Context, id string, expires time.Time) {
	lifetime := s.sharing.Lifetime
	if lifetime <= 0 {
		return
	}
	step := min(lifetime, 24*time.Hour)
	until := time.Now().Add(lifetime + step).Truncate(step)
	if !expires.IsZero() && !expires.Before(until) {
		return
	}
	if err := s.sharing.Store.Extend(ctx, id, until); err != nil && ctx.Err() == nil {
		s.log.WarnContext(ctx, "a link was opened but its lifetime could not be extended", "error", err)
	}
}

// loadShared returns the scenario of the link in the request and sets the caching
// headers.
func (s *Server) loadShared(w http.ResponseWriter, r *http.Request) (playground.Scenario, error) {
	stored, err := s.loadStored(w, r, "")
	if err != nil {
		return playground.Scenario{}, err
	}
	return share.Decode(stored)
}

// loadStored returns the encoded scenario of the link in the request and sets the caching
// headers. The suffix distinguishes representations in the ETag.
func (s *Server) loadStored(w http.ResponseWriter, r *http.Request, suffix string) ([]byte, error) {
	id := chi.URLParam(r, "id")
	value, expires, err := s.getStored(r.Context(), id)
	if err != nil {
		return nil, err
	}
	s.renew(r.Context(), id, expires)
	age := shareMaxAge
	if !expires.IsZero() {
		age = min(age, time.Until(expires))
	}
	header := w.Header()
	header.Set("ETag", `W/"`+id+suffix+`"`)
	header.Set("Cache-Control", fmt.Sprintf("public, max-age=%d, immutable", max(0, int(age.Seconds()))))
	return value, nil
}

func (s *Server) getStored(ctx context.Context, id string) ([]byte, time.Time, error) {
	if !share.IsID(id) {
		return nil, time.Time{}, storeProblem(share.ErrNotFound)
	}
	value, expires, err := s.sharing.Store.Get(ctx, id)
	if err == nil && !share.Matches(id, value) {
		err = share.ErrDamaged
	}
	return value, expires, storeProblem(err)
}

// writeNotModified responds with 304 and returns true if the client already has
// the version in the response's ETag. Clients update their cached headers from
// this response, so all headers must be set before. The ETag is weak, because all
// content codings of a response share it.
func writeNotModified(w http.ResponseWriter, r *http.Request) bool {
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

// sharedJSON responds with a shared scenario in JSON.
func (s *Server) sharedJSON(w http.ResponseWriter, r *http.Request) error {
	scenario, err := s.loadShared(w, r)
	if err != nil || writeNotModified(w, r) {
		return err
	}
	return writeValue(w, http.StatusOK, scenario)
}

// sharedYAML responds with the CRD and the objects of a shared scenario, for kubectl.
func (s *Server) sharedYAML(w http.ResponseWriter, r *http.Request) error {
	scenario, err := s.loadShared(w, r)
	if err != nil || writeNotModified(w, r) {
		return err
	}
	w.Header().Set("Content-Type", "application/yaml")
	_, _ = w.Write([]byte(share.YAML(scenario)))
	return nil
}

// unshare deletes a link on behalf of the operator.
func (s *Server) unshare(w http.ResponseWriter, r *http.Request) error {
	if err := s.requireOperator(w, r); err != nil {
		return err
	}
	id := chi.URLParam(r, "id")
	if _, _, err := s.getStored(r.Context(), id); err != nil && !errors.Is(err, share.ErrDamaged) {
		return err
	}
	if err := s.sharing.Store.Delete(r.Context(), id); err != nil {
		return storeProblem(err)
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// backUp sends an export of the store to the operator.
func (s *Server) backUp(w http.ResponseWriter, r *http.Request) error {
	if err := s.requireOperator(w, r); err != nil {
		return err
	}
	hasStarted := false
	err := s.sharing.Store.Backup(r.Context(), func() io.Writer {
		hasStarted = true
		header := w.Header()
		header.Set("Content-Type", "application/jsonl")
		header.Set("Cache-Control", "no-store")
		return w
	})
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errors.ErrUnsupported):
		return &problem{kind: kindNotFound, detail: "The store has no files. Use the backup tools of the database."}
	case !hasStarted:
		return storeProblem(err)
	}
	// The client notices that the response has no end.
	s.log.ErrorContext(r.Context(), "the backup failed", "error", err)
	panic(http.ErrAbortHandler)
}

func (s *Server) requireOperator(w http.ResponseWriter, r *http.Request) error {
	if s.sharing.OperatorToken == "" {
		return &problem{kind: kindForbidden, detail: "This request requires an operator token, which this server does not have."}
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	// Comparing hashes of equal length hides the length of the token.
	sent, want := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(s.sharing.OperatorToken))
	if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(sent[:], want[:]) != 1 {
		w.Header().Set("WWW-Authenticate", "Bearer")
		return &problem{kind: kindUnauthorized, detail: "Send the operator token in the header Authorization: Bearer …"}
	}
	return nil
}

// storeProblem converts an error of the store into a problem.
func storeProblem(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, share.ErrNotFound):
		return &problem{kind: kindNotFound, detail: "There is no such link: it never existed, has expired, or was deleted.", cause: err}
	case errors.Is(err, share.ErrFull):
		return &problem{kind: kindStoreFull, detail: "This server has no space for more short links. Existing short links and long links still work.", cause: err}
	case errors.Is(err, share.ErrReadOnly):
		return &problem{kind: kindStore, detail: "This server cannot store short links at the moment. Existing short links and long links still work.", cause: err}
	case errors.Is(err, share.ErrDamaged):
		return &problem{kind: kindStore, detail: "The scenario of this short link is damaged.", cause: err}
	case errors.Is(err, context.Canceled):
		return err
	}
	return &problem{kind: kindStore, detail: "Short links are temporarily unavailable on this server. Try again later. Long links and all other features still work.", cause: err}
}

// absoluteURL returns the URL of a path on this server.
func (s *Server) absoluteURL(r *http.Request, path string) string {
	if s.sharing.PublicURL != "" {
		return s.sharing.PublicURL + path
	}
	scheme := "http"
	if s.isEncrypted(r) {
		scheme = "https"
	}
	return scheme + "://" + r.Host + path
}

// allowAnyOrigin lets pages of other sites read a response.
func allowAnyOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
		next.ServeHTTP(w, r)
	})
}
