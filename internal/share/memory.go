package share

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"
)

// memoryLimit limits the total size in bytes of the values in a memory store.
const memoryLimit = 256 << 20

// memory is a store in the memory of the process.
type memory struct {
	mu     sync.RWMutex
	values map[string]memoryValue
	size   int
	limit  int
}

type memoryValue struct {
	value   []byte
	expires time.Time
}

// NewMemory returns a store whose values are lost when the process ends.
func NewMemory() Store { return newMemory(memoryLimit) }

func newMemory(limit int) *memory {
	return &memory{values: map[string]memoryValue{}, limit: limit}
}

func (m *memory) Put(_ context.Context, id string, value []byte, expires time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	expires = ceilSecond(expires)
	if known, ok := m.values[id]; ok {
		known.expires = later(known.expires, expires)
		m.values[id] = known
		return nil
	}
	if m.size+len(value) > m.limit {
		return ErrFull
	}
	m.size += len(value)
	m.values[id] = memoryValue{append([]byte(nil), value...), expires}
	return nil
}

func (m *memory) Get(_ context.Context, id string) ([]byte, time.Time, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	known, ok := m.values[id]
	if !ok || hasExpired(known.expires, time.Now()) {
		return nil, time.Time{}, ErrNotFound
	}
	return append([]byte(nil), known.value...), known.expires, nil
}

func (m *memory) Extend(_ context.Context, id string, expires time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if known, ok := m.values[id]; ok {
		known.expires = later(known.expires, ceilSecond(expires))
		m.values[id] = known
	}
	return nil
}

func (m *memory) ExpireAll(_ context.Context, expires time.Time) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	changed := 0
	for id, known := range m.values {
		if known.expires.IsZero() {
			known.expires = ceilSecond(expires)
			m.values[id] = known
			changed++
		}
	}
	return changed, nil
}

func (m *memory) Delete(_ context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.remove(id)
	return nil
}

func (m *memory) DeleteExpired(_ context.Context, now time.Time) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	before := len(m.values)
	for id, known := range m.values {
		if hasExpired(known.expires, now) {
			m.remove(id)
		}
	}
	return before - len(m.values), nil
}

func (m *memory) remove(id string) {
	m.size -= len(m.values[id].value)
	delete(m.values, id)
}

// Backup is not supported.
func (m *memory) Backup(context.Context, func() io.Writer) error { return errors.ErrUnsupported }

func (m *memory) Close() error { return nil }
