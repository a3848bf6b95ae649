package memetcd

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/kubernetes"
	"google.golang.org/protobuf/proto"
)

// The buckets of a file. The sequence of the bucket of keys is the revision of the store.
var (
	keysBucket   = []byte("keys")
	leasesBucket = []byte("leases")
)

// ErrInUse is the error of a file that another process has open.
var ErrInUse = errors.New("another process uses the file")

// lockTimeout is the time to wait for a process that is about to end.
const lockTimeout = time.Second

// Open returns a client of a store that is read from a file, which is created if it does not exist.
// Each change is on the disk before it is visible. The file has the present revision only, so that
// reads and watches of older ones have the error of compacted revisions. Close releases the file.
func Open(path string) (*kubernetes.Client, error) {
	file, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: lockTimeout, FreelistType: bbolt.FreelistMapType, NoFreelistSync: true})
	switch {
	case errors.Is(err, bbolterrors.ErrTimeout):
		return nil, fmt.Errorf("%s: %w", path, ErrInUse)
	case errors.Is(err, bbolterrors.ErrInvalid), errors.Is(err, bbolterrors.ErrChecksum), errors.Is(err, bbolterrors.ErrVersionMismatch):
		return nil, fmt.Errorf("%s is not a data file of an API server: %w", path, err)
	case err != nil:
		return nil, err
	}
	m := newMemory()
	m.file = file
	m.mutex.Lock() // Leases may have expired.
	err = file.Update(m.load)
	m.mutex.Unlock()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s is not a data file of an API server: %w", path, err), file.Close())
	}
	return newClient(m)
}

// load reads a file, and creates the buckets of a new one.
func (m *memory) load(tx *bbolt.Tx) error {
	leases, err := tx.CreateBucketIfNotExists(leasesBucket)
	if err != nil {
		return err
	}
	if err := leases.ForEach(m.loadLease); err != nil {
		return err
	}
	keys, err := tx.CreateBucketIfNotExists(keysBucket)
	if err != nil {
		return err
	}
	m.revision = max(m.revision, int64(keys.Sequence())) //nolint:gosec // revisions begin at 1
	m.compacted, m.first = m.revision, m.revision+1
	return keys.ForEach(m.loadKey)
}

func (m *memory) loadLease(id, expiry []byte) error {
	if len(id) != 8 || len(expiry) != 8 {
		return errors.New("a lease is damaged")
	}
	lease := clientv3.LeaseID(binary.BigEndian.Uint64(id)) //nolint:gosec // as encode wrote it
	m.lastLease = max(m.lastLease, lease)
	m.leases[lease] = nil
	at := time.Unix(int64(binary.BigEndian.Uint64(expiry)), 0) //nolint:gosec // as encode wrote it
	time.AfterFunc(time.Until(at), func() { m.expire(lease) })
	return nil
}

func (m *memory) loadKey(key, encoded []byte) error {
	version := &mvccpb.KeyValue{}
	if err := proto.Unmarshal(encoded, version); err != nil {
		return err
	}
	m.records.ReplaceOrInsert(&record{key: string(key), versions: []*mvccpb.KeyValue{version}})
	if lease := clientv3.LeaseID(version.Lease); lease != 0 {
		m.leases[lease] = append(m.leases[lease], string(key))
	}
	return nil
}

// save writes the version of an event and its revision to the file, if there is one.
func (m *memory) save(event *clientv3.Event) error {
	if m.file == nil {
		return nil
	}
	return m.file.Update(func(tx *bbolt.Tx) error {
		keys := tx.Bucket(keysBucket)
		if err := keys.SetSequence(uint64(event.Kv.ModRevision)); err != nil { //nolint:gosec // revisions begin at 1
			return err
		}
		if event.Type == clientv3.EventTypeDelete {
			return keys.Delete(event.Kv.Key)
		}
		encoded, err := proto.Marshal(event.Kv)
		if err != nil {
			return err
		}
		return keys.Put(event.Kv.Key, encoded)
	})
}

// saveLease writes the time when a lease expires to the file, if there is one. The zero time
// removes the lease.
func (m *memory) saveLease(lease clientv3.LeaseID, expiry time.Time) error {
	if m.file == nil {
		return nil
	}
	return m.file.Update(func(tx *bbolt.Tx) error {
		leases, id := tx.Bucket(leasesBucket), encode(int64(lease))
		if expiry.IsZero() {
			return leases.Delete(id)
		}
		return leases.Put(id, encode(expiry.Unix()))
	})
}

func encode(number int64) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(number)) //nolint:gosec // read as int64 again
}
