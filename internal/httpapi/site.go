package httpapi

import (
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/crdlab/crdlab/internal/ui"
)

// A Site renders the pages beside the playground, such as the error index and the documents, by
// file name. It may add files of the types in siteTypes.
type Site func(SiteSettings) (map[string][]byte, error)

// SiteSettings are the parts of these pages that depend on the host.
type SiteSettings struct {
	// Assets has addresses relative to the root of the site.
	Assets ui.Assets
	// Engine has addresses relative to the root of the site.
	Engine ui.EngineAddress
	// Policy is the Content-Security-Policy for a <meta> element. EnginePolicy is the policy of the
	// pages that start the engine.
	Policy, EnginePolicy string
	// URL is the public address of the site without a slash at the end, or empty.
	URL string
}

// siteTypes has the types of the site's files that are no pages, by the ending of their names.
var siteTypes = map[string]string{".json": "application/json", ".xml": "application/xml"}

// sitePolicy is the content security policy of the pages that start no engine. They read the index of their search,
// show the playground in frames, and their script creates no HTML.
const sitePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-src 'self'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'; " + noFrames

// withoutFrames returns a policy for a <meta> element. Browsers ignore frame-ancestors there
// and log a warning.
func withoutFrames(policy string) string {
	return strings.Replace(policy, "; frame-ancestors 'none'", "", 1)
}

// renderSite returns a function that renders the pages once.
func renderSite(config Config) func() (map[string][]byte, error) {
	return sync.OnceValues(func() (map[string][]byte, error) {
		data, err := pageData(config.Assets, "")
		if err != nil {
			return nil, err
		}
		return config.Site(siteSettings(data, config.Sharing.PublicURL))
	})
}

func siteSettings(data ui.PageData, url string) SiteSettings {
	return SiteSettings{data.Assets, data.Engine, withoutFrames(sitePolicy), withoutFrames(pagePolicy), url}
}

// sitePage responds with a page beside the playground.
func (s *Server) sitePage(w http.ResponseWriter, r *http.Request) error {
	if s.front.missing != nil {
		return s.page(w, r)
	}
	pages, err := s.site()
	if err != nil {
		return err
	}
	name := strings.TrimPrefix(r.URL.Path, "/")
	contentType := siteTypes[path.Ext(name)]
	if contentType == "" {
		name += "index.html"
	}
	content, ok := pages[name]
	if folder := strings.TrimSuffix(name, "index.html") + "/"; !ok && pages[folder+"index.html"] != nil {
		http.Redirect(w, r, homePath+folder, http.StatusPermanentRedirect) // The links of the page are relative.
		return nil
	}
	if !ok {
		return notFound(w, r)
	}
	w.Header().Set("Cache-Control", "no-cache")
	if contentType == "" {
		section := siteSections[slices.IndexFunc(siteSections, func(s siteSection) bool { return strings.HasPrefix(r.URL.Path, s.path) })]
		return writeRendered(w, http.StatusOK, section.policy, content)
	}
	w.Header().Set("Content-Type", contentType)
	_, _ = w.Write(content)
	return nil
}

// leaveShared redirects from below the path of a short link: the links of the page are relative.
func leaveShared(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, homePath+strings.TrimPrefix(r.URL.Path, sharedPath), http.StatusPermanentRedirect)
}
