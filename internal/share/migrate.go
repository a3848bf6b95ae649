//go:build !js

package share

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// The migrations run in the order of their names, each once. A released one
// never changes.
//
//go:embed migrations/*.sql
var migrations embed.FS

// migrationLock is the number that the processes of one database agree on.
const migrationLock = 0x63_72_64_6c_61_62

// migrate brings the tables up to date. Processes that start together wait for
// each other; a migration that fails leaves nothing behind.
func migrate(ctx context.Context, pool *pgxpool.Pool) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		// The lock ends with the transaction, and works through poolers, too.
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(migrationLock)); err != nil {
			return fmt.Errorf("lock the tables' versions: %w", err)
		}
		if _, err := tx.Exec(ctx, `CREATE TABLE IF NOT EXISTS crdlab_migrations (name text PRIMARY KEY)`); err != nil {
			return fmt.Errorf("read the tables' version: %w", err)
		}
		names, err := fs.Glob(migrations, "migrations/*.sql")
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := migrateOnce(ctx, tx, name); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return nil
	})
}

func migrateOnce(ctx context.Context, tx pgx.Tx, name string) error {
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
