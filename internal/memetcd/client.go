package memetcd

import (
	"context"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/kubernetes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

var errUnimplemented = status.Error(codes.Unimplemented, "the operation is not implemented in memory")

// etcdVersion is the version of etcd whose semantics the store has. From it, k8s.io/apiserver
// derives that watches can be asked for progress.
const etcdVersion = "3.7.0"

// progressInterval is the time between the revisions that a watch sends without being asked, as
// with the etcd of a Kubernetes cluster (--watch-progress-notify-interval).
const progressInterval = 5 * time.Second

// New returns a client of an empty store in memory. Close ends its watches.
func New() (*kubernetes.Client, error) { return newClient(newMemory()) }

func newClient(m *memory) (*kubernetes.Client, error) {
	// The client connects when a service is called that is not replaced below, which fails.
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{"memory"}})
	if err != nil {
		return nil, err
	}
	client.KV, client.Watcher, client.Lease, client.Maintenance = keyValues{memory: m}, watcher{memory: m}, leases{memory: m}, maintenance{}
	stored := &kubernetes.Client{Client: client}
	stored.Kubernetes = objects{stored, m}
	return stored, nil
}

// objects are the operations on the objects of an API server. Those that write are here, because
// the option of a lease cannot be read; the others come from the client.
type objects struct {
	*kubernetes.Client
	*memory
}

var _ kubernetes.Interface = objects{}

func (o objects) OptimisticPut(_ context.Context, key string, value []byte, expected int64, opts kubernetes.PutOptions) (kubernetes.PutResponse, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	latest := o.latest(key)
	if latest.GetModRevision() != expected {
		response := kubernetes.PutResponse{Revision: o.revision}
		if opts.GetOnFailure {
			response.KV = latest
		}
		return response, nil
	}
	// k8s.io/apiserver still passes the lease.
	if err := o.put(key, value, opts.LeaseID); err != nil {
		return kubernetes.PutResponse{}, err
	}
	return kubernetes.PutResponse{Succeeded: true, Revision: o.revision}, nil
}

func (o objects) OptimisticDelete(_ context.Context, key string, expected int64, opts kubernetes.DeleteOptions) (kubernetes.DeleteResponse, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	latest := o.latest(key)
	if latest.GetModRevision() != expected {
		response := kubernetes.DeleteResponse{Revision: o.revision}
		if opts.GetOnFailure {
			response.KV = latest
		}
		return response, nil
	}
	if latest != nil {
		if err := o.delete(latest); err != nil {
			return kubernetes.DeleteResponse{}, err
		}
	}
	return kubernetes.DeleteResponse{Succeeded: true, Revision: o.revision}, nil
}

// keyValues are the operations on keys.
type keyValues struct {
	*memory
	clientv3.KV
}

func (k keyValues) Get(_ context.Context, key string, opts ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	found, err := k.read(selectionOf(clientv3.OpGet(key, opts...)))
	return (*clientv3.GetResponse)(found), err
}

// GetStream sends the whole range at once.
func (k keyValues) GetStream(_ context.Context, key string, opts ...clientv3.OpOption) (clientv3.GetStreamChan, error) {
	found, err := k.read(selectionOf(clientv3.OpGet(key, opts...)))
	if err != nil {
		return nil, err
	}
	stream := make(chan clientv3.RangeStreamResponse, 1)
	stream <- clientv3.RangeStreamResponse{RangeResponse: found}
	close(stream)
	return stream, nil
}

func (k keyValues) Put(_ context.Context, key, value string, _ ...clientv3.OpOption) (*clientv3.PutResponse, error) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	err := k.put(key, []byte(value), 0)
	return &clientv3.PutResponse{Header: k.header()}, err
}

func (k keyValues) Delete(_ context.Context, key string, _ ...clientv3.OpOption) (*clientv3.DeleteResponse, error) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	response := &clientv3.DeleteResponse{}
	if latest := k.latest(key); latest != nil {
		if err := k.delete(latest); err != nil {
			return nil, err
		}
		response.Deleted = 1
	}
	response.Header = k.header()
	return response, nil
}

func (k keyValues) Compact(_ context.Context, revision int64, _ ...clientv3.CompactOption) (*clientv3.CompactResponse, error) {
	if err := k.compact(revision); err != nil {
		return nil, err
	}
	return &clientv3.CompactResponse{}, nil
}

func (k keyValues) Txn(context.Context) clientv3.Txn { return &transaction{memory: k.memory} }

// A transaction compares, and then does one of two lists of operations.
type transaction struct {
	*memory
	conditions  []clientv3.Cmp
	then, other []clientv3.Op
}

