package bench

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// turns is how often the servers that are compared take turns.
const turns = 3

// makeReady prepares an operation's questions, where that is needed and was not done yet.
func (op *operation) makeReady(ctx context.Context, within time.Duration) error {
	if op.prepare == nil {
		return nil
	}
	prepare := op.prepare
	op.prepare = nil
	return prepare(ctx, min(within, learning))
}

// measure runs one operation against the floor, kith and the peer in turns, so that all meet the machine in the same mood.
func (r *run) measure(ctx context.Context, op *operation) (Row, error) {
	row := Row{Operation: op.name}
	kith := op.askKith(r.kith.addr)
	peers, err := r.comparePeer(op, kith)
	if err != nil {
		return row, err
	}
	floor, err := r.floor.teach(op, r.Each)
	if err != nil {
		return row, err
	}
	parts, connections := 1, r.Connections
	if op.lone {
		connections = 1
	}
	if op.beside != nil {
		parts = 5 // they differ by little, so they take turns more often
	}
	send := func(to *measured, ask *asker, who string, length time.Duration, loads int) {
		if err != nil || ask == nil {
			return
		}
		m, failed := r.kith.under(ctx, ask.load(connections, length, loads))
		if to.add(m); failed != nil {
			err = fmt.Errorf("%s: %w", who, failed)
		}
	}
	var all, beside, bare, warm measured
	theirs := make([]measured, len(peers))
	// One load each to warm up, one to be alone.
	for _, ask := range append([]*asker{kith, floor}, peers...) {
		send(&warm, ask, "warming up", r.Each/5, turns*parts+2)
	}
	turn := r.Each / turns
	for left := turns; left > 0; left-- {
		send(&bare, floor, "floor", turn, left)
		for part := range parts {
			send(&all, kith, "kith", turn/time.Duration(parts), left*parts-part+1)
			if op.beside != nil {
				send(&beside, op.beside.askKith(r.kith.addr), op.beside.name, turn/time.Duration(parts), 1)
			}
		}
		for way, peer := range peers {
			send(&theirs[way], peer, r.Peer.Ways()[way], turn, left)
		}
	}
	if err != nil {
		return row, err
	}
	row.fill(all, r.kith)
	for way, m := range theirs {
		row.Peer = append(row.Peer, PeerRow{
			r.Peer.Ways()[way], m.perSecond(), m.percentile(0.5), m.percentile(0.99), row.PerSecond / m.perSecond(),
		})
	}
	if op.beside != nil {
		row.Beside, row.BesidePerSecond = op.beside.name, beside.perSecond()
		row.Times = row.PerSecond * float64(max(1, op.creates)) / row.BesidePerSecond
	}
	if len(bare.latencies) > 0 {
		row.Floor = bare.perSecond()
		row.OfFloor = row.PerSecond / row.Floor
	}
	if !op.writes {
		var alone measured
		connections = 1
		send(&alone, kith, "kith alone", r.Each/3, 1)
		row.Unloaded = alone.percentile(0.99)
	}
	return row, err
}

const mixName = "mix, 80 % reads"

// mix sends four reads for one write: every operation in turn, but those whose matches all lie at the far end.
func (r *run) mix(ctx context.Context, ops []*operation) (Row, error) {
	row := Row{Operation: mixName}
	var reads, writes []*asker
	for _, op := range ops {
		if op.ours || strings.Contains(op.name, "oldest") {
			continue
		}
		if err := op.makeReady(ctx, r.Mix); err != nil {
			return row, err
		}
		to := &reads
		if op.writes {
			to = &writes
		}
		*to = append(*to, op.askKith(r.kith.addr))
	}
	// It takes turns with the operations, not with the requests, which differ in length.
	ask := asker{addr: r.kith.addr, request: func(n int) (request, error) {
		if n%5 == 4 {
			return writes[n/5%len(writes)].next()
		}
		return reads[(n-n/5)%len(reads)].next()
	}}
	m, err := r.kith.under(ctx, ask.load(r.Connections, r.Mix, 1))
	row.fill(m, r.kith)
	return row, err
}
