package finding

import (
	"errors"
	"fmt"

	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
)

const (
	// SizeLimit is the size in bytes, 1.5 MiB, of the largest request that etcd accepts by
	// default (--max-request-bytes).
	SizeLimit = 3 << 19
	// NoticeableSize is the smallest size in bytes that a report contains.
	NoticeableSize = SizeLimit / 10
	// maxMessage is the largest message in bytes that the API server's client
	// sends to etcd.
	maxMessage = 2 << 20
	// largestFields is the largest number of fields that a report lists. Each of them
	// accounts for at least one part in minShare of the size.
	largestFields = 3
	minShare      = 20
	// SmallestMember is the smallest size in bytes of the members that are measured: half of that of a reported field.
	SmallestMember = NoticeableSize / minShare / 2
)

// ReportSize returns the report of the size of stored JSON, or nil if it is smaller than
// [NoticeableSize]. fields returns the sizes of the members of at least [SmallestMember].
func ReportSize(bytes int, fields func() *jsonvalue.Sizes) *playground.Size {
	if bytes < NoticeableSize {
		return nil
	}
	report := &playground.Size{Bytes: bytes, Limit: SizeLimit, Largest: []playground.FieldSize{}}
	for _, field := range fields().Largest(largestFields, (bytes+minShare-1)/minShare) {
		report.Largest = append(report.Largest, playground.FieldSize{Path: field.Path, Bytes: field.Bytes})
	}
	return report
}

// CheckWrite returns the API server's error if writing the given number of bytes of
// JSON is too large a request for etcd. key is the key of the object in etcd. The write
// is a transaction, which contains the key three times; the size of its other fields
// varies by a few bytes.
func CheckWrite(key string, bytes int) error {
	const transactionFields, raftFields = 41, 20
	message := bytes + 3*len(key) + transactionFields
	switch {
	case message > maxMessage:
		return fmt.Errorf("rpc error: code = ResourceExhausted desc = trying to send message larger than max (%d vs. %d)", message, maxMessage)
	case message+raftFields > SizeLimit:
		return errors.New("etcdserver: request is too large")
	}
	return nil
}
