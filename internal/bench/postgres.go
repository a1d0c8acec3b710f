package bench

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// newDatabase makes a database in a PostgreSQL server and gives its URL, and what drops it.
func newDatabase(ctx context.Context, server string) (address string, drop func(), err error) {
	parsed, err := url.Parse(server)
	if err != nil || parsed.Scheme != "postgres" && parsed.Scheme != "postgresql" {
		// not repeated: it may have a password in it
		return "", nil, errors.New("the PostgreSQL server must be a URL such as postgres://USER:PASSWORD@HOST/postgres")
	}
	name := "kith_bench_" + strings.ToLower(rand.Text())
	if err := runOn(ctx, server, "CREATE DATABASE "+name+" ENCODING 'UTF8' TEMPLATE template0"); err != nil {
		return "", nil, fmt.Errorf("make a database: %w", err)
	}
	parsed.Path = "/" + name
	return parsed.String(), func() {
		// Also when the run was interrupted: its context is done then.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
		defer cancel()
		_ = runOn(ctx, server, "DROP DATABASE "+name+" WITH (FORCE)")
	}, nil
}

func runOn(ctx context.Context, server, statement string) error {
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, statement)
	return errors.Join(err, conn.Close(ctx))
}

// timeout bounds one step of the benchmark that should take a moment.
const timeout = 5 * time.Minute
