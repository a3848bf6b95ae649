package httpapi

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/crdlab/crdlab/internal/examples"
	"github.com/crdlab/crdlab/internal/ui"
)

// WriteStatic writes the page, with the result of its example, as a site for
// static file hosts. The site works at any path. WriteStatic overwrites existing
// files but removes no others.
func WriteStatic(ctx context.Context, config Config, directory string) error {
	data, err := pageData(config.Assets, "")
	if err != nil {
		return err
	}
	data.Examples, data.Notices = "examples.json", "notices.txt"
	data.ServiceWorker, data.App = serviceWorkerName, appName
	for _, module := range []*ui.ModuleAddress{&data.Engine.First, &data.Engine.Whole} {
		module.Packed = module.Module + ".gz"
	}
	// Browsers ignore frame-ancestors in a <meta> element and log a warning.
	data.Policy = strings.Replace(pagePolicy, "; frame-ancestors 'none'", "", 1)
	report, err := config.Evaluate(ctx, data.Scenario)
	if err != nil {
		return fmt.Errorf("evaluate the page's example: %w", err)
	}
	data.Report = &report
	site := site{directory}
	return errors.Join(
		site.writePage(ctx, data),
		site.writeExamples(data.Examples),
		site.copy(config.Assets, data.Notices),
		site.copy(config.Assets, data.ServiceWorker),
		site.copy(config.Assets, data.App),
		site.copyAssets(config.Assets),
	)
}

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

func (s site) writePage(ctx context.Context, data ui.PageData) error {
	var html bytes.Buffer
	if err := ui.Page(data).Render(ctx, &html); err != nil {
		return fmt.Errorf("render the page: %w", err)
	}
	return s.write("index.html", html.Bytes())
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

// copyAssets copies the built files. It also decompresses files that exist only in
// compressed form, because some hosts cannot serve precompressed files.
func (s site) copyAssets(built fs.FS) error {
	return fs.WalkDir(built, "assets", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if err := s.copy(built, name); err != nil {
			return err
		}
		plain, isCompressed := strings.CutSuffix(name, ".gz")
		if _, err := fs.Stat(built, plain); !isCompressed || err == nil {
			return nil
		}
		return s.decompress(built, name, plain)
	})
}

func (s site) decompress(built fs.FS, compressed, plain string) error {
	file, err := built.Open(compressed)
	if err != nil {
		return fmt.Errorf("write the site: %w", err)
	}
	defer file.Close()
	reader, err := gzip.NewReader(file)
	if err != nil {
		return fmt.Errorf("decompress %s: %w", compressed, err)
	}
	content, err := io.ReadAll(reader)
	if err != nil {
		return fmt.Errorf("decompress %s: %w", compressed, err)
	}
	return s.write(plain, content)
}
