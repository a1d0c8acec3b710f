// Command database makes and drops a PostgreSQL database on the server that KITH_TEST_POSTGRES names. It prints the new one's address.
//
//	database create NAME
//	database drop NAME
package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"

	"github.com/jackc/pgx/v5"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: database create|drop NAME")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "database:", err)
		os.Exit(1)
	}
}

func run(what, name string) error {
	ctx := context.Background()
	server := os.Getenv("KITH_TEST_POSTGRES")
	address, err := url.Parse(server)
	if err != nil {
		return errors.New("KITH_TEST_POSTGRES must be a URL such as postgres://user@127.0.0.1:5432/postgres")
	}
	c, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	quoted := pgx.Identifier{name}.Sanitize()
	if what == "drop" {
		_, err = c.Exec(ctx, "DROP DATABASE IF EXISTS "+quoted+" WITH (FORCE)")
		return err
	}
	if _, err = c.Exec(ctx, "CREATE DATABASE "+quoted+" TEMPLATE template0"); err != nil {
		return err
	}
	address.Path = "/" + name
	fmt.Println(address)
	return nil
}
