package store

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// What works in the background looks through all businesses for something to do. In a cluster such a look asks each machine once, whatever
// the number of shards, and each by itself: what is to be done on the others is found also while one is gone.

// acrossTime is how long a machine may take to tell what there is to do on it.
const acrossTime = 5 * time.Second

// across reads the rows of a lookup. Where some machines of a cluster cannot be asked, it gives the rows of the others, and an error.
func (s *Store) across(ctx context.Context, l engine.Lookup, each func(engine.Row) error) error {
	machines := s.engine.PerMachine(l)
	if machines == nil {
		return s.engine.Read(ctx, engine.Share{}, func(c engine.Conn) error { return c.Query(ctx, l.Whole(), l.Args, each) })
	}
	found, failed := make([][]engine.Row, len(machines)), make([]error, len(machines))
	var asking sync.WaitGroup
	for i, m := range machines {
		asking.Go(func() { found[i], failed[i] = s.askMachine(ctx, m) })
	}
	asking.Wait()
	for _, r := range slices.Concat(found...) {
		if err := each(r); err != nil {
			return err
		}
	}
	return errors.Join(failed...)
}

func (s *Store) askMachine(ctx context.Context, m engine.MachineLookup) (all []engine.Row, err error) {
	ctx, cancel := context.WithTimeout(ctx, acrossTime)
	defer cancel()
	err = s.engine.Read(ctx, engine.Share{Business: m.Business}, func(c engine.Conn) error {
		all = nil
		return c.Query(ctx, m.SQL, m.Args, func(r engine.Row) error {
			some, err := m.Rows(r)
			all = append(all, some...)
			return err
		})
	})
	return all, err
}

// businessesAcross lists those that a condition on t chooses.
func (s *Store) businessesAcross(ctx context.Context, where string) ([]Tenant, error) {
	return s.tenantsAcross(ctx, engine.Lookup{SQL: "SELECT t.id, t.business_id FROM {business} t WHERE " + where, Order: " ORDER BY 1"},
		nil)
}

// tenantsAcross lists the businesses that a lookup finds: its first columns are their ids and keys. The others are read by each, where it
// is given.
func (s *Store) tenantsAcross(ctx context.Context, l engine.Lookup, each func(Tenant, engine.Row)) (all []Tenant, err error) {
	l.Kinds = append([]schema.Kind{schema.ID, engine.KindTenant}, l.Kinds...)
	err = s.across(ctx, l, func(r engine.Row) error {
		id := r.Value(0, schema.ID).UUID()
		t := Tenant{s: s, id: id, key: s.engine.TenantKey(id, r.Value(1, engine.KindTenant).N)}
		if all = append(all, t); each != nil {
			each(t, r)
		}
		return nil
	})
	return slices.Clip(all), err
}
