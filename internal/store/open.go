package store

import (
	"context"
	"errors"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/internal/room"
	"github.com/kith-crm/kith/internal/store/migrations"
	"github.com/kith-crm/kith/internal/store/search"
)

// Open connects to sqlite:PATH or postgres://… without changing anything in it.
func Open(ctx context.Context, url string, reg *schema.Registry) (*Store, error) {
	e, planner, err := openEngine(ctx, url)
	if err != nil {
		return nil, err
	}
	s := &Store{
		reg: reg, now: time.Now, role: reg.Resource("user").Must("role_id"),
		rekeyBatch: defaultRekeyBatch, leaving: defaultLeaving, turns: room.Memory[schema.UUID, *turnMemory]{Most: rememberedBusinesses},
	}
	s.engine = classed{e, &s.corruption}
	steps, err := migrations.Of(e.Name())
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	s.layout = steps[len(steps)-1].Number
	s.search = search.New(s.engine, planner, reg, s.wholeSQL("t"))
	if reg.Audit != nil {
		schema.Bind(&reg.Audit.Shape, &s.audit)
	}
	return s, nil
}

// OpenTemporary opens a database of the same resources that is made for a moment, in a folder that goes with it.
func (s *Store) OpenTemporary(ctx context.Context, folder string) (*Store, error) {
	return Open(ctx, temporary(folder), s.reg)
}
