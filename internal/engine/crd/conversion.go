package crd

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/crdlab/crdlab/internal/engine/conversion"
)

// ConvertsByWebhook reports whether a webhook converts the objects of c.
func (c *CRD) ConvertsByWebhook() bool {
	return c.V1 != nil && c.V1.Spec.Conversion != nil && c.V1.Spec.Conversion.Strategy == apiextensionsv1.WebhookConverter
}

// SchemasByVersion returns the structural schemas of all versions by name.
func (c *CRD) SchemasByVersion() map[string]*structuralschema.Structural {
	schemas := map[string]*structuralschema.Structural{}
	for name, v := range c.Versions {
		schemas[name] = v.Schema
	}
	return schemas
}

// checkConversion returns an error if the API server cannot set up the conversion of
// the objects of c. It then cannot serve them either.
func checkConversion(c *CRD) error {
	if !c.ConvertsByWebhook() {
		return nil
	}
	_, err := conversion.New(conversion.Request{CRD: c.V1, Schemas: c.SchemasByVersion()})
	return err
}
