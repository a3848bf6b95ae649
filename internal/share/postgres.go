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
	// retryTime limits retries of an operation while the database is unavailable,
	// for example during a restart.
	retryTime = 10 * time.Second
	// startRetryTime limits retries at startup, when the database may start later
	// than the server.
	startRetryTime = time.Minute
	// maxPause limits the delay between retries.
	maxPause = time.Second
)

// postgres is a store in a PostgreSQL database. Any number of processes can share it.
type postgres struct {
	pool *pgxpool.Pool
}

// OpenPostgres connects to the database at a URL such as
// postgres://user:password@host/database and applies pending migrations. It waits
// up to a minute for the database to start.
func OpenPostgres(ctx context.Context, url string) (Store, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("open the store: %w", err)
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = 5 * time.Second
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open the store: %w", err)
	}
	err = retry(ctx, startRetryTime, func(ctx context.Context) error { return migrate(ctx, pool) })
	if err != nil {
		pool.Close()
		return nil, fmt.Errorf("open the store: %w", err)
	}
	return &postgres{pool}, nil
}

func (p *postgres) Put(ctx context.Context, id string, value []byte, expires time.Time) error {
	// "Never" is stored as infinity, so the later expiry is always the greater value.
	const statement = `
		INSERT INTO crdlab_scenarios (id, value, expires) VALUES ($1, $2, coalesce($3::timestamptz, 'infinity'))
		ON CONFLICT (id) DO UPDATE SET expires = excluded.expires
		WHERE crdlab_scenarios.expires < excluded.expires`
	err := retry(ctx, retryTime, func(ctx context.Context) error {
		_, err := p.pool.Exec(ctx, statement, id, value, nullableTime(expires))
		return err
	})
	return databaseError("store a scenario", err)
}

func (p *postgres) Get(ctx context.Context, id string) (value []byte, expires time.Time, err error) {
	const query = `
		SELECT value, nullif(expires, 'infinity') FROM crdlab_scenarios
		WHERE id = $1 AND expires > $2`
	var until *time.Time
	err = retry(ctx, retryTime, func(ctx context.Context) error {
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

func (p *postgres) Delete(ctx context.Context, id string) error {
	err := retry(ctx, retryTime, func(ctx context.Context) error {
		_, err := p.pool.Exec(ctx, `DELETE FROM crdlab_scenarios WHERE id = $1`, id)
		return err
	})
	return databaseError("delete a scenario", err)
}

func (p *postgres) DeleteExpired(ctx context.Context, now time.Time) (int, error) {
	tag, err := p.pool.Exec(ctx, `DELETE FROM crdlab_scenarios WHERE expires <= $1`, now)
	return int(tag.RowsAffected()), databaseError("sweep the store", err)
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
// exceeds the time limit.
func retry(ctx context.Context, limit time.Duration, try func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
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
		case "57P01", "57P02", "57P03", "53300": // stopping, crashed, starting, too many clients
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
	var response *pgconn.PgError
	if errors.As(err, &response) && response.Code == "53100" {
		return fmt.Errorf("%s: %w: %w", operation, ErrFull, err)
	}
	return fmt.Errorf("%s: %w", operation, err)
}
