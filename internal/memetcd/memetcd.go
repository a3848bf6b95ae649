// Package memetcd keeps the data of an API server in memory. [New] and [Open], which has a copy of
// the data in a file, return an etcd client for the storage of k8s.io/apiserver, so that this
// storage still implements watches, chunked lists, bookmarks and conflicts.
//
// The semantics are those of etcd 3: each change increments the revision of the store, old
// revisions can be read until they are compacted, and a watch receives every change of its
// range, in order. Only the operations that k8s.io/apiserver calls are implemented; the others
// panic, because their interfaces are embedded without a value. The size of a value has no limit.
package memetcd

import (
	"bytes"
	"slices"
	"sync"
	"time"

	"go.etcd.io/bbolt"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/utils/third_party/forked/golang/btree"
)

// A memory holds the versions of all keys since the last compaction.
type memory struct {
	mutex sync.Mutex
	// revision is the number of the last change. Like etcd, an empty store has revision 1.
	revision int64
	// compacted is the oldest revision that can be read.
	compacted int64
	records   *btree.BTree[*record]
	// events are the changes from revision first on, one for each revision.
	events []*clientv3.Event
	first  int64
	// changed is closed at the next change or request for progress.
	changed chan struct{}
	// progress counts the requests for progress.
	progress int64
	// leases holds the keys of each lease that has not expired.
	leases    map[clientv3.LeaseID][]string
	lastLease clientv3.LeaseID
	// file has the present versions; nil if they are in memory only.
	file *bbolt.DB
}

// A record holds the versions of a key, oldest first. A version without CreateRevision is a deletion.
type record struct {
	key      string
	versions []*mvccpb.KeyValue
}

func newMemory() *memory {
	return &memory{
		revision: 1,
		first:    2,
		records:  btree.New(32, func(a, b *record) bool { return a.key < b.key }),
		changed:  make(chan struct{}),
		leases:   map[clientv3.LeaseID][]string{},
	}
}

// at returns the version of the key at a revision, or nil if the key does not exist there.
func (r *record) at(revision int64) *mvccpb.KeyValue {
	for _, version := range slices.Backward(r.versions) {
		if version.ModRevision > revision {
			continue
		}
		if version.CreateRevision == 0 {
			return nil
		}
		return version
	}
	return nil
}

// A selection is a range of keys at a revision.
type selection struct {
	// start is the first key, and end the key after the last. Without end, the range has one key.
	// The end "\x00" means all keys from start on.
	start, end string
	// revision is 0 for the present.
	revision int64
	// limit is the maximum number of keys to return; 0 for all.
	limit              int64
	keysOnly, keyCount bool
}

// selectionOf returns the selection of an operation that reads.
func selectionOf(op clientv3.Op) selection {
	return selection{string(op.KeyBytes()), string(op.RangeBytes()), op.Rev(), op.Limit(), op.IsKeysOnly(), op.IsCountOnly()}
}

func (s selection) contains(key string) bool {
	switch s.end {
	case "":
		return key == s.start
	case "\x00":
		return key >= s.start
	}
	return key >= s.start && key < s.end
}

// read returns the selected keys in order, and the number of keys in the range.
func (m *memory) read(s selection) (*pb.RangeResponse, error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return m.readLocked(s)
}

func (m *memory) readLocked(s selection) (*pb.RangeResponse, error) {
	switch {
	case s.revision > m.revision:
		return nil, rpctypes.ErrFutureRev
	case s.revision == 0:
		s.revision = m.revision
	case s.revision < m.compacted:
		return nil, rpctypes.ErrCompacted
	}
	response := &pb.RangeResponse{Header: m.header()}
	m.records.AscendGreaterOrEqual(&record{key: s.start}, func(r *record) bool {
		if !s.contains(r.key) {
			return false
		}
		version := r.at(s.revision)
		if version == nil {
			return true
		}
		response.Count++
		switch {
		case s.keyCount:
		case s.limit > 0 && int64(len(response.Kvs)) == s.limit:
			response.More = true
		case s.keysOnly:
			response.Kvs = append(response.Kvs, &mvccpb.KeyValue{
				Key: version.Key, CreateRevision: version.CreateRevision, ModRevision: version.ModRevision,
				Version: version.Version, Lease: version.Lease,
			})
		default:
			response.Kvs = append(response.Kvs, version)
		}
		return true
	})
	return response, nil
}

func (m *memory) header() *pb.ResponseHeader { return &pb.ResponseHeader{Revision: m.revision} }

// latest returns the present version of a key, or nil.
func (m *memory) latest(key string) *mvccpb.KeyValue {
	if found, ok := m.records.Get(&record{key: key}); ok {
		return found.at(m.revision)
	}
	return nil
}

// put stores a value at the next revision.
func (m *memory) put(key string, value []byte, lease clientv3.LeaseID) error {
	if lease != 0 {
		keys, ok := m.leases[lease]
		if !ok {
			return rpctypes.ErrLeaseNotFound
		}
		m.leases[lease] = append(keys, key)
	}
	previous := m.latest(key)
	next := &mvccpb.KeyValue{
		Key: []byte(key), Value: value, Lease: int64(lease),
		CreateRevision: m.revision + 1, ModRevision: m.revision + 1, Version: 1,
	}
	if previous != nil {
		next.CreateRevision, next.Version = previous.CreateRevision, previous.Version+1
	}
	return m.change(&clientv3.Event{Type: clientv3.EventTypePut, Kv: next, PrevKv: previous})
}

