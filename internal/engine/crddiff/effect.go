package crddiff

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/utils/ptr"

	"github.com/crdlab/crdlab/internal/playground"
)

// An effect is the effect of a change, to the extent that the two CRDs show it.
type effect struct {
	breaks playground.Breaks
	// keepsObjects reports that the new CRD certainly accepts each object that the old
	// CRD accepts, and stores it as the old CRD does.
	keepsObjects bool
}

var (
	breaksNothing = effect{playground.BreaksNone, true}
	// breaksNothingKnown is the effect of a change that may still change some objects.
	breaksNothingKnown = effect{playground.BreaksNone, false}
	breaksStored       = effect{playground.BreaksStored, false}
	breaksClients      = effect{playground.BreaksClients, false}
	// surprisesClients is the effect of a change after which clients may meet new
	// values.
	surprisesClients = effect{playground.BreaksClients, true}
	breaksBoth       = effect{playground.BreaksBoth, false}
)

// class returns the class of a change before the search for a witness.
func (e effect) class() playground.ChangeClass {
	if e.keepsObjects {
		return playground.ChangeCompatible
	}
	return playground.ChangeMayBreak
}

// unless returns the effect e without certainty if doubtful is true.
func (e effect) unless(doubtful bool) effect {
	e.keepsObjects = e.keepsObjects && !doubtful
	return e
}

// decidesForOthers reports whether objects of other versions pass through the schema of
// the version, because it is the storage version of one of the CRDs. Pruning and
// defaults of the schema then change the objects of the other versions.
func (s *schemaDiff) decidesForOthers() bool {
	stores := s.old.Spec.Versions[s.oldIndex].Storage || s.new.Spec.Versions[s.newIndex].Storage
	return stores && len(s.old.Spec.Versions) > 1
}

// hasRules reports whether the version has CEL rules in one of the CRDs. The values
// that rules see depend on the types and formats of the schema.
func (s *schemaDiff) hasRules() bool {
	if s.withRules == nil {
		s.withRules = new(s.findRules())
	}
	return *s.withRules
}

func (s *schemaDiff) findRules() bool {
	for _, v := range []apiextensionsv1.CustomResourceDefinitionVersion{s.old.Spec.Versions[s.oldIndex], s.new.Spec.Versions[s.newIndex]} {
		if v.Schema != nil && v.Schema.OpenAPIV3Schema != nil && containsRules(v.Schema.OpenAPIV3Schema) {
			return true
		}
	}
	return false
}

func containsRules(p *schemaProps) bool {
	if len(p.XValidations) > 0 {
		return true
	}
	for _, property := range p.Properties {
		if containsRules(&property) {
			return true
		}
	}
	if p.Items != nil && p.Items.Schema != nil && containsRules(p.Items.Schema) {
		return true
	}
	return p.AdditionalProperties != nil && p.AdditionalProperties.Schema != nil && containsRules(p.AdditionalProperties.Schema)
}

// convertsByWebhook reports whether one of the CRDs has a conversion webhook.
func (d *diff) convertsByWebhook() bool {
	for _, definition := range []*apiextensionsv1.CustomResourceDefinition{d.old, d.new} {
		if conversion := definition.Spec.Conversion; conversion != nil && conversion.Strategy == apiextensionsv1.WebhookConverter {
			return true
		}
	}
	return false
}

// haveOneSchema reports whether all versions of both CRDs have the same schema.
func (d *diff) haveOneSchema() bool {
	if d.oneSchema == nil {
		d.oneSchema = new(d.compareAllSchemas())
	}
	return *d.oneSchema
}

func (d *diff) compareAllSchemas() bool {
	var first *schemaProps
	for _, definition := range []*apiextensionsv1.CustomResourceDefinition{d.old, d.new} {
		for _, v := range definition.Spec.Versions {
			schema := ptr.Deref(v.Schema, apiextensionsv1.CustomResourceValidation{}).OpenAPIV3Schema
			if first == nil {
				first = schema
			}
			if !apiequality.Semantic.DeepEqual(first, schema) {
				return false
			}
		}
	}
	return first != nil
}
