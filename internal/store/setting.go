package store

import (
	"context"
	"crypto/rand"
	"errors"

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

// claim is a transaction of its own that claims.
func (s *Store) claim(ctx context.Context, name string, value []byte) error {
	return s.engine.Write(ctx, engine.Share{}, func(c engine.Conn) error {
		_, err := Outside{s, ctx, c}.Claim(name, value)
		return err
	})
}

// outside runs a statement that is held to no business, for as long as it takes.
func (s *Store) outside(ctx context.Context, sql string, args ...schema.Value) error {
	return s.engine.Write(ctx, engine.Share{}, func(c engine.Conn) error {
		_, err := c.Exec(ctx, s.render(sql), args)
		return err
	})
}

// Claimed gives the value that is kept under a name, or ErrNotFound.
func (s *Store) Claimed(ctx context.Context, name string) (value []byte, err error) {
	err = s.engine.Read(ctx, engine.Share{}, func(c engine.Conn) error {
		return Outside{s, ctx, c}.Query(room.SQL("SELECT value FROM setting WHERE name = ?", text(name)),
			room.Into(&value, func(r room.Row) []byte { return []byte(r.Value(0, room.Bytes).S) }))
	})
	if err == nil && value == nil {
		err = ErrNotFound
	}
	return value, err
}

// set keeps a setting.
func (s *Store) set(ctx context.Context, name, value string) error {
	return s.outside(ctx, "INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
		text(name), schema.Value{Kind: room.Bytes, Set: true, S: value})
}

// Secret gives a random key that all servers of one database share, made at first use.
func (s *Store) Secret(ctx context.Context, name string) ([]byte, error) {
	key, err := s.Claimed(ctx, name)
	if !errors.Is(err, ErrNotFound) {
		return key, err
	}
	fresh := make([]byte, 32)
	rand.Read(fresh)
	if err := s.claim(ctx, name, fresh); err != nil {
		return nil, err
	}
	return s.Claimed(ctx, name) // another server may have been quicker
}
