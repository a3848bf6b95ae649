package crd

import (
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/versioning"

	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// readOld decodes the CRD that is in the cluster before, if there is one. It
// is not judged: a cluster may hold CRDs that it would not accept today. It
// reports false, with findings, if the text is no CRD.
func (r *Request) readOld() bool {
	if strings.TrimSpace(r.oldSource) == "" {
		return true
	}
	r.operation = playground.OperationUpdate
	file, err := source.Parse(r.oldSource, finding.CRDText)
	if _, isLimit := finding.LimitRange(err); isLimit {
		r.Report.Status = playground.Status{Message: err.Error()}
		r.Report.Findings = append(r.Report.Findings, finding.OfLimit(playground.DocumentOldCRD, playground.StageCRDDecode, err))
		return false
	}
	doc, _ := chooseCRD(file)
	if doc == nil {
		r.operation = playground.OperationCreate
		return true
	}
	old, err := decodeStoredCRD(doc)
	if err != nil {
		r.Report.Status = playground.Status{Message: "the old CRD cannot be read"}
		r.Report.Findings = append(r.Report.Findings, playground.Finding{
			Severity: playground.SeverityError,
			Stage:    playground.StageCRDDecode,
			Message:  err.Error(),
			Document: playground.DocumentOldCRD,
			Range:    finding.RequestRange(doc, err.Error()),
			Fixes:    []playground.Fix{},
			Related:  []playground.Related{},
		})
		return false
	}
	establish(old)
	r.Old, r.OldDoc = old, doc
	return true
}

func decodeStoredCRD(doc *source.Document) (*apiextensions.CustomResourceDefinition, error) {
	serializer := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{Yaml: !doc.JSON()})
	codec := versioning.NewCodec(nil, serializer, runtime.UnsafeObjectConvertor(scheme),
		scheme, scheme, scheme, nil, apiextensions.SchemeGroupVersion, "crdlab")
	kind := apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition")
	crd := &apiextensions.CustomResourceDefinition{}
	err := upstream.Guard(playground.StageCRDDecode, func() error {
		_, _, err := codec.Decode([]byte(doc.Text), &kind, crd)
		return err
	})
	return crd, err
}

// establish sets what the controllers would have set on a CRD that was typed
// without its status. The stored versions that are typed count.
func establish(crd *apiextensions.CustomResourceDefinition) {
	if crd.Generation == 0 {
		crd.Generation = 1
	}
	if crd.ResourceVersion == "" {
		crd.ResourceVersion = upstream.FirstResourceVersion
	}
	if crd.Status.AcceptedNames.Plural == "" {
		crd.Status.AcceptedNames = crd.Spec.Names
	}
	for _, condition := range []apiextensions.CustomResourceDefinitionConditionType{apiextensions.NamesAccepted, apiextensions.Established} {
		if apiextensions.FindCRDCondition(crd, condition) == nil {
			apiextensions.SetCRDCondition(crd, apiextensions.CustomResourceDefinitionCondition{Type: condition, Status: apiextensions.ConditionTrue})
		}
	}
}
