package crd

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/crdlab/crdlab/internal/engine/feature"
)

func (c *CRD) ConvertsByWebhook() bool {
	return c.V1 != nil && c.V1.Spec.Conversion != nil && c.V1.Spec.Conversion.Strategy == apiextensionsv1.WebhookConverter
}

func (c *CRD) SchemasByVersion() map[string]*structuralschema.Structural {
	schemas := map[string]*structuralschema.Structural{}
	for name, v := range c.Versions {
		schemas[name] = v.Schema
	}
	return schemas
}

// checkConversion says why the API server could not prepare the conversion of c's
// objects, and therefore not serve them.
func checkConversion(p feature.Set, c *CRD) error {
	if p.ConversionWebhook == nil || !c.IsEstablished() || !c.ConvertsByWebhook() {
		return nil
	}
	_, err := p.ConversionWebhook(feature.ConversionRequest{CRD: c.V1, Schemas: c.SchemasByVersion()})
	return err
}
