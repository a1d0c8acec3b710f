package store

import (
	"context"
	"encoding/binary"

	"github.com/kith-crm/kith/internal/schema"
)

// serverLock is what the keys of servers' advisory locks begin with: others may use such locks, too.
const serverLock = 0x6b69 << 48

// lockKey is the key of a server's advisory lock.
func lockKey(id serverID) int64 {
	return serverLock | int64(binary.BigEndian.Uint64(append([]byte{0, 0}, id[:]...)))
}

func (e *postgresEngine) server() (serverID, bool) { return e.self, e.locked.Load() }

func (e *postgresEngine) servers(ctx context.Context) (there servers, err error) {
	there.live = map[serverID]bool{}
	err = e.read(ctx, share{}, func(c conn) error {
		return c.query(ctx, `
			SELECT (l.classid::bigint << 32) | l.objid::bigint FROM pg_locks l
			WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted
				AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())`, nil, func(r row) error {
			if key := r.Value(0, schema.Integer).N; key&^(1<<48-1) == serverLock {
				there.live[serverID(binary.BigEndian.AppendUint64(nil, uint64(key))[2:])] = true
			}
			return nil
		})
	})
	return there, err
}
