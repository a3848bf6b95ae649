package main

import (
	"bytes"
	"os"
	"path/filepath"

	"github.com/crdlab/crdlab/internal/inspect"
)

// validateSchemas returns an error unless the flags for JSON Schemas have their part.
func (f *printFlags) validateSchemas() error {
	if (f.directory != "" || f.strict) && f.part != string(inspect.PartJSONSchema) {
		return usageError("--dir and --strict need --part jsonschema")
	}
	return nil
}

// publishedBy returns the part of the published schemas that flags select.
func publishedBy(s inspect.Subject, flags *printFlags) ([]inspect.Published, error) {
	version, part := flags.version, inspect.Part(flags.part)
	if part == inspect.PartJSONSchema && flags.strict {
		part = inspect.PartStrict
	}
	if flags.directory != "" && version == "" {
		version = inspect.AllVersions
	}
	return inspect.PublishedBy(s, version, part), nil
}

// writeSchemas writes schemas into the files of a catalog of JSON Schemas.
func writeSchemas(flags *printFlags, all []inspect.Published) error {
	for _, schema := range all {
		path := filepath.Join(flags.directory, filepath.FromSlash(schema.File))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil { // other programs read them
			return usageError("%w", err)
		}
		var text bytes.Buffer
		if err := schema.WriteText(&text); err != nil {
			return err
		}
		if err := os.WriteFile(path, text.Bytes(), 0o666); err != nil {
			return usageError("%w", err)
		}
	}
	return nil
}
