package crd

import (
	"encoding/json"
	"fmt"
	"path"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/playground"
)

// etcdKey is the path of CRDs in etcd by default.
const etcdKey = "/registry/apiextensions.k8s.io/customresourcedefinitions"

// statusBytes is the approximate size of the conditions and names in the status of a
// new CRD, which the controllers add to the stored object.
const statusBytes = 1000

// checkSize rejects a CRD that is too large for etcd, and warns if client-side apply
// cannot create it.
func checkSize(r *Request) error {
	if finding.DocumentBytes(r.Doc) < finding.NoticeableSize-statusBytes {
		return nil
	}
	v1, err := ToV1(r.Internal)
	if err != nil {
		return err
	}
	encoded, err := json.Marshal(v1)
	if err != nil {
		return fmt.Errorf("encode the CRD: %w", err)
	}
	if !r.verdictOnly {
		r.Report.Size = finding.ReportSize(len(encoded), func() map[string]any {
			// A CRD that can be encoded can be converted, too.
			content, _ := runtime.DefaultUnstructuredConverter.ToUnstructured(v1)
			return content
		})
	}
	if err := finding.CheckWrite(path.Join(etcdKey, r.Internal.Name), len(encoded)); err != nil {
		return err
	}
	if r.operation != playground.OperationApply {
		r.findings.Add(finding.CheckClientApply(playground.DocumentCRD, playground.StageCRDSize, r.Doc)...)
	}
	return nil
}
