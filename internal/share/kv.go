//go:build js && wasm

package share

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/syumai/workers/cloudflare/kv"
)

// namespace is a store in a namespace of Cloudflare's Workers KV. A new value may
// be invisible at other locations for a minute. Ids are derived from values, so a
// location never returns a different value for an id.
//
// A value is stored as a string: a format version, the expiry in Unix seconds (0 for
// never), a line feed, and the value. This header distinguishes values from the
// string that the namespace returns for a missing key.
type namespace struct {
	kv *kv.Namespace
}

// OpenKV opens the namespace with this binding.
func OpenKV(binding string) (Store, error) {
	found, err := kv.NewNamespace(binding)
	if err != nil {
		return nil, fmt.Errorf("open the store: %w", err)
	}
	return namespace{found}, nil
}

// minLifetime is the shortest expiry that Workers KV accepts.
const minLifetime = 60 * time.Second

func (n namespace) Put(_ context.Context, id string, value []byte, expires time.Time) error {
	// Workers KV limits writes to one per second and key, but not reads.
	known, until, err := n.read(id)
	switch {
	case err == nil && later(until, expires).Equal(until):
		return nil
	case err == nil:
		value, expires = known, later(until, expires)
	case !errors.Is(err, ErrNotFound):
		return err
	}
	return n.write(id, value, expires)
}

func (n namespace) write(id string, value []byte, expires time.Time) error {
	expires = ceilSecond(expires)
	options := &kv.PutOptions{}
	stamp := int64(0)
	if !expires.IsZero() {
		stamp = expires.Unix()
		options.Expiration = int(max(stamp, time.Now().Add(minLifetime+time.Second).Unix()))
	}
	if err := n.kv.PutString(id, encodeKV(value, stamp), options); err != nil {
		return fmt.Errorf("store a scenario: %w", err)
	}
	return nil
}

func (n namespace) Get(_ context.Context, id string) ([]byte, time.Time, error) {
	value, expires, err := n.read(id)
	if err == nil && hasExpired(expires, time.Now()) {
		return nil, time.Time{}, ErrNotFound
	}
	return value, expires, err
}

// read returns a value even if it has expired.
func (n namespace) read(id string) ([]byte, time.Time, error) {
	stored, err := n.kv.GetString(id, nil)
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("read a scenario: %w", err)
	}
	return decodeKV(stored)
}

// Extend also gives an expiry to a value without one, because ExpireAll cannot.
func (n namespace) Extend(_ context.Context, id string, expires time.Time) error {
	value, until, err := n.read(id)
	switch {
	case errors.Is(err, ErrNotFound) || err == nil && !until.IsZero() && !until.Before(expires):
		return nil
	case err != nil:
		return err
	}
	return n.write(id, value, expires)
}

// ExpireAll does nothing: a Worker runs only while it handles a request, which is too
// short to visit all values.
func (namespace) ExpireAll(context.Context, time.Time) (int, error) { return 0, nil }

func (n namespace) Delete(_ context.Context, id string) error {
	if err := n.kv.Delete(id); err != nil {
		return fmt.Errorf("delete a scenario: %w", err)
	}
	return nil
}

// DeleteExpired does nothing, because Workers KV deletes expired values.
func (namespace) DeleteExpired(context.Context, time.Time) (int, error) { return 0, nil }

// Backup is not supported.
func (namespace) Backup(context.Context, func() io.Writer) error { return errors.ErrUnsupported }

func (namespace) Close() error { return nil }

func encodeKV(value []byte, stamp int64) string {
	return "1 " + strconv.FormatInt(stamp, 10) + "\n" + string(value)
}

// decodeKV decodes the result of encodeKV. For other strings it returns ErrNotFound.
func decodeKV(stored string) (value []byte, expires time.Time, err error) {
	head, body, _ := strings.Cut(stored, "\n")
	stamp, versioned := strings.CutPrefix(head, "1 ")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if !versioned || err != nil {
		return nil, time.Time{}, ErrNotFound
	}
	if seconds != 0 {
		expires = time.Unix(seconds, 0).UTC()
	}
	return []byte(body), expires, nil
}
