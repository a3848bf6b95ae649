//go:build !js

package share

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

func (p *postgres) Links(ctx context.Context, yield func(Link) error) error {
	const query = `
		SELECT id, value, nullif(expires, 'infinity') FROM crdlab_scenarios
		WHERE expires > $1 ORDER BY id COLLATE "C"`
	rows, err := p.pool.Query(ctx, query, time.Now())
	if err != nil {
		return databaseError("read the links", err)
	}
	var (
		id      string
		value   []byte
		expires *time.Time
	)
	_, err = pgx.ForEachRow(rows, []any{&id, &value, &expires}, func() error {
		link := Link{ID: id, Value: string(value)}
		if expires != nil {
			link.Expires = expires.UTC()
		}
		return yield(link)
	})
	return databaseError("read the links", err)
}

func (p *postgres) PutAll(ctx context.Context, links []Link) error {
	ctx, cancel := context.WithTimeout(ctx, sweepTime)
	defer cancel()
	err := pgx.BeginFunc(ctx, p.pool, func(tx pgx.Tx) error {
		batch := &pgx.Batch{}
		for _, link := range links {
			value := []byte(link.Value)
			batch.Queue(putStatement, link.ID, value, nullableTime(link.Expires), p.quota, len(value)+linkOverhead).
				QueryRow(func(row pgx.Row) error {
					hasRoom := false
					if err := row.Scan(&hasRoom); err != nil {
						return err
					}
					if !hasRoom {
						return ErrFull
					}
					return nil
				})
		}
		return tx.SendBatch(ctx, batch).Close()
	})
	return databaseError("store links", err)
}
