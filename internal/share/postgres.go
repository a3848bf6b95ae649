//go:build !js

package share

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// operationTime limits an operation, including retries while the database restarts
	// and the time to wait for a connection.
	operationTime = 3 * time.Second
	// connectTime limits an attempt to connect and to apply migrations.
	connectTime = 30 * time.Second
	// sweepTime limits the operations on all values.
	sweepTime = 5 * time.Minute
	// maxPause limits the delay between retries.
	maxPause = 200 * time.Millisecond
	// linkOverhead is the size in bytes that counts for each link in addition to its value.
	linkOverhead = 256
)

// postgres is a store in a PostgreSQL database. Any number of processes can share it.
type postgres struct {
	pool *pgxpool.Pool
	// quota limits the size of all values in bytes. 0 means no limit.
	quota int64
}

// preparePostgres returns a function that connects to the database at a URL such as
// postgres://user:password@host/database and applies pending migrations.
func preparePostgres(url string, o Options) (opener, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("open the store: %w", err)
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = operationTime
	}
	return func(ctx context.Context) (Store, error) {
		ctx, cancel := context.WithTimeout(ctx, connectTime)
		defer cancel()
		pool, err := pgxpool.NewWithConfig(ctx, config.Copy())
		if err != nil {
			return nil, fmt.Errorf("open the store: %w", err)
		}
		if err := migrate(ctx, pool); err != nil {
			pool.Close()
			return nil, fmt.Errorf("open the store: %w", err)
		}
		return newBreaker(&postgres{pool, o.Quota}, o.Log), nil
	}, nil
}

// putStatement stores a value if the quota permits it, and reports whether it did. It
// locks the counter first, so concurrent statements count exactly. "Never" is stored as
// infinity, so the later expiry is always the greater value.
const putStatement = `
	WITH usage AS MATERIALIZED (
		SELECT bytes FROM crdlab_usage FOR UPDATE
	), room AS MATERIALIZED (
		SELECT $4::bigint = 0 OR bytes + $5::bigint <= $4::bigint OR EXISTS (SELECT FROM crdlab_scenarios WHERE id = $1) AS exists
		FROM usage
	), put AS (
		INSERT INTO crdlab_scenarios (id, value, expires)
		SELECT $1, $2, coalesce($3::timestamptz, 'infinity') FROM room WHERE room.exists
		ON CONFLICT (id) DO UPDATE SET expires = excluded.expires
		WHERE crdlab_scenarios.expires < excluded.expires
		RETURNING xmax = 0 AS is_new
	), counted AS (
		UPDATE crdlab_usage SET bytes = crdlab_usage.bytes + $5::bigint FROM put WHERE put.is_new
	)
	SELECT room.exists FROM room`

func (p *postgres) Put(ctx context.Context, id string, value []byte, expires time.Time) error {
	hasRoom := false
	err := retry(ctx, func(ctx context.Context) error {
		row := p.pool.QueryRow(ctx, putStatement, id, value, nullableTime(expires), p.quota, len(value)+linkOverhead)
		return row.Scan(&hasRoom)
	})
	if err == nil && !hasRoom {
		err = ErrFull
	}
	return databaseError("store a scenario", err)
}

func (p *postgres) Get(ctx context.Context, id string) (value []byte, expires time.Time, err error) {
	const query = `
		SELECT value, nullif(expires, 'infinity') FROM crdlab_scenarios
		WHERE id = $1 AND expires > $2`
	var until *time.Time
	err = retry(ctx, func(ctx context.Context) error {
		return p.pool.QueryRow(ctx, query, id, time.Now()).Scan(&value, &until)
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, time.Time{}, ErrNotFound
	case err != nil:
		return nil, time.Time{}, databaseError("read a scenario", err)
	case until != nil:
		expires = until.UTC()
	}
	return value, expires, nil
}

func (p *postgres) Extend(ctx context.Context, id string, expires time.Time) error {
	const statement = `
		UPDATE crdlab_scenarios SET expires = coalesce($2::timestamptz, 'infinity')
		WHERE id = $1 AND expires < coalesce($2::timestamptz, 'infinity')`
	err := retry(ctx, func(ctx context.Context) error {
		_, err := p.pool.Exec(ctx, statement, id, nullableTime(expires))
		return err
	})
	return databaseError("extend a link", err)
}

// deleteStatement deletes the values of a condition. It locks the counter first, in the
// same order as putStatement.
const deleteStatement = `
	WITH usage AS MATERIALIZED (
		SELECT bytes FROM crdlab_usage FOR UPDATE
	), deleted AS (
		DELETE FROM crdlab_scenarios USING usage WHERE %s
		RETURNING octet_length(value) + $2::bigint AS size
	), counted AS (
		UPDATE crdlab_usage SET bytes = crdlab_usage.bytes - (SELECT coalesce(sum(size), 0) FROM deleted)
		WHERE EXISTS (SELECT FROM deleted)
	)
	SELECT count(*) FROM deleted`

func (p *postgres) Delete(ctx context.Context, id string) error {
	err := retry(ctx, func(ctx context.Context) error {
		_, err := p.pool.Exec(ctx, fmt.Sprintf(deleteStatement, "id = $1"), id, linkOverhead)
		return err
	})
	return databaseError("delete a scenario", err)
}

func (p *postgres) DeleteExpired(ctx context.Context, now time.Time) (removed int, err error) {
	ctx, cancel := context.WithTimeout(ctx, sweepTime)
	defer cancel()
	err = p.pool.QueryRow(ctx, fmt.Sprintf(deleteStatement, "expires <= $1"), now, linkOverhead).Scan(&removed)
	return removed, databaseError("sweep the store", err)
}

func (p *postgres) ExpireAll(ctx context.Context, expires time.Time) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, sweepTime)
	defer cancel()
	tag, err := p.pool.Exec(ctx, `UPDATE crdlab_scenarios SET expires = $1 WHERE expires = 'infinity'`, ceilSecond(expires))
	return int(tag.RowsAffected()), databaseError("limit the lifetime of links", err)
}

// Backup is not supported: use pg_dump.
func (p *postgres) Backup(context.Context, func() io.Writer) error {
	return errors.ErrUnsupported
}

func (p *postgres) Close() error {
	p.pool.Close()
	return nil
}

// nullableTime returns a time as a query parameter, which is NULL for the zero time.
func nullableTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = ceilSecond(t)
	return &t
}

// retry repeats an idempotent operation until it succeeds, fails permanently, or
// exceeds operationTime.
func retry(ctx context.Context, try func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, operationTime)
	defer cancel()
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, maxPause) {
		err := try(ctx)
		if err == nil || !isTransient(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// isTransient reports whether an error means that the database is temporarily unavailable.
func isTransient(err error) bool {
	if response, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch response.Code {
		case "57P01", "57P02", "57P03", "53300", "40P01": // stopping, crashed, starting, too many clients, deadlock
			return true
		}
		return len(response.Code) == 5 && response.Code[:2] == "08"
	}
	var (
		connect *pgconn.ConnectError
		network net.Error
	)
	return errors.As(err, &connect) || errors.As(err, &network) || pgconn.SafeToRetry(err) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed)
}

// databaseError wraps an error of the database with the failed operation.
func databaseError(operation string, err error) error {
	if err == nil {
		return nil
	}
	if response, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch response.Code {
		case "53100": // disk full
			return fmt.Errorf("%s: %w: %w", operation, ErrFull, err)
		case "25006": // read-only transaction
			return fmt.Errorf("%s: %w: %w", operation, ErrReadOnly, err)
		}
	}
	return fmt.Errorf("%s: %w", operation, err)
}
