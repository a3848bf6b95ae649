package ui

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
)

// Assets has the URL paths of the built files that the page loads.
type Assets struct {
	// Script is the page's main module. Engine is a smaller module that starts
	// the engine earlier.
	Script string
	Engine string
	// Imports lists the modules that Engine and Script import.
	Imports []string
	// Theme is the script that runs before the first paint: it applies the chosen theme, and remembers early clicks.
	Theme  string
	Styles []string
	Icon   string
	// SiteScript and SiteStyles are the files of the pages beside the playground.
	SiteScript string   `json:"-"`
	SiteStyles []string `json:"-"`
	// SchemaScript and SchemaStyles are the files of the documentation of a CRD.
	SchemaScript string   `json:"-"`
	SchemaStyles []string `json:"-"`
}

const (
	manifestName = "manifest.json"
	mainEntry    = "src/main.ts"
	themeEntry   = "src/theme.ts"
	engineEntry  = "src/engine/started.ts"
	siteEntry    = "src/site.ts"
	schemaEntry  = "src/schema.ts"
	iconEntry    = "src/icon.svg"
)

// manifestChunk is an entry of Vite's manifest.
type manifestChunk struct {
	File    string   `json:"file"`
	CSS     []string `json:"css"`
	Imports []string `json:"imports"`
}

// LoadAssets reads the names of the built files from the Vite manifest in dist,
// Vite's output directory. The site serves dist under the path base, such as
// "/".
func LoadAssets(dist fs.FS, base string) (Assets, error) {
	text, err := fs.ReadFile(dist, manifestName)
	if err != nil {
		return Assets{}, fmt.Errorf("page assets: %w", err)
	}
	var chunks map[string]manifestChunk
	if err := json.Unmarshal(text, &chunks); err != nil {
		return Assets{}, fmt.Errorf("page assets: %s: %w", manifestName, err)
	}
	for _, entry := range []string{mainEntry, engineEntry, themeEntry, iconEntry, siteEntry, schemaEntry} {
		if chunks[entry].File == "" {
			return Assets{}, fmt.Errorf("page assets: %s has no %s", manifestName, entry)
		}
	}
	assets := Assets{
		Script: path.Join(base, chunks[mainEntry].File),
		Engine: path.Join(base, chunks[engineEntry].File),
		Theme:  path.Join(base, chunks[themeEntry].File),
		Icon:   path.Join(base, chunks[iconEntry].File),

		SiteScript:   path.Join(base, chunks[siteEntry].File),
		SchemaScript: path.Join(base, chunks[schemaEntry].File),
	}
	for _, style := range chunks[mainEntry].CSS {
		assets.Styles = append(assets.Styles, path.Join(base, style))
	}
	for _, style := range chunks[siteEntry].CSS {
		assets.SiteStyles = append(assets.SiteStyles, path.Join(base, style))
	}
	for _, style := range chunks[schemaEntry].CSS {
		assets.SchemaStyles = append(assets.SchemaStyles, path.Join(base, style))
	}
	for _, entry := range []string{engineEntry, mainEntry} {
		for _, name := range chunks[entry].Imports {
			if file := path.Join(base, chunks[name].File); !slices.Contains(assets.Imports, file) {
				assets.Imports = append(assets.Imports, file)
			}
		}
	}
	return assets, nil
}
