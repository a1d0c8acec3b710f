package postgres

import (
	"context"
	"encoding/binary"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// serverLock is what the keys of servers' advisory locks begin with: others may use such locks, too.
const serverLock = 0x6b69 << 48

// lockKey is the key of a server's advisory lock.
func lockKey(id engine.ServerID) int64 {
	return serverLock | int64(binary.BigEndian.Uint64(append([]byte{0, 0}, id[:]...)))
}

func (e *Engine) Server() (engine.ServerID, bool) { return e.self, e.locked.Load() }

func (e *Engine) Servers(ctx context.Context) (there engine.Servers, err error) {
	there.Live = map[engine.ServerID]bool{}
	err = e.Read(ctx, engine.Share{}, func(c engine.Conn) error {
		return c.Query(ctx, `
			SELECT (l.classid::bigint << 32) | l.objid::bigint FROM pg_locks l
			WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted
				AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())`, nil, func(r engine.Row) error {
			if key := r.Value(0, schema.Integer).N; key&^(1<<48-1) == serverLock {
				there.Live[engine.ServerID(binary.BigEndian.AppendUint64(nil, uint64(key))[2:])] = true
			}
			return nil
		})
	})
	return there, err
}
