// Command newmigration is for developers: after a declaration changed, it compares the declarations with what all migrations so far make,
// and writes the next numbered file for both engines, to be read and committed.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/store"
)

func main() {
	if len(os.Args) != 2 || strings.Trim(os.Args[1], "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
		fmt.Fprintln(os.Stderr, "usage: go run ./cmd/newmigration NAME   (lower-case letters, digits and underscores; run it in the "+
			"project's root)")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "newmigration:", err)
		os.Exit(1)
	}
}

func run(name string) error {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "newmigration")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := store.Open(ctx, "sqlite:"+filepath.Join(dir, "so-far.db"), crm.Registry)
	if err != nil {
		return err
	}
	defer s.Close()
	if _, err := s.Migrate(ctx); err != nil {
		return err
	}
	all, err := s.Migrations(ctx)
	if err != nil {
		return err
	}
	columns, indexes, err := s.Layout(ctx)
	if err != nil {
		return err
	}
	for _, layout := range []map[string][]string{columns, indexes} {
		for table, lines := range layout {
			for i, line := range lines {
				layout[table][i], _, _ = strings.Cut(line, " ")
			}
		}
	}
	number := int64(1)
	if len(all) > 0 {
		number = all[len(all)-1].Number + 1
	}
	for _, engine := range []string{"sqlite", "postgres"} {
		statements := store.Evolve(crm.Registry, engine, columns, indexes)
		if len(statements) == 0 {
			fmt.Println("the migrations already make what is declared")
			return nil
		}
		file := filepath.Join("internal", "store", "migrations", engine, fmt.Sprintf("%04d_%s.sql", number, name))
		if err := os.WriteFile(file, []byte(strings.Join(statements, ";\n\n")+";\n"), 0o644); err != nil {
			return err
		}
		fmt.Println("wrote", file)
	}
	return nil
}
