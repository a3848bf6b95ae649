package ui

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
)

// Assets has the URL paths of the built files that the page loads.
type Assets struct {
	// Script is the page's main module. Engine is a smaller module that starts
	// the engine earlier.
	Script string
	Engine string
	// Imports lists the modules that Engine imports.
	Imports []string
	// Theme is the script that applies the chosen theme before the first paint.
	Theme  string
	Styles []string
	Icon   string
	// SiteScript and SiteStyles are the files of the pages beside the playground.
	SiteScript string   `json:"-"`
	SiteStyles []string `json:"-"`
}

const (
	manifestName = "manifest.json"
	mainEntry    = "src/main.ts"
	themeEntry   = "src/theme.ts"
	engineEntry  = "src/engine/started.ts"
	siteEntry    = "src/site.ts"
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
	for _, entry := range []string{mainEntry, engineEntry, themeEntry, iconEntry, siteEntry} {
		if chunks[entry].File == "" {
			return Assets{}, fmt.Errorf("page assets: %s has no %s", manifestName, entry)
		}
	}
	assets := Assets{
		Script: path.Join(base, chunks[mainEntry].File),
		Engine: path.Join(base, chunks[engineEntry].File),
		Theme:  path.Join(base, chunks[themeEntry].File),
		Icon:   path.Join(base, chunks[iconEntry].File),

		SiteScript: path.Join(base, chunks[siteEntry].File),
	}
	for _, style := range chunks[mainEntry].CSS {
		assets.Styles = append(assets.Styles, path.Join(base, style))
	}
	for _, style := range chunks[siteEntry].CSS {
		assets.SiteStyles = append(assets.SiteStyles, path.Join(base, style))
	}
	for _, name := range chunks[engineEntry].Imports {
		assets.Imports = append(assets.Imports, path.Join(base, chunks[name].File))
	}
	return assets, nil
}
