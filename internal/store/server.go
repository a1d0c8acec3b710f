package store

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// What a server does in the background, and the file that it reads, it holds by leases, so that another one goes on where it was
// killed. The end of a lease would have to be waited for. So a lease names its server, and where that is known to be gone, its leases
// are ended at once: an SQLite file has one server at a time, and on PostgreSQL a server holds an advisory lock for as long as one of
// its connections lasts. See ADR 0086.

// leaseVersion is the version of the UUIDs that name a server in their first bytes. Those of others, who may hold no lock, have that
// of times.
const leaseVersion = 8

// NewLease makes the id of a lease of this server.
func (s *Store) NewLease() schema.UUID {
	id := schema.NewID(s.now())
	if server, known := s.engine.Server(); known {
		rand.Read(id[8:])
		copy(id[:], server[:])
		id[6], id[8] = leaseVersion<<4|id[6]&0x0f, 0x80|id[8]&0x3f
	}
	return id
}

// leasedTo tells which server has a lease, where its id does.
func leasedTo(lease schema.UUID) (server engine.ServerID, known bool) {
	return engine.ServerID(lease[:len(server)]), lease[6]>>4 == leaseVersion
}

// gone tells that a lease is that of a server which is not there any more.
func gone(s engine.Servers, lease schema.UUID) bool {
	server, known := leasedTo(lease)
	return (known || s.Alone) && !s.Live[server]
}

// EndLeases ends the leases of servers that are gone, whenever one has gone, until ctx ends; ended is called where there were any. A
// server calls it once.
func (s *Store) EndLeases(ctx context.Context, ended func(), failed func(error)) {
	var before map[engine.ServerID]bool
	for ctx.Err() == nil {
		there, err := s.engine.Servers(ctx)
		self, _ := s.engine.Server()
		if err == nil && there.Live[self] { // who is not seen itself knows nothing of others
			left := before == nil
			for id := range before {
				left = left || !there.Live[id]
			}
			n := 0
			if left {
				n, err = s.endLeases(ctx, there)
			}
			if n > 0 {
				ended()
			}
			if err == nil {
				before = there.Live
			}
			if err == nil && there.Alone {
				return
			}
		}
		if err != nil && ctx.Err() == nil {
			failed(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(serverLook):
		}
	}
}

// serverLook is how often a server looks which others are there.
const serverLook = time.Second

// leaseOver is until when a lease lasts that was ended.
var leaseOver = time.Unix(0, 0).UTC()

// endLeases ends the leases of servers that are gone, and counts them.
func (s *Store) endLeases(ctx context.Context, there engine.Servers) (n int, err error) {
	type lease struct {
		Tenant
		by schema.UUID
	}
	ended := schema.TimeValue(leaseOver)
	for _, of := range []struct {
		table, by, held, end string
		args                 []schema.Value
	}{
		{"job", "leased_by", "f.finished_at IS NULL AND f.leased_until > ", "leased_until = ?", []schema.Value{ended}},
		{"webhook_feed", "leased_by", "f.leased_until > ", "leased_until = ?", []schema.Value{ended}},
		{"import", "coming_id", "f.updated_at > ", "coming_id = NULL", nil}, // what came of the file is then forgotten
	} {
		var over []lease
		_, failed := s.tenantsAcross(ctx, engine.Lookup{
			SQL: `SELECT t.id, t.business_id, f.` + of.by + ` FROM {` + of.table + `} f JOIN {business} t ON t.business_id = f.business_id
				WHERE f.` + of.by + ` IS NOT NULL AND ` + of.held + s.engine.Mark(1),
			Args: []schema.Value{ended}, Kinds: []schema.Kind{schema.ID},
		}, func(t Tenant, r engine.Row) {
			if by := r.Value(2, schema.ID).UUID(); gone(there, by) {
				over = append(over, lease{t, by})
			}
		})
		err = errors.Join(err, failed) // what was found on the other machines of a cluster is ended all the same
		for _, l := range over {
			// A server that is there after all goes on until another one takes it, and then is told.
			failed := l.Keep(ctx, Actor{}, func(tx *Tx) error {
				_, err := tx.Exec(room.SQL("UPDATE "+of.table+" SET "+of.end+" WHERE business_id = {business} AND "+of.by+" = ?",
					append(slices.Clone(of.args), schema.IDValue(l.by))...))
				return err
			})
			if err = errors.Join(err, failed); failed == nil {
				n++
			}
		}
	}
	return n, err
}
