//go:build !js

package share

import (
	"context"
	"time"

	bolt "go.etcd.io/bbolt"
)

func (f *file) Links(ctx context.Context, yield func(Link) error) error {
	now := time.Now()
	return f.guard("read the links", func() error {
		return f.db.View(func(tx *bolt.Tx) error {
			return tx.Bucket(valuesBucket).ForEach(func(id, record []byte) error {
				if err := ctx.Err(); err != nil {
					return err
				}
				until := expiryOf(tx, id, record)
				if hasExpired(until, now) {
					return nil
				}
				return yield(Link{string(id), until, string(record[stampSize:])})
			})
		})
	})
}

func (f *file) PutAll(ctx context.Context, links []Link) error {
	return f.guard("store links", func() error {
		return f.update(0, func(tx *bolt.Tx) error {
			for _, link := range links {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := f.put(tx, link.ID, []byte(link.Value), link.Expires); err != nil {
					return err
				}
			}
			return nil
		})
	})
}
