package httpapi

import (
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
)

// Paths that other code refers to. Some are prefixes, as seen.
const (
	homePath     = "/"
	examplesPath = "/examples.json"
	noticesPath  = "/notices"
	apiPath      = "/api"
	openAPIPath  = "/api/openapi.json"
	assistPath   = "/api/v1/" // + the kind of assist request
	panelsPath   = "/panels"
	sharePath    = "/api/v1/share"
	sharedPath   = "/s/"     // + id
	embedPath    = "/embed/" // + id
)

// router is the table of contents of the service: each row has a path, its limits
// and its handler.
func (s *Server) router() chi.Router {
	root, handle := chi.NewRouter(), s.handler
	root.Use(s.accessLog, s.recoverPanics, s.setSecurityHeaders, s.closeOnShutdown, s.clientIP, middleware.GetHead)
	root.NotFound(handle(notFound))
	root.MethodNotAllowed(handle(methodNotAllowed))

	root.Get("/healthz", healthz)
	root.Get("/readyz", handle(s.readyz))
	root.Get("/assets/*", handle(s.asset)) // compressed at build time

	r := root.With(middleware.Compress(5, "text/html", "text/plain", "text/javascript", "application/json", "application/yaml", problemType))
	r.Get(homePath, handle(s.page))
	r.Get(examplesPath, handle(s.examples))
	r.Get(noticesPath, handle(s.notices))
	r.Get("/"+serviceWorkerName, handle(s.serviceWorker))
	r.Get("/"+appName, handle(s.app))

	r.Get(apiPath, handle(s.describe))
	r.With(allowAnyOrigin).Get(openAPIPath, handle(s.openAPI))
	r.With(allowAnyOrigin).Get("/api/v1/version", handle(s.version))

	if s.evaluator != nil {
		r := r.With(s.rateLimit(s.evaluations), s.bodies.limitBodies, middleware.RequestSize(MaxBody))
		r.Post(panelsPath, handle(s.panels))
		r.Post("/api/v1/evaluate", handle(s.evaluate))
		if s.help != nil {
			r.Post(assistPath+"complete", handle(s.complete))
			r.Post(assistPath+"hover", handle(s.hover))
			r.Post(assistPath+"sample", handle(s.sample))
			r.Post(assistPath+"format", handle(s.format))
			r.Post(assistPath+"try", handle(s.try))
		}
	}
	if s.sharing.Store != nil {
		r.With(s.rateLimit(s.shares), s.bodies.limitBodies, middleware.RequestSize(s.sharing.Limit)).Post(sharePath, handle(s.share))
		r.Delete(sharePath+"/{id}", handle(s.unshare))
		r.Get(sharedPath+"{id}", handle(s.sharedPage))
		r.Get(embedPath+"{id}", handle(s.embed))
		r.With(allowAnyOrigin).Get(sharePath+"/{id}", handle(s.sharedJSON))
		r.With(allowAnyOrigin).Get(sharedPath+"{id}.json", handle(s.sharedJSON))
		r.With(allowAnyOrigin).Get(sharedPath+"{id}.yaml", handle(s.sharedYAML))
	}
	return root
}
