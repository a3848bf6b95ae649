package crd

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/registry/rest"
)

// A TableConvertor converts objects of a version to tables. It is not safe for
// concurrent use.
type TableConvertor struct {
	rest.TableConvertor
	// Columns is nil if a column is invalid. The API server then shows only the name.
	Columns []apiextensionsv1.CustomResourceColumnDefinition
}

// AcquireTableConvertor returns an idle or a new convertor. The caller returns it
// with [Version.ReleaseTableConvertor].
func (v *Version) AcquireTableConvertor() *TableConvertor {
	if idle, ok := v.convertors.Get().(*TableConvertor); ok {
		return idle
	}
	convertor, err := tableconvertor.New(v.columns)
	if err != nil {
		return &TableConvertor{convertor, nil}
	}
	return &TableConvertor{convertor, v.columns}
}

// ReleaseTableConvertor makes a convertor available to other callers.
func (v *Version) ReleaseTableConvertor(convertor *TableConvertor) { v.convertors.Put(convertor) }

// printerColumns returns the columns of v, or the API server's default column.
func printerColumns(v apiextensionsv1.CustomResourceDefinitionVersion) []apiextensionsv1.CustomResourceColumnDefinition {
	if len(v.AdditionalPrinterColumns) > 0 {
		return v.AdditionalPrinterColumns
	}
	return []apiextensionsv1.CustomResourceColumnDefinition{{
		Name:        "Age",
		Type:        "date",
		Description: metadataDescriptions["creationTimestamp"],
		JSONPath:    ".metadata.creationTimestamp",
	}}
}

var metadataDescriptions = metav1.ObjectMeta{}.SwaggerDoc()
