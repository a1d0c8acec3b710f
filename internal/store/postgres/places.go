package postgres

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sort"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// Where a business lies in a cluster follows from the hash of its id and from which machine has the shard of that hash. The coordinator is
// asked for the shards now and then; the rest is counted here, because every request needs it before it takes a connection.

// placesAge is how long it is believed which machine has a shard. Shards may be moved.
const placesAge = 10 * time.Second

// placement is where the shards of a cluster are.
type placement struct {
	// from has the least hash of each shard, in order, and machine who has it.
	from    []int64
	machine []int64
	// shards are the names of a table's shards on a machine, in the order of their hashes, so that those of several tables belong together.
	shards map[tableOn][]string
	// machines are all that have any, and local is the one that is connected to.
	machines []int64
	local    int64
	read     time.Time
}

// tableOn names a table on a machine.
type tableOn struct {
	table   string
	machine int64
}

// of gives the machine of a business.
func (p *placement) of(business schema.UUID) int64 {
	hash := int64(hashID(business))
	at := sort.Search(len(p.from), func(i int) bool { return p.from[i] > hash }) - 1
	return p.machine[max(at, 0)]
}

// id gives an id that would lie on a machine, which need not be that of a business.
func (p *placement) id(machine int64) schema.UUID {
	return idWithHash(int32(p.from[slices.Index(p.machine, machine)]))
}

// placesNow gives the places as they were known last, and has them read again where that is long ago. There are none where the database is
// not that of a cluster.
func (w *workers) placesNow() *placement {
	p := w.places.Load()
	if p != nil && time.Since(p.read) > placesAge && w.reading.CompareAndSwap(false, true) {
		go func() {
			defer w.reading.Store(false)
			ctx, cancel := context.WithTimeout(w.e.healthProbe.under, w.e.healthProbe.patience)
			defer cancel()
			_ = w.readPlaces(ctx) // those that are known hold until the next attempt
		}()
	}
	return p
}

// readPlaces asks the coordinator, which needs no other machine for it.
func (w *workers) readPlaces(ctx context.Context) error {
	const sql = `
		SELECT s.shardminvalue::bigint, c.relname::text, p.groupid::bigint,
			quote_ident(n.nspname) || '.' || quote_ident(c.relname || '_' || s.shardid)
		FROM pg_dist_shard s
		JOIN pg_dist_placement p ON p.shardid = s.shardid
		JOIN pg_dist_partition d ON d.logicalrelid = s.logicalrelid AND d.partmethod = 'h'
		JOIN pg_class c ON c.oid = s.logicalrelid
		JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('business')) AND c.relname = ANY($1)
		ORDER BY 1, 2, 3`
	leaking := false
	fresh := &placement{shards: map[tableOn][]string{}, read: time.Now()}
	err := w.e.on(ctx, engine.Coordinator, func(c *pgx.Conn) error {
		// The same hash is counted here. A server on a machine of another byte order counts another.
		var sample [16]byte
		copy(sample[:], "a business's id.")
		var hash int32
		var version string
		const about = "SELECT worker_hash($1::uuid), (SELECT groupid::bigint FROM pg_dist_local_group), citus_version()"
		if err := c.QueryRow(ctx, about, sample).Scan(&hash, &fresh.local, &version); err != nil {
			return err
		}
		leaking = leakingPlans(version)
		if hash != hashID(sample) {
			return errors.New("the coordinator of the cluster does not hash ids as kith does: " +
				"its machines must have little-endian processors")
		}
		rows, err := c.Query(ctx, sql, engine.AskedTables)
		if err != nil {
			return err
		}
		var least, machine int64
		var table, shard string
		_, err = pgx.ForEachRow(rows, []any{&least, &table, &machine, &shard}, func() error {
			at := tableOn{table, machine}
			fresh.shards[at] = append(fresh.shards[at], shard)
			if table != "business" {
				return nil
			}
			fresh.from, fresh.machine = append(fresh.from, least), append(fresh.machine, machine)
			if !slices.Contains(fresh.machines, machine) {
				fresh.machines = append(fresh.machines, machine)
			}
			return nil
		})
		return err
	})
	if err == nil && len(fresh.from) > 0 {
		w.leaks.Store(leaking && slices.Contains(fresh.machines, fresh.local))
		w.places.Store(fresh)
	}
	return err
}

// leakingPlans tells of a version of Citus that its cache of the plans for shards on the own machine never hits and keeps what it is given,
// some 75 KB each time that a statement with a plan for any arguments is run. So there each statement is planned for its own.
func leakingPlans(version string) bool {
	var major, minor, patch int
	if n, _ := fmt.Sscanf(version, "Citus %d.%d.%d", &major, &minor, &patch); n < 3 {
		return false
	}
	at := func(major, minor, patch int) int { return (major*1000+minor)*1000 + patch }
	return at(major, minor, patch) >= at(13, 2, 1) && at(major, minor, patch) <= at(14, 0, 1)
}

// leakRemark is what the operator is told of it.
const leakRemark = "shards of the cluster lie on the machine that is connected to, where Citus 13.2.1 to 14.0.1 never frees " +
	"the plans that it keeps for them; kith has every statement planned anew, which takes longer. " +
	"Move the shards to workers, or take another version of Citus (docs/scaling.md)"

// hashID is PostgreSQL's hash of a uuid (hash_bytes, by Bob Jenkins), by which Citus distributes.
func hashID(id schema.UUID) int32 {
	a, b, c := hashSeed, hashSeed, hashSeed
	a += binary.LittleEndian.Uint32(id[0:])
	b += binary.LittleEndian.Uint32(id[4:])
	c += binary.LittleEndian.Uint32(id[8:])
	for _, by := range mixing {
		a -= c
		a ^= bits.RotateLeft32(c, by)
		c += b
		a, b, c = b, c, a
	}
	a += binary.LittleEndian.Uint32(id[12:])
	for _, by := range ending {
		c ^= b
		c -= bits.RotateLeft32(b, by)
		a, b, c = b, c, a
	}
	return int32(b) // what was c before the last turn
}

// idWithHash gives an id that has a hash: each step of the hash taken back.
func idWithHash(hash int32) (id schema.UUID) {
	a, b, c := uint32(0), uint32(hash), uint32(0)
	for _, by := range slices.Backward(ending) {
		a, b, c = c, a, b
		c += bits.RotateLeft32(b, by)
		c ^= b
	}
	for _, by := range slices.Backward(mixing) {
		a, b, c = c, a, b
		c -= b
		a ^= bits.RotateLeft32(c, by)
		a += c
	}
	binary.LittleEndian.PutUint32(id[0:], a-hashSeed)
	binary.LittleEndian.PutUint32(id[4:], b-hashSeed)
	binary.LittleEndian.PutUint32(id[8:], c-hashSeed)
	return id
}

// The hash of sixteen bytes begins with hashSeed in each of its three words, and turns by these.
const hashSeed = uint32(0x9e3779b9 + 16 + 3923095)

var (
	mixing = []int{4, 6, 8, 16, 19, 4}
	ending = []int{14, 11, 25, 16, 4, 14, 24}
)

// MachineOf is the machine of a cluster on which a business lies, and Shards are the machines of all shards, each by an id that
// would lie in it.
func (e *Engine) MachineOf(business schema.UUID) int64 { return e.workers.places.Load().of(business) }

func (e *Engine) Shards() map[schema.UUID]int64 {
	p, all := e.workers.places.Load(), map[schema.UUID]int64{}
	for i, least := range p.from {
		all[idWithHash(int32(least))] = p.machine[i]
	}
	return all
}
