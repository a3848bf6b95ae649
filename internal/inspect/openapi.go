package inspect

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/crdlab/crdlab/internal/engine/openapi"
	"github.com/crdlab/crdlab/internal/playground"
)

// A Published is the schema that a cluster publishes for a version of a CRD.
type Published struct {
	CRD     CRD    `json:"crd"`
	Version string `json:"version"`
	// Document is the selected part of the OpenAPI documents of the cluster.
	Document json.RawMessage `json:"document"`
	// LostInV2 lists the paths in the schema of the kind that OpenAPI v2 lacks or changes.
	LostInV2 []string `json:"lostInV2"`
	// File is the path of the document in catalogs of JSON Schemas.
	File string `json:"-"`
}

// A Part is a part of the OpenAPI documents of a cluster.
type Part string

// Values of [Part].
const (
	// PartKind is the schema of the kind in OpenAPI v3.
	PartKind Part = "kind"
	// PartV3 is the document at /openapi/v3/apis/<group>/<version>.
	PartV3 Part = "v3"
	// PartV2 is the schema of the kind in OpenAPI v2.
	PartV2 Part = "v2"
	// PartJSONSchema is a JSON Schema of the kind, see [PublishedBy].
	PartJSONSchema Part = "jsonschema"
	// PartStrict is PartJSONSchema without unknown fields.
	PartStrict Part = "strict"
)

// PublishedBy returns the published schemas of a subject whose report has schemas, at the
// selected version, see [ExplainOptions].
func PublishedBy(s Subject, version string, part Part) []Published {
	var all []Published
	for i, schema := range s.Report.Schemas {
		if selects(version, schema.Version, i) {
			file := openapi.FileName(s.Report.CRD, schema.Version)
			all = append(all, Published{s.crd(), schema.Version, unescaped(partOf(s.Report.CRD, schema, part)), append([]string{}, schema.LostInV2...), file})
		}
	}
	return all
}

// unescaped returns JSON with "<" instead of the escape that the libraries write for HTML. If
// it is invalid, it remains as it is.
func unescaped(text json.RawMessage) json.RawMessage {
	var value any
	if err := playground.DecodeJSON(text, &value); err != nil {
		return text
	}
	out, err := playground.EncodeJSON(value)
	if err != nil {
		return text
	}
	return out
}

func partOf(crd playground.CRD, s playground.Schema, part Part) json.RawMessage {
	switch part {
	case PartJSONSchema, PartStrict:
		return openapi.JSONSchema(crd, s, part == PartStrict)
	case PartV3:
		return s.OpenAPIV3
	case PartV2:
		return s.KindV2
	}
	return s.Kind
}

// WriteText writes the document as indented JSON.
func (p Published) WriteText(w io.Writer) error {
	var text bytes.Buffer
	if err := json.Indent(&text, p.Document, "", "  "); err != nil {
		return err
	}
	_, err := w.Write(append(text.Bytes(), '\n'))
	return err
}