func (t *transaction) If(conditions ...clientv3.Cmp) clientv3.Txn {
	t.conditions = append(t.conditions, conditions...)
	return t
}

func (t *transaction) Then(ops ...clientv3.Op) clientv3.Txn {
	t.then = append(t.then, ops...)
	return t
}

func (t *transaction) Else(ops ...clientv3.Op) clientv3.Txn {
	t.other = append(t.other, ops...)
	return t
}

func (t *transaction) Commit() (*clientv3.TxnResponse, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	response, ops := &clientv3.TxnResponse{Succeeded: true}, t.then
	for _, condition := range t.conditions {
		holds, err := t.matches(condition)
		if err != nil {
			return nil, err
		}
		if !holds {
			response.Succeeded, ops = false, t.other
		}
	}
	if len(ops) > 1 {
		// Each change has its own revision here; etcd has one for all changes of a transaction.
		return nil, errUnimplemented
	}
	for _, op := range ops {
		result, err := t.do(op)
		if err != nil {
			return nil, err
		}
		response.Responses = append(response.Responses, result)
	}
	response.Header = t.header()
	return response, nil
}

func (t *transaction) do(op clientv3.Op) (*pb.ResponseOp, error) {
	switch {
	case op.IsGet():
		found, err := t.readLocked(selectionOf(op))
		return &pb.ResponseOp{Response: &pb.ResponseOp_ResponseRange{ResponseRange: found}}, err
	case op.IsPut():
		err := t.put(string(op.KeyBytes()), op.ValueBytes(), 0)
		return &pb.ResponseOp{Response: &pb.ResponseOp_ResponsePut{ResponsePut: &pb.PutResponse{Header: t.header()}}}, err
	}
	return nil, errUnimplemented
}

type watcher struct{ *memory }

// Close closes the file of the store. The watches end with their contexts.
func (w watcher) Close() error {
	if w.file == nil {
		return nil
	}
	return w.file.Close()
}

// Watch sends the changes of a range until ctx ends. The changes of one revision are in one response.
func (w watcher) Watch(ctx context.Context, key string, opts ...clientv3.OpOption) clientv3.WatchChan {
	op := clientv3.OpGet(key, opts...)
	responses := make(chan clientv3.WatchResponse)
	from := op.Rev() - 1
	w.mutex.Lock()
	if op.Rev() == 0 {
		from = w.revision
	}
	progress := w.progress
	w.mutex.Unlock()
	go w.serve(ctx, op, from, progress, responses)
	return responses
}

func (w watcher) serve(ctx context.Context, op clientv3.Op, from, progress int64, responses chan<- clientv3.WatchResponse) {
	defer close(responses)
	s, previous := selectionOf(op), op.IsPrevKV()
	var tick <-chan time.Time
	if op.IsProgressNotify() {
		ticker := time.NewTicker(progressInterval)
		defer ticker.Stop()
		tick = ticker.C
	}
	isTick := false
	for {
		b := w.since(from, s, previous)
		response := clientv3.WatchResponse{Header: &pb.ResponseHeader{Revision: b.revision}, Events: b.events}
		if b.compacted != 0 {
			response.CompactRevision, response.Canceled = b.compacted, true
		}
		isDue := isTick || b.progress != progress
		from = b.revision
		if len(b.events) > 0 || response.Canceled {
			if !send(ctx, responses, response) || response.Canceled {
				return
			}
		}
		if isDue {
			progress = b.progress
			if !send(ctx, responses, clientv3.WatchResponse{Header: response.Header}) {
				return
			}
		}
		isTick = false
		select {
		case <-ctx.Done():
			return
		case <-b.changed:
		case <-tick:
			isTick = true
		}
	}
}

func send(ctx context.Context, responses chan<- clientv3.WatchResponse, response clientv3.WatchResponse) bool {
	select {
	case responses <- response:
		return true
	case <-ctx.Done():
		return false
	}
}

// RequestProgress lets each watch send its revision, after all changes up to it.
func (w watcher) RequestProgress(context.Context) error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.progress++
	w.wake()
	return nil
}

type leases struct {
	*memory
	clientv3.Lease
}

func (l leases) Grant(_ context.Context, ttl int64) (*clientv3.LeaseGrantResponse, error) {
	lease, err := l.grant(time.Duration(ttl) * time.Second)
	if err != nil {
		return nil, err
	}
	return &clientv3.LeaseGrantResponse{ID: lease, TTL: ttl}, nil
}

func (leases) Close() error { return nil }

type maintenance struct{ clientv3.Maintenance }

// Status returns the version.
func (maintenance) Status(context.Context, string) (*clientv3.StatusResponse, error) {
	return &clientv3.StatusResponse{Version: etcdVersion}, nil
}
