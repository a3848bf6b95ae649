package site

import "github.com/crdlab/crdlab/internal/ui"

// schemaPath is the path of the documentation of a CRD.
const schemaPath = "schema/"

// schemaConfig is the part of the playground's configuration that the documentation of a CRD needs.
type schemaConfig struct {
	Engine   ui.EngineAddress `json:"engine"`
	Examples string           `json:"examples"`
}

// schemaPage returns the page that documents the CRD in the fragment of its address.
func schemaPage(settings Settings) page {
	p := page{path: schemaPath, title: "Documentation of a CRD", description: "The fields of a Kubernetes CRD, with their types, limits and rules.", startsEngine: true}
	config := schemaConfig{Examples: p.root() + "examples.json"}
	config.Engine.Module, config.Engine.Runtime = p.root()+settings.Engine.Module, p.root()+settings.Engine.Runtime
	if settings.Engine.Packed != "" {
		config.Engine.Packed = p.root() + settings.Engine.Packed
	}
	p.content = schemaContent(p, config)
	return p
}
