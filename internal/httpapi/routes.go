package httpapi

import (
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/crdlab/crdlab/internal/playground"
)

// Paths that other code refers to. Some are prefixes, as seen.
const (
	homePath     = "/"
	examplesPath = "/examples.json"
	noticesPath  = "/notices"
	errorsPath   = "/errors/" // + code + "/"
	docsPath     = "/docs/"   // + name + "/"
	learnPath    = "/learn/"  // + the id of an example + "/"
	schemaPath   = "/schema/"
	sitemapPath  = "/sitemap.xml"
	apiPath      = "/api"
	openAPIPath  = "/api/openapi.json"
	assistPath   = "/api/v1/" // + the kind of assist request
	panelsPath   = "/panels"
	sharePath    = "/api/v1/share"
	backupPath   = "/api/v1/backup"
	sharedPath   = "/s/"     // + id
	embedPath    = "/embed/" // + id
	framedPath   = "/" + framedName
)

type siteSection struct{ path, policy string }

// siteSections has the prefixes of the pages beside the playground, and their policies.
var siteSections = []siteSection{
	{errorsPath, sitePolicy}, {docsPath, sitePolicy}, {learnPath, sitePolicy}, {schemaPath, pagePolicy},
}

// router is the table of contents of the service: each row has a path, its limits
// and its handler.
func (s *Server) router() chi.Router {
	root, handle := chi.NewRouter(), s.handler
	root.Use(setRequestID, s.accessLog, s.limitWriting, s.recoverPanics, s.setSecurityHeaders, s.closeOnShutdown, s.clientIP, middleware.GetHead)
	root.NotFound(handle(notFound))
	root.MethodNotAllowed(handle(methodNotAllowed))

	root.Get("/healthz", healthz)
	root.Get("/readyz", handle(s.readyz))
	root.Get("/assets/*", handle(s.asset)) // compressed at build time

	r := root.With(middleware.Compress(5, "text/html", "text/plain", "text/javascript", "application/json", "application/yaml", problemType), s.limitResponses)
	read := r.With(s.rateLimit(s.reads))
	read.Get(homePath, handle(s.page))
	read.Get(framedPath, handle(s.framed))
	read.With(allowAnyOrigin).Get("/"+elementName, handle(s.element))
	read.Get(examplesPath, handle(s.examples))
	read.Get(noticesPath, handle(s.notices))
	read.Get("/"+serviceWorkerName, handle(s.serviceWorker))
	read.Get("/"+appName, handle(s.app))

	if s.site != nil {
		for _, section := range siteSections {
			read.Get(strings.TrimSuffix(section.path, "/"), handle(s.sitePage))
			read.Get(section.path+"*", handle(s.sitePage))
		}
		read.Get(docsPath+"search.json", handle(s.sitePage))
		read.Get(errorsPath+"messages.json", handle(s.sitePage))
		read.Get(sitemapPath, handle(s.sitePage))
	}

	read.Get(apiPath, handle(s.describe))
	read.With(allowAnyOrigin).Get(openAPIPath, handle(s.openAPI))
	read.With(allowAnyOrigin).Get("/api/v1/version", handle(s.version))

	if s.evaluator != nil {
		r := r.With(s.limitBodies(s.bodies), s.rateLimit(s.evaluations), s.refuseWhenFull, middleware.RequestSize(MaxBody))
		r.Post(panelsPath, handle(s.panels))
		r.Post("/api/v1/evaluate", handle(s.evaluate))
		for _, kind := range playground.AssistKinds {
			r.Post(assistPath+kind.Name, handle(s.assist(kind)))
		}
	}
	if s.sharing.Store != nil {
		root.With(s.rateLimit(s.reads)).Get(backupPath, handle(s.backUp)) // streamed: needs little memory
		r.With(s.limitBodies(s.sharedBodies), s.rateLimit(s.shares), middleware.RequestSize(s.sharing.Limit)).Post(sharePath, handle(s.share))
		read.Delete(sharePath+"/{id}", handle(s.unshare))
		read.Get(sharedPath+"{id}", handle(s.sharedPage))
		read.Get(sharedPath+"errors/*", leaveShared)
		read.Get(sharedPath+"docs/*", leaveShared)
		read.Get(sharedPath+"schema/*", leaveShared)
		read.Get(embedPath+"{id}", handle(s.embed))
		read.With(allowAnyOrigin).Get(sharePath+"/{id}", handle(s.sharedJSON))
		read.With(allowAnyOrigin).Get(sharedPath+"{id}.json", handle(s.sharedJSON))
		read.With(allowAnyOrigin).Get(sharedPath+"{id}.yaml", handle(s.sharedYAML))
	}
	return root
}
