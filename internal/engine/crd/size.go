package crd

import (
	"encoding/json"
	"fmt"
	"path"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"

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
	// isStored reports that the size includes the owners of fields.
	isStored bool
}

// checkSize rejects a CRD that is too large for etcd, and warns if client-side apply
// cannot create it.
func checkSize(r *Request) error {
	if finding.DocumentBytes(r.Doc) < finding.NoticeableSize-statusBytes {
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
		r.findings.Add(finding.CheckClientApply(playground.DocumentCRD, playground.StageCRDSize, r.Doc)...)
	}
	return nil
}

// measure returns the size of the stored CRD. After a change of a small node, it measures only this node.
func (r *Request) measure() (*storedSize, error) {
	size, err := r.measureChange()
	if err != nil || size != nil {
		return size, err
	}
	v1, err := ToV1(r.Internal)
	if err != nil {
		return nil, err
	}
	encoded, err := json.Marshal(v1)
	if err != nil {
		return nil, fmt.Errorf("encode the CRD: %w", err)
	}
	size = &storedSize{bytes: len(encoded), isStored: r.stored}
	if !r.verdictOnly {
		// A CRD that can be encoded can be converted, too.
		content, _ := runtime.DefaultUnstructuredConverter.ToUnstructured(v1)
		size.fields = jsonvalue.Measure(content, finding.SmallestMember)
	}
	r.rememberSize(size)
	return size, nil
}

// measureChange returns nil if the whole CRD is to be measured.
func (r *Request) measureChange() (*storedSize, error) {
	if r.last == nil || r.last.size == nil || r.Old != nil || r.last.size.isStored != r.stored || !r.verdictOnly && r.last.size.fields == nil {
		return nil, nil
	}
	size := r.last.size
	if c := r.change; c != nil {
		before, err := encodedSize(c.before)
		if err != nil {
			return nil, err
		}
		after, err := encodedSize(c.after)
		if err != nil || max(before, after) >= finding.SmallestMember {
			return nil, err // the node may have large members
		}
		size = &storedSize{bytes: size.bytes + after - before, isStored: r.stored}
		if fields := r.last.size.fields; fields != nil {
			at := []any{"spec", "versions", c.version, "schema", "openAPIV3Schema"}
			for _, step := range c.path {
				at = append(at, step)
			}
			size.fields = fields.Grown(after-before, at)
		}
	}
	r.rememberSize(size)
	return size, nil
}

func (r *Request) rememberSize(size *storedSize) {
	if r.decoded != nil && r.Old == nil {
		r.decoded.size = size
	}
}

// encodedSize returns the size of a schema in v1.
func encodedSize(s *apiextensions.JSONSchemaProps) (int, error) {
	v1 := &apiextensionsv1.JSONSchemaProps{}
	if err := apiextensionsv1.Convert_apiextensions_JSONSchemaProps_To_v1_JSONSchemaProps(s.DeepCopy(), v1, nil); err != nil {
		return 0, fmt.Errorf("convert a schema to v1: %w", err)
	}
	encoded, err := json.Marshal(v1)
	if err != nil {
		return 0, fmt.Errorf("encode a schema: %w", err)
	}
	return len(encoded), nil
}
