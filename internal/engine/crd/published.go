package crd

import (
	"encoding/json"
	"errors"
	"fmt"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/openapi"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// publish builds the OpenAPI schemas of the served versions. The API server publishes none
// before the CRD is established.
func (c *CRD) publish() ([]playground.Schema, error) {
	schemas := []playground.Schema{}
	if c.V1 == nil || !c.IsEstablished() {
		return schemas, nil
	}
	for _, name := range c.ServedByPriority() {
		err := upstream.Guard("publish", func() error {
			schema, err := openapi.Schema(c.V1, name)
			if err != nil {
				return err
			}
			schema.LostInV2, err = lostInV2(schema.Kind, schema.KindV2)
			schemas = append(schemas, schema)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("publish version %s: %w", name, err)
		}
	}
	return schemas, nil
}

// lostInV2 returns the paths of the keywords that the schema of a kind loses in
// OpenAPI v2. It ignores references, whose form differs between the two versions.
func lostInV2(kind, kindV2 json.RawMessage) ([]string, error) {
	var v3, v2 map[string]any
	if err := errors.Join(utiljson.Unmarshal(kind, &v3), utiljson.Unmarshal(kindV2, &v2)); err != nil {
		return nil, fmt.Errorf("compare OpenAPI v3 and v2: %w", err)
	}
	lost := []string{}
	for _, c := range jsonvalue.Diff(v3, v2, nil) {
		last := c.Path[len(c.Path)-1]
		isReference := last == "$ref" || last == "allOf" && isWrappedReference(v3, c.Path)
		if c.Op != playground.ChangeAdd && !isReference {
			lost = append(lost, jsonvalue.PathString(c.Path))
		}
	}
	return lost, nil
}

// isWrappedReference reports whether the allOf at path only holds a reference. OpenAPI
// v3 has this form for a reference with a description.
func isWrappedReference(v3 map[string]any, path []any) bool {
	value, _ := jsonvalue.At(v3, path)
	list, ok := value.([]any)
	if !ok || len(list) != 1 {
		return false
	}
	item, ok := list[0].(map[string]any)
	_, isReference := item["$ref"]
	return ok && len(item) == 1 && isReference
}
