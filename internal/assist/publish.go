package assist

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/openapi"
	"github.com/crdlab/crdlab/internal/playground"
)

// publish responds to a publish request: it writes the JSON Schema of a version.
func (a *Assistant) publish(ctx context.Context, request playground.PublishRequest) (*playground.PublishResult, error) {
	s, err := engine.SetDefaults(request.Scenario)
	if err != nil {
		return nil, err
	}
	report, err := a.engine.Evaluate(ctx, playground.Scenario{CRD: s.CRD, Schemas: true})
	if err != nil {
		return nil, err
	}
	for _, published := range report.Schemas {
		if published.Version == request.Version {
			var text bytes.Buffer
			if err := json.Indent(&text, openapi.JSONSchema(report.CRD, published, request.Strict), "", "  "); err != nil {
				return nil, err
			}
			return &playground.PublishResult{Name: openapi.FileName(report.CRD, request.Version), Text: text.String() + "\n"}, nil
		}
	}
	return &playground.PublishResult{}, nil
}
