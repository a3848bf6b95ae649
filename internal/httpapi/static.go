package httpapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/examples"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/ui"
)

// WriteStatic writes the page, with the result of its example, as a site for
// static file hosts, and the pages beside it. The site works at any path; url is its public
// address without a slash at the end, or empty. WriteStatic overwrites existing
// files but removes no others.
func WriteStatic(ctx context.Context, built fs.FS, engine Engine, render Site, directory, url string) error {
	data, err := pageData(built, "")
	if err != nil {
		return err
	}
	data.Examples, data.Notices = "examples.json", "notices.txt"
	data.ServiceWorker, data.App = serviceWorkerName, appName
	if err := packModules(built, &data.Engine); err != nil {
		return err
	}
	data.Policy = withoutFrames(pagePolicy)
	request, err := encodeJSON(data)
	if err != nil {
		return err
	}
	page, err := engine(ctx, playground.Request{Task: playground.TaskPage, Body: request})
	if err != nil {
		return fmt.Errorf("render the page: %w", err)
	}
	pages, err := render(siteSettings(data, url))
	if err != nil {
		return err
	}
	var framed bytes.Buffer
	data.Policy = strings.Replace(framedPolicy, "; frame-ancestors *", "", 1)
	if err := ui.Page(framedData(data)).Render(ctx, &framed); err != nil {
		return fmt.Errorf("render the page for frames: %w", err)
	}
	site := site{directory}
	return errors.Join(
		site.write("index.html", page),
		site.writePages(pages),
		site.write(framedName, framed.Bytes()),
		site.copy(built, elementName),
		site.writeExamples(data.Examples),
		site.copy(built, data.Notices),
		site.copy(built, data.ServiceWorker),
		site.copy(built, data.App),
		site.copyAssets(built),
		site.write("_headers", headerRules()),
	)
}

// packModules sets the addresses of the modules to their gzip files, which the page
// decompresses. The uncompressed modules would exceed the file size limits of static hosts.
func packModules(built fs.FS, engine *ui.EngineAddress) error {
	engine.Module += packedSuffix
	engine.Packed = engine.Module
	for release, program := range engine.Programs {
		if err := packModule(built, &program); err != nil {
			return fmt.Errorf("the module of %s: %w", release, err)
		}
		engine.Programs[release] = program
	}
	if engine.GoTypes != nil {
		if err := packModule(built, engine.GoTypes); err != nil {
			return fmt.Errorf("the module for Go types: %w", err)
		}
	}
	return nil
}

func packModule(built fs.FS, module *ui.SizedAddress) error {
	packed := module.Module + packedSuffix
	info, err := fs.Stat(built, packed)
	if err != nil {
		return err
	}
	module.Module, module.Packed, module.Download = packed, packed, info.Size()
	return nil
}

// packedSuffix ends the names of modules that the page decompresses.
const packedSuffix = ".gz"

// headerRules returns the security headers in the format that several static hosts read
// from the file _headers. It has no effect if the site is not at the root of its host.
func headerRules() []byte {
	var rules strings.Builder
	rules.WriteString("/*\n")
	for _, name := range slices.Sorted(maps.Keys(securityHeaders)) {
		if name != policyHeader {
			fmt.Fprintf(&rules, "  %s: %s\n", name, securityHeaders[name])
		}
	}
	patterns := []siteSection{{"/", pagePolicy}, {"/index.html", pagePolicy}}
	for _, section := range siteSections {
		patterns = append(patterns, siteSection{section.path + "*", section.policy})
	}
	for _, rule := range append(patterns, []siteSection{
		{framedPath + removeSharing + "\n  Cross-Origin-Resource-Policy: cross-origin", framedPolicy},
		{"/" + elementName + removeSharing + "\n  Access-Control-Allow-Origin: *\n  Cross-Origin-Resource-Policy: cross-origin", assetPolicy},
		{"/" + serviceWorkerName, assetPolicy},
		{"/assets/*", assetPolicy},
		// The exclamation mark removes the header of the previous pattern.
		{"/assets/" + fetcherName + "*\n  ! " + policyHeader, fetcherPolicy},
	}...) {
		fmt.Fprintf(&rules, "%s\n  %s: %s\n", rule.path, policyHeader, rule.policy)
	}
	return []byte(rules.String())
}

// removeSharing removes the header that keeps a file from other sites.
const removeSharing = "\n  ! Cross-Origin-Resource-Policy"

// site is the output directory for a static file host.
type site struct {
	directory string
}

func (s site) write(name string, content []byte) error {
	path := filepath.Join(s.directory, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("write the site: %w", err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		return fmt.Errorf("write the site: %w", err)
	}
	return nil
}

func (s site) writePages(pages map[string][]byte) error {
	for name, html := range pages {
		if err := s.write(name, html); err != nil {
			return err
		}
	}
	return nil
}

func (s site) writeExamples(name string) error {
	gallery, err := examples.JSON()
	if err != nil {
		return err
	}
	return s.write(name, gallery)
}

func (s site) copy(built fs.FS, name string) error {
	content, err := fs.ReadFile(built, name)
	if err != nil {
		return fmt.Errorf("write the site: %w", err)
	}
	return s.write(name, content)
}

// copyAssets copies the built files. Of the modules, it copies only the gzip files.
func (s site) copyAssets(built fs.FS) error {
	return fs.WalkDir(built, "assets", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if strings.Contains(name, ".wasm") && path.Ext(name) != packedSuffix {
			return nil
		}
		return s.copy(built, name)
	})
}
