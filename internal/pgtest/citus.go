package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Where the server to test on is the coordinator of a Citus cluster, a database is one on all of its machines.

// testShards is how many parts the tables of a test's database have: enough that
// every worker has several, and few enough to be made quickly.
const testShards = 4

// Cluster tells whether the server to test on is a cluster. What is asked of
// one machine's planner or tables in parts cannot be asked there.
func Cluster(tb testing.TB) bool {
	tb.Helper()
	return len(Machines(tb)) > 1
}

// Machines gives the URLs of the machines of the cluster, the coordinator first.
func Machines(tb testing.TB) []string {
	tb.Helper()
	all, err := machines(URL(tb))
	if err != nil {
		tb.Fatalf("pgtest: %v", err)
	}
	return all
}

// NewAlone makes a bare database of one machine, and gives what makes a cluster of it. It is for tests on a cluster.
func NewAlone(tb testing.TB) (address string, join func() error) {
	tb.Helper()
	server, name := URL(tb), newName("kith_alone")
	address = newDatabase(tb, server, name, "template0")
	return address, func() error { return form(server, name) }
}

// machines gives the URL of the server and, behind it, those of its workers.
func machines(server string) ([]string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), stepTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx)
	all := []string{server}
	citus := false
	if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')").Scan(&citus); err != nil || !citus {
		return all, err
	}
	rows, err := conn.Query(ctx, "SELECT nodename || ':' || nodeport FROM pg_dist_node WHERE groupid <> 0 ORDER BY nodeid")
	if err != nil {
		return nil, err
	}
	workers, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for _, worker := range workers {
		parsed, err := url.Parse(server)
		if err != nil {
			return nil, errors.New(variable + " must be a URL")
		}
		parsed.Host = worker
		all = append(all, parsed.String())
	}
	return all, err
}

// form makes a cluster of the databases of one name, where there are several.
func form(server, name string) error {
	all, err := machines(server)
	if err != nil || len(all) == 1 {
		return err
	}
	for _, machine := range all {
		address, err := withDatabase(machine, name)
		if err != nil {
			return err
		}
		for _, extension := range []string{"citus", "pg_trgm", "btree_gin"} {
			if err := execute(address, "CREATE EXTENSION IF NOT EXISTS "+extension); err != nil {
				return err
			}
		}
	}
	if err := execute(server, fmt.Sprintf("ALTER DATABASE %s SET citus.shard_count = %d", quote(name), testShards)); err != nil {
		return err
	}
	coordinator, err := withDatabase(server, name)
	for i := 0; i < len(all) && err == nil; i++ {
		var host, port string
		if host, port, err = address(all[i]); err != nil {
			break
		}
		join := "citus_add_node"
		if i == 0 {
			join = "citus_set_coordinator_host"
		}
		err = execute(coordinator, fmt.Sprintf("SELECT %s(%s, %s)", join, literal(host), port))
	}
	return err
}

// address splits a URL into host and port.
func address(server string) (host, port string, err error) {
	config, err := pgx.ParseConfig(server)
	if err != nil {
		return "", "", err
	}
	return config.Host, strconv.Itoa(int(config.Port)), nil
}

// seal lets nobody into the databases of a cluster that others are copied from:
// Citus would keep connections to them open, and then they cannot be copied.
func seal(server, name string) error {
	all, err := machines(server)
	if err != nil || len(all) == 1 {
		return err
	}
	return onEach(server, func(machine string) error {
		if err := execute(machine, "ALTER DATABASE "+quote(name)+" ALLOW_CONNECTIONS false"); err != nil {
			return err
		}
		return execute(machine, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = "+literal(name))
	})
}

// onEach does something on the server and on its workers, side by side.
func onEach(server string, do func(machine string) error) error {
	all, err := machines(server)
	if err != nil {
		return err
	}
	done := make(chan error)
	for _, machine := range all {
		go func() { done <- do(machine) }()
	}
	for range all {
		err = errors.Join(err, <-done)
	}
	return err
}
