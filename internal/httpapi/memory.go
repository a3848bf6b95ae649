package httpapi

import (
	"errors"
	"net/netip"
	"sync"
)

var (
	errClientMemory = errors.New("the client's requests occupy all memory that one client gets")
	errMemory       = errors.New("the requests of all clients occupy the available memory")
)

// memoryLimits limits the memory in bytes that documents of one kind may occupy
// together, such as the bodies of all open requests.
type memoryLimits struct {
	// large limits the documents above maxSmall, and small the others. Small
	// documents therefore find memory when large ones occupy theirs.
	large, small int64
	// client limits the documents of one client.
	client int64
}

// maxSmall is the size in bytes of the largest document in the reserve for small ones.
const maxSmall = 64 << 10

// memoryBudget assigns memory to documents while they are received or sent.
type memoryBudget struct {
	limits memoryLimits

	mu           sync.Mutex
	large, small int64 // bytes in use
	clients      map[netip.Prefix]int64
}

func newMemoryBudget(limits memoryLimits) *memoryBudget {
	return &memoryBudget{limits: limits, clients: map[netip.Prefix]int64{}}
}

// reservation is the memory of one document.
type reservation struct {
	budget *memoryBudget
	client netip.Prefix
	bytes  int64
}

func (b *memoryBudget) reserve(client netip.Prefix) *reservation {
	return &reservation{budget: b, client: client}
}

// grow adds n bytes to the document. It fails with errClientMemory or errMemory, and
// then changes nothing.
func (d *reservation) grow(n int64) error {
	b := d.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.clients[d.client]+n > b.limits.client {
		return errClientMemory
	}
	large, small := b.large, b.small
	*b.pool(d.bytes, &large, &small) -= d.bytes
	*b.pool(d.bytes+n, &large, &small) += d.bytes + n
	if large > max(b.limits.large, b.large) || small > max(b.limits.small, b.small) {
		return errMemory
	}
	b.large, b.small = large, small
	d.bytes += n
	b.clients[d.client] += n
	return nil
}

// pool selects the counter for a document of a size.
func (*memoryBudget) pool(size int64, large, small *int64) *int64 {
	if size > maxSmall {
		return large
	}
	return small
}

// release returns all bytes of the document to the budget.
func (d *reservation) release() {
	b := d.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	*b.pool(d.bytes, &b.large, &b.small) -= d.bytes
	if b.clients[d.client] -= d.bytes; b.clients[d.client] == 0 {
		delete(b.clients, d.client)
	}
	d.bytes = 0
}
