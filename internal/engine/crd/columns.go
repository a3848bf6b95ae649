package crd

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/registry/rest"
)

// TableConvertor makes the tables of a version, one at a time. If there is
// something wrong with the columns, it has none: the server falls back to the
// name alone.
type tableConvertor struct {
	rest.TableConvertor
	Columns []apiextensionsv1.CustomResourceColumnDefinition
}

func (v *Version) TableConvertor() *tableConvertor {
	if idle, ok := v.Convertors.Get().(*tableConvertor); ok {
		return idle
	}
	convertor, err := tableconvertor.New(v.columns)
	if err != nil {
		return &tableConvertor{convertor, nil}
	}
	return &tableConvertor{convertor, v.columns}
}

// printerColumns are those of v, or what the API server shows if v has none.
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