// delete removes a key that exists, at the next revision.
func (m *memory) delete(previous *mvccpb.KeyValue) error {
	deletion := &mvccpb.KeyValue{Key: previous.Key, ModRevision: m.revision + 1}
	return m.change(&clientv3.Event{Type: clientv3.EventTypeDelete, Kv: deletion, PrevKv: previous})
}

// change saves and adds the version of an event, and wakes the watches. With an error, nothing has
// changed.
func (m *memory) change(event *clientv3.Event) error {
	if err := m.save(event); err != nil {
		return err
	}
	m.revision++
	key := string(event.Kv.Key)
	found, ok := m.records.Get(&record{key: key})
	if !ok {
		found = &record{key: key}
		m.records.ReplaceOrInsert(found)
	}
	found.versions = append(found.versions, event.Kv)
	m.events = append(m.events, event)
	m.wake()
	return nil
}

func (m *memory) wake() {
	close(m.changed)
	m.changed = make(chan struct{})
}

// compact forgets what is needed only to read older revisions.
func (m *memory) compact(revision int64) error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	switch {
	case revision <= m.compacted:
		return rpctypes.ErrCompacted
	case revision > m.revision:
		return rpctypes.ErrFutureRev
	}
	m.compacted = revision
	if revision > m.first {
		m.events = slices.Clone(m.events[revision-m.first:])
		m.first = revision
	}
	var deleted []*record
	m.records.Ascend(func(r *record) bool {
		if r.compact(revision); len(r.versions) == 0 {
			deleted = append(deleted, r)
		}
		return true
	})
	for _, r := range deleted {
		m.records.Delete(r)
	}
	return nil
}

// compact removes the versions that no revision from the given one on can read.
func (r *record) compact(revision int64) {
	newer := slices.IndexFunc(r.versions, func(version *mvccpb.KeyValue) bool { return version.ModRevision > revision })
	if newer < 0 {
		newer = len(r.versions)
	}
	if newer > 0 && r.versions[newer-1].CreateRevision != 0 {
		newer--
	}
	r.versions = slices.Delete(r.versions, 0, newer)
}

// grant returns a lease, and deletes its keys after the given time.
func (m *memory) grant(after time.Duration) (clientv3.LeaseID, error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	lease := m.lastLease + 1
	if err := m.saveLease(lease, time.Now().Add(after)); err != nil {
		return 0, err
	}
	m.lastLease = lease
	m.leases[lease] = nil
	time.AfterFunc(after, func() { m.expire(lease) })
	return lease, nil
}

// expire deletes the keys whose present version has the lease. If the file cannot be written, the
// lease remains, and expires when the file is opened the next time.
func (m *memory) expire(lease clientv3.LeaseID) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	for _, key := range m.leases[lease] {
		if latest := m.latest(key); latest != nil && latest.Lease == int64(lease) {
			if m.delete(latest) != nil {
				return
			}
		}
	}
	if m.saveLease(lease, time.Time{}) == nil {
		delete(m.leases, lease)
	}
}

// A batch is what happened since a watch looked last.
type batch struct {
	events []*clientv3.Event
	// revision is the last revision that the events cover.
	revision int64
	// compacted is the oldest readable revision if the watch has missed changes; otherwise 0.
	compacted int64
	progress  int64
	// changed is closed when there is more.
	changed <-chan struct{}
}

// since returns the changes of a range after a revision.
func (m *memory) since(revision int64, s selection, previous bool) batch {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	b := batch{revision: max(m.revision, revision), progress: m.progress, changed: m.changed}
	// The value before the change at the compacted revision is not readable.
	if revision < m.compacted {
		b.compacted = m.compacted
		return b
	}
	for _, event := range m.events[min(max(revision+1-m.first, 0), int64(len(m.events))):] {
		if !s.contains(string(event.Kv.Key)) {
			continue
		}
		if !previous {
			event = &clientv3.Event{Type: event.Type, Kv: event.Kv}
		}
		b.events = append(b.events, event)
	}
	return b
}

// matches reports whether a condition of a transaction holds.
func (m *memory) matches(condition clientv3.Cmp) (bool, error) {
	compared := condition.GetCompare()
	found := m.latest(string(compared.Key))
	if found == nil {
		found = &mvccpb.KeyValue{}
	}
	if compared.Result != pb.Compare_EQUAL {
		return false, errUnimplemented
	}
	switch wanted := compared.TargetUnion.(type) {
	case *pb.Compare_Version:
		return found.Version == wanted.Version, nil
	case *pb.Compare_ModRevision:
		return found.ModRevision == wanted.ModRevision, nil
	case *pb.Compare_Value:
		return bytes.Equal(found.Value, wanted.Value), nil
	}
	return false, errUnimplemented
}
