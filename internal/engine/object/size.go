package object

import (
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
)

// runSize rejects a stored object that is too large for etcd, and warns if client-side
// apply cannot create it.
func runSize(r *Request) error {
	if r.stored == nil {
		return nil // the object is deleted, or only a webhook could convert it
	}
	report := &r.rec.report
	err := r.checkWrite()
	if err != nil && !playground.IsApply(r.options.operation) && len(r.stored.object.GetManagedFields()) > 0 {
		// The API server tries again without managedFields.
		object := r.stored.object
		object.SetManagedFields(nil)
		r.stored = newStoredObject(object, r.endpoint.CRD.Storage, r.convert)
		report.Stored = jsonvalue.Encode(object)
		err = r.checkWrite()
	}
	if err != nil {
		report.Accepted, report.Stored, r.stored = false, nil, nil
		return err
	}
	if r.options.matchesClientApply() {
		r.rec.add(finding.CheckClientApply(playground.DocumentObject, playground.StageSize, r.rec.doc, finding.DocumentBytes(r.rec.doc))...)
	}
	return nil
}

// checkWrite reports the size of the stored object, and rejects an object that is too large for etcd.
func (r *Request) checkWrite() error {
	bytes := len(r.rec.report.Stored) + len("\n")
	r.rec.report.Size = finding.ReportSize(bytes, func() *jsonvalue.Sizes {
		return jsonvalue.Measure(r.stored.object.UnstructuredContent(), finding.SmallestMember)
	})
	return finding.CheckWrite(r.endpoint.keyOf(r.object), bytes)
}

// matchesClientApply reports whether a user could send the document with client-side
// apply instead.
func (o options) matchesClientApply() bool {
	return o.operation == playground.OperationCreate || o.operation == playground.OperationUpdate
}
