package main

import (
	"context"
	"fmt"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/migrations"
	"github.com/kith-crm/kith/internal/store/sqlite"
)

func migrate(ctx context.Context, c *invocation) error {
	status := c.flags.Bool("status", false, "only tell which steps the database has")
	distribute := c.flags.Bool("distribute", false, "make a Citus cluster of a PostgreSQL database that was one server's until now")
	c.jsonFlag()
	if err := c.parse(); err != nil {
		return err
	}
	if *status && *distribute {
		return c.misused("--status changes nothing, so it does not go with --distribute")
	}
	all, err := c.migrations(ctx, *status, *distribute)
	if err != nil {
		return err
	}
	type row struct {
		Number  int64  `json:"number"`
		Name    string `json:"name"`
		Applied bool   `json:"applied"`
	}
	rows, lines := []row{}, []string{}
	for _, m := range all {
		state := "pending"
		if m.Applied {
			state = "applied"
		}
		rows = append(rows, row{m.Number, m.Name, m.Applied})
		lines = append(lines, fmt.Sprintf("%04d %-8s %s", m.Number, state, m.Name))
	}
	return c.print(rows, lines...)
}

// migrations gives all steps and which of them the database has, after applying those that it lacks unless only asked, and making a
// cluster of it where told to.
func (c *invocation) migrations(ctx context.Context, onlyAsk, distribute bool) ([]migrations.Step, error) {
	if onlyAsk {
		if _, unmade := sqlite.NoFile(c.db); unmade {
			return store.Steps()
		}
	}
	s, err := store.Open(ctx, c.db, record.Registry)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if !onlyAsk {
		if _, err := s.Migrate(ctx); err != nil {
			return nil, err
		}
	}
	if distribute {
		if err := s.Distribute(ctx); err != nil {
			return nil, err
		}
	}
	return s.Migrations(ctx)
}
