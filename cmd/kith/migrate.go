package main

import (
	"context"
	"fmt"

	"kith/internal/crm"
	"kith/internal/store"
)

func migrate(ctx context.Context, c *invocation) error {
	status := c.flags.Bool("status", false, "only tell which steps the database has")
	c.jsonFlag()
	if err := c.parse(); err != nil {
		return err
	}
	all, err := c.migrations(ctx, *status)
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

// migrations gives all steps and which of them the database has, after applying those that it lacks unless only asked.
func (c *invocation) migrations(ctx context.Context, onlyAsk bool) ([]store.Migration, error) {
	if onlyAsk {
		if _, unmade := store.NoFile(c.db); unmade {
			return store.Steps()
		}
	}
	s, err := store.Open(ctx, c.db, crm.Registry)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if !onlyAsk {
		if _, err := s.Migrate(ctx); err != nil {
			return nil, err
		}
	}
	return s.Migrations(ctx)
}
