//go:build !js

package share

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// migrations holds the SQL migrations. Each runs once, in the order of the file
// names. A released migration must never change.
//
//go:embed migrations/*.sql
var migrations embed.FS

// migrationLock is the key of the advisory lock that serializes migrations.
const migrationLock = 0x63_72_64_6c_61_62

// undefinedTable is PostgreSQL's error code for a missing table.
const undefinedTable = "42P01"

// migrate applies all pending migrations in one transaction. An advisory lock
// serializes processes that start concurrently. Without a pending migration, it writes
// nothing, so the database may be read-only.
func migrate(ctx context.Context, pool *pgxpool.Pool) error {
	if isCurrent, err := isMigrated(ctx, pool); err != nil || isCurrent {
		return err
	}
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		// A transaction-level lock also works through connection poolers.
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(migrationLock)); err != nil {
			return fmt.Errorf("lock the migrations: %w", err)
		}
		if _, err := tx.Exec(ctx, `CREATE TABLE IF NOT EXISTS crdlab_migrations (name text PRIMARY KEY)`); err != nil {
			return fmt.Errorf("create the migrations table: %w", err)
		}
		names, err := fs.Glob(migrations, "migrations/*.sql")
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := applyMigration(ctx, tx, name); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return nil
	})
}

// isMigrated reports whether the database has all migrations.
func isMigrated(ctx context.Context, pool *pgxpool.Pool) (bool, error) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return false, err
	}
	var applied int
	err = pool.QueryRow(ctx, `SELECT count(*) FROM crdlab_migrations WHERE name = ANY($1)`, names).Scan(&applied)
	if response, ok := errors.AsType[*pgconn.PgError](err); ok && response.Code == undefinedTable {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read the migrations: %w", err)
	}
	return applied == len(names), nil
}

func applyMigration(ctx context.Context, tx pgx.Tx, name string) error {
	done, err := tx.Exec(ctx, `INSERT INTO crdlab_migrations (name) VALUES ($1) ON CONFLICT DO NOTHING`, name)
	if err != nil || done.RowsAffected() == 0 {
		return err
	}
	statements, err := migrations.ReadFile(name)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, string(statements))
	return err
}
