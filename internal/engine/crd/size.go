package crd

import (
	"encoding/json"
	"fmt"
	"path"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
)

// etcdKey is the path of CRDs in etcd by default.
const etcdKey = "/registry/apiextensions.k8s.io/customresourcedefinitions"

// statusBytes is the approximate size of the conditions and names in the status of a
// new CRD, which the controllers add to the stored object.
const statusBytes = 1000

// A storedSize is the size of a stored CRD in bytes, and those of its fields, which are nil if nothing reports them.
type storedSize struct {
	bytes  int
	fields *jsonvalue.Sizes
	// changed is the sum of the changes since all of the CRD was measured.
	changed int
	// isStored reports that the size includes the owners of fields.
	isStored bool
}

// checkSize rejects a CRD that is too large for etcd, and warns if client-side apply
// cannot create it.
func checkSize(r *Request) error {
	bytes := finding.DocumentBytes(r.Doc)
	if bytes < finding.NoticeableSize-statusBytes {
		return nil
	}
	size, err := r.measure()
	if err != nil {
		return err
	}
	if !r.verdictOnly {
		r.Report.Size = finding.ReportSize(size.bytes, func() *jsonvalue.Sizes { return size.fields })
	}
	if err := finding.CheckWrite(path.Join(etcdKey, r.Internal.Name), size.bytes); err != nil {
		return err
	}
	if r.operation != playground.OperationApply {
		r.findings.Add(finding.CheckClientApply(playground.DocumentCRD, playground.StageCRDSize, r.Doc, bytes)...)
	}
	return nil
}

// measure returns the size of the stored CRD. After a change of a node, it measures only this node.
func (r *Request) measure() (*storedSize, error) {
	size, err := r.measureChange()
	if err != nil || size != nil {
		return size, err
	}
	v1 := &apiextensionsv1.CustomResourceDefinition{}
	if err := scheme.Convert(r.Internal, v1, nil); err != nil {
		return nil, fmt.Errorf("convert the CRD to v1: %w", err)
	}
	encoded, err := json.Marshal(v1)
	if err != nil {
		return nil, fmt.Errorf("encode the CRD: %w", err)
	}
	size = &storedSize{bytes: len(encoded), isStored: r.stored}
	if !r.verdictOnly {
		var content map[string]any
		if err := utiljson.Unmarshal(encoded, &content); err != nil {
			return nil, fmt.Errorf("decode the CRD: %w", err)
		}
		size.fields = jsonvalue.Measure(content, finding.SmallestMember)
	}
	r.rememberSize(size)
	return size, nil
}

// measureChange returns nil if the whole CRD is to be measured.
func (r *Request) measureChange() (*storedSize, error) {
	if r.valid == nil || r.valid.size == nil || r.Old != nil || r.valid.size.isStored != r.stored || !r.verdictOnly && r.valid.size.fields == nil {
		return nil, nil
	}
	size := *r.valid.size
	if r.change != nil {
		before, after := r.change.v1()
		if before == nil || after == nil {
			return nil, nil
		}
		old, err := json.Marshal(before)
		if err != nil {
			return nil, fmt.Errorf("encode the former schema: %w", err)
		}
		new, err := json.Marshal(after)
		if err != nil {
			return nil, fmt.Errorf("encode the schema: %w", err)
		}
		difference := len(new) - len(old)
		size.bytes += difference
		// A member that is not measured is at most twice as large as the smallest one then.
		if size.changed += max(difference, -difference); size.changed > finding.SmallestMember {
			return nil, nil
		}
		if size.fields != nil {
			size.fields = size.fields.Changed(contentOf(before), contentOf(after), r.SchemaPath(r.change.version, r.change.path))
		}
	}
	r.rememberSize(&size)
	return &size, nil
}

// contentOf returns the content of a value that can be encoded.
func contentOf(value any) map[string]any {
	content, _ := runtime.DefaultUnstructuredConverter.ToUnstructured(value)
	return content
}

func (r *Request) rememberSize(size *storedSize) {
	if r.decoded != nil && r.Old == nil {
		r.decoded.size = size
	}
}
