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
	// patience is how long an operation is tried again while the database is
	// away, as it is for a few seconds when it restarts.
	patience = 10 * time.Second
	// startPatience is the same when the program starts, perhaps before the
	// database does.
	startPatience = time.Minute
	// pauseAtMost is the longest time between two tries.
	pauseAtMost = time.Second
)

// postgres is a store in a PostgreSQL database, for any number of processes.
type postgres struct {
	pool *pgxpool.Pool
}

// OpenPostgres connects to the database at a URL such as
// postgres://user:password@host/database and brings its tables up to date.
// While the database is not there yet it waits, up to a minute.
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
	err = persist(ctx, startPatience, func(ctx context.Context) error { return migrate(ctx, pool) })
	if err != nil {
		pool.Close()
		return nil, fmt.Errorf("open the store: %w", err)
	}
	return &postgres{pool}, nil
}

func (p *postgres) Put(ctx context.Context, id string, value []byte, expires time.Time) error {
	// Never is stored as infinity, so that the later time is the greater one.
	const statement = `
		INSERT INTO crdlab_scenarios (id, value, expires) VALUES ($1, $2, coalesce($3::timestamptz, 'infinity'))
		ON CONFLICT (id) DO UPDATE SET expires = excluded.expires
		WHERE crdlab_scenarios.expires < excluded.expires`
	err := persist(ctx, patience, func(ctx context.Context) error {
		_, err := p.pool.Exec(ctx, statement, id, value, optional(expires))
		return err
	})
	return databaseError("store a scenario", err)
}

func (p *postgres) Get(ctx context.Context, id string) (value []byte, expires time.Time, err error) {
	const query = `
		SELECT value, nullif(expires, 'infinity') FROM crdlab_scenarios
		WHERE id = $1 AND expires > $2`
	var until *time.Time
	err = persist(ctx, patience, func(ctx context.Context) error {
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
	err := persist(ctx, patience, func(ctx context.Context) error {
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

// optional is a time as a parameter: NULL for the zero time.
func optional(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = wholeSeconds(t)
	return &t
}

// persist repeats what can be repeated without harm until it succeeds, fails
// for a reason that waiting does not mend, or the time is up.
func persist(ctx context.Context, limit time.Duration, try func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, pauseAtMost) {
		err := try(ctx)
		if err == nil || !isAway(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// isAway reports whether an error says that the database cannot be reached now
// but may be soon.
func isAway(err error) bool {
	if answer, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch answer.Code {
		case "57P01", "57P02", "57P03", "53300": // stopping, crashed, starting, too many clients
			return true
		}
		return len(answer.Code) == 5 && answer.Code[:2] == "08"
	}
	var (
		connect *pgconn.ConnectError
		network net.Error
	)
	return errors.As(err, &connect) || errors.As(err, &network) || pgconn.SafeToRetry(err) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed)
}

// databaseError adds what was to be done to an error of the database.
func databaseError(doing string, err error) error {
	if err == nil {
		return nil
	}
	var answer *pgconn.PgError
	if errors.As(err, &answer) && answer.Code == "53100" {
		return fmt.Errorf("%s: %w: %w", doing, ErrFull, err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}
