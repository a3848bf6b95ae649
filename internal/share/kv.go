//go:build js && wasm

package share

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/syumai/workers/cloudflare/kv"
)

// namespace is a store in a namespace of Cloudflare's Workers KV. What was put
// may be missed elsewhere for a minute; since ids come from the content, nobody
// ever reads something else.
//
// A value is stored as a text: a version, when it expires in Unix seconds (0
// for never), a line feed, and the value. The namespace has no words for a key
// that is not there that could not be a value, too.
type namespace struct {
	kv *kv.Namespace
}

// OpenKV opens the namespace that is bound to the Worker by the name.
func OpenKV(binding string) (Store, error) {
	found, err := kv.NewNamespace(binding)
	if err != nil {
		return nil, fmt.Errorf("open the store: %w", err)
	}
	return namespace{found}, nil
}

// minLifetime is the shortest time that the namespace keeps anything for.
const minLifetime = 60 * time.Second

func (n namespace) Put(_ context.Context, id string, value []byte, expires time.Time) error {
	// The namespace takes one write a second for each key, and reads are free.
	known, until, err := n.read(id)
	switch {
	case err == nil && later(until, expires).Equal(until):
		return nil
	case err == nil:
		value, expires = known, later(until, expires)
	case err != ErrNotFound:
		return err
	}
	expires = wholeSeconds(expires)
	options := &kv.PutOptions{}
	stamp := int64(0)
	if !expires.IsZero() {
		stamp = expires.Unix()
		options.Expiration = int(max(stamp, time.Now().Add(minLifetime+time.Second).Unix()))
	}
	if err := n.kv.PutString(id, pack(value, stamp), options); err != nil {
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

// read is a value whether or not it has expired.
func (n namespace) read(id string) ([]byte, time.Time, error) {
	text, err := n.kv.GetString(id, nil)
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("read a scenario: %w", err)
	}
	return unpack(text)
}

func (n namespace) Delete(_ context.Context, id string) error {
	if err := n.kv.Delete(id); err != nil {
		return fmt.Errorf("delete a scenario: %w", err)
	}
	return nil
}

// DeleteExpired does nothing: the namespace itself removes what has expired.
func (namespace) DeleteExpired(context.Context, time.Time) (int, error) { return 0, nil }

func (namespace) Close() error { return nil }

func pack(value []byte, stamp int64) string {
	return "1 " + strconv.FormatInt(stamp, 10) + "\n" + string(value)
}

// unpack reads what pack wrote; anything else is no value.
func unpack(text string) (value []byte, expires time.Time, err error) {
	head, body, _ := strings.Cut(text, "\n")
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
