package store

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// Settings are what the database has for all businesses and servers together: a value under a name.

// Claim keeps a value for the whole database under a name that is free, and tells whether it was: of two transactions that claim the
// same name, one does.
func (o Outside) Claim(name string, value []byte) (bool, error) {
	n, err := o.Exec(room.SQL("INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
		room.Text(name), schema.Value{Kind: room.Bytes, Set: true, S: string(value)}))
	return n > 0, err
}

// Claimed gives the value that is kept under a name, or ErrNotFound.
func (s *Store) Claimed(ctx context.Context, name string) (value []byte, err error) {
	err = s.engine.Read(ctx, engine.Share{}, func(c engine.Conn) error {
		return c.Query(ctx, "SELECT value FROM setting WHERE name = "+s.engine.Mark(1),
			[]schema.Value{schema.TextValue(schema.Text, name)}, func(r engine.Row) error {
				value = slices.Clone([]byte(r.Value(0, engine.KindBytes).S))
				return nil
			})
	})
	if err == nil && value == nil {
		err = ErrNotFound
	}
	return value, err
}

// set keeps a setting.
func (s *Store) set(ctx context.Context, name, value string) error {
	m := s.engine.Mark
	sql := "INSERT INTO setting (name, value) VALUES (" + m(1) + ", " + m(2) + ") ON CONFLICT (name) DO UPDATE SET value = excluded.value"
	return s.engine.Write(ctx, engine.Share{}, func(c engine.Conn) error {
		_, err := c.Exec(ctx, sql, []schema.Value{text(name), {Kind: engine.KindBytes, Set: true, S: value}})
		return err
	})
}

// Secret gives a random key that all servers of one database share, made at first use.
func (s *Store) Secret(ctx context.Context, name string) ([]byte, error) {
	key, err := s.Claimed(ctx, name)
	if !errors.Is(err, ErrNotFound) {
		return key, err
	}
	fresh := make([]byte, 32)
	if _, err := rand.Read(fresh); err != nil {
		return nil, err
	}
	err = s.engine.Write(ctx, engine.Share{}, func(c engine.Conn) error {
		_, err := Outside{s, ctx, c}.Claim(name, fresh)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.Claimed(ctx, name) // another server may have been quicker
}
