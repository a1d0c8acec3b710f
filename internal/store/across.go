package store

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/kith-crm/kith/internal/schema"
)

// What works in the background looks through all businesses for something to do. In a cluster such a look asks each machine once, whatever
// the number of shards, and each by itself: what is to be done on the others is found also while one is gone.

// acrossTime is how long a machine may take to tell what there is to do on it.
const acrossTime = 5 * time.Second

// across reads the rows of a lookup. Where some machines of a cluster cannot be asked, it gives the rows of the others, and an error.
func (s *Store) across(ctx context.Context, l lookup, each func(row) error) error {
	machines := s.engine.perMachine(l)
	if machines == nil {
		return s.engine.read(ctx, share{}, func(c conn) error { return c.query(ctx, l.whole(), l.args, each) })
	}
	found, failed := make([][]row, len(machines)), make([]error, len(machines))
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

func (s *Store) askMachine(ctx context.Context, m machineLookup) (all []row, err error) {
	ctx, cancel := context.WithTimeout(ctx, acrossTime)
	defer cancel()
	err = s.engine.read(ctx, share{business: m.business}, func(c conn) error {
		all = nil
		return c.query(ctx, m.sql, m.args, func(r row) error {
			some, err := m.rows(r)
			all = append(all, some...)
			return err
		})
	})
	return all, err
}

// businessesAcross lists those that a condition on t chooses.
func (s *Store) businessesAcross(ctx context.Context, where string) ([]Tenant, error) {
	return s.tenantsAcross(ctx, lookup{sql: "SELECT t.id, t.business_id FROM {business} t WHERE " + where, order: " ORDER BY 1"}, nil)
}

// tenantsAcross lists the businesses that a lookup finds: its first columns are their ids and keys. The others are read by each, where it
// is given.
func (s *Store) tenantsAcross(ctx context.Context, l lookup, each func(Tenant, row)) (all []Tenant, err error) {
	l.kinds = append([]schema.Kind{schema.ID, kindTenant}, l.kinds...)
	err = s.across(ctx, l, func(r row) error {
		id := r.Value(0, schema.ID).UUID()
		t := Tenant{s: s, id: id, key: s.engine.tenantKey(id, r.Value(1, kindTenant).N)}
		if all = append(all, t); each != nil {
			each(t, r)
		}
		return nil
	})
	return slices.Clip(all), err
}
