package object

import (
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/playground"
)

// runSize rejects a stored object that is too large for etcd, and warns if client-side
// apply cannot create it.
func runSize(r *Request) error {
	if r.stored == nil {
		return nil // the object is deleted, or only a webhook could convert it
	}
	report := &r.rec.report
	bytes := len(report.Stored) + len("\n")
	report.Size = finding.ReportSize(bytes, r.stored.object.UnstructuredContent)
	if err := finding.CheckWrite(r.endpoint.keyOf(r.object), bytes); err != nil {
		report.Accepted, report.Stored, r.stored = false, nil, nil
		return err
	}
	if r.options.matchesClientApply() {
		r.rec.add(finding.CheckClientApply(playground.DocumentObject, playground.StageSize, r.rec.doc)...)
	}
	return nil
}

// matchesClientApply reports whether a user could send the document with client-side
// apply instead.
func (o options) matchesClientApply() bool {
	return o.operation == playground.OperationCreate || o.operation == playground.OperationUpdate
}
