package bench

import (
	"context"
	"fmt"
	"slices"
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
	floor, err := r.floor.teach(ctx, op, r.Each)
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
	// One load each to warm up, one to be alone.
	for _, warm := range append([]*asker{kith, floor}, peers...) {
		if warm == nil {
			continue
		}
		if _, err := warm.load(connections, r.Each/5, turns*parts+2).run(ctx); err != nil {
			return row, err
		}
	}
	var all, beside, bare measured
	var cpuUsed time.Duration
	var allocsUsed uint64
	theirs := make([]measured, len(peers))
	for turn := range turns {
		left := turns - turn
		if floor != nil {
			m, err := floor.load(connections, r.Each/turns, left).run(ctx)
			if err != nil {
				return row, fmt.Errorf("floor: %w", err)
			}
			bare.add(m)
		}
		for part := range parts {
			duration := r.Each / turns / time.Duration(parts)
			cpu, allocs := r.kith.cpu(), r.kith.allocations()
			m, err := kith.load(connections, duration, left*parts-part+1).run(ctx)
			if err != nil {
				return row, err
			}
			cpuUsed, allocsUsed = cpuUsed+r.kith.cpu()-cpu, allocsUsed+r.kith.allocations()-allocs
			all.add(m)
			if op.beside != nil {
				if m, err = op.beside.askKith(r.kith.addr).load(connections, duration, 1).run(ctx); err != nil {
					return row, err
				}
				beside.add(m)
			}
		}
		for way, peer := range peers {
			m, err := peer.load(connections, r.Each/turns, left).run(ctx)
			if err != nil {
				return row, fmt.Errorf("%s: %w", r.Peer.Ways()[way], err)
			}
			theirs[way].add(m)
		}
	}
	row.fill(all, cpuUsed, allocsUsed)
	for way, m := range theirs {
		slices.Sort(m.latencies)
		row.Peer = append(row.Peer, PeerRow{
			r.Peer.Ways()[way], m.perSecond(), ms(m.percentile(0.5)), ms(m.percentile(0.99)),
			row.PerSecond / m.perSecond(),
		})
	}
	row.RSSMB = r.kith.memory()
	if op.beside != nil {
		row.Beside, row.BesidePerSecond = op.beside.name, beside.perSecond()
		row.Times = row.PerSecond * float64(max(1, op.records)) / row.BesidePerSecond
	}
	if bare.requests > 0 {
		row.Floor = bare.perSecond()
		row.OfFloor = row.PerSecond / row.Floor
	}
	if !op.writes {
		m, err := kith.load(1, r.Each/3, 1).run(ctx)
		if err != nil {
			return row, err
		}
		row.Unloaded = ms(m.percentile(0.99))
	}
	return row, nil
}

const mixName = "mix, 80 % reads"

// mix sends four reads for one write: every operation in turn, but those at the far end.
func (r *run) mix(ctx context.Context, ops []*operation) (Row, error) {
	row := Row{Operation: mixName}
	var reads, writes []*asker
	for _, op := range ops {
		if op.ours {
			continue
		}
		if err := op.makeReady(ctx, r.Mix); err != nil {
			return row, err
		}
		asker := op.askKith(r.kith.addr)
		switch {
		case op.writes:
			writes = append(writes, asker)
		case !op.far:
			reads = append(reads, asker)
		}
	}
	// It takes turns with the operations, not with the requests, which differ in length.
	ask := asker{addr: r.kith.addr, request: func(n int) (request, error) {
		if n%5 == 4 {
			return writes[n/5%len(writes)].next()
		}
		return reads[(n-n/5)%len(reads)].next()
	}}
	cpu, allocs := r.kith.cpu(), r.kith.allocations()
	m, err := ask.load(r.Connections, r.Mix, 1).run(ctx)
	row.fill(m, r.kith.cpu()-cpu, r.kith.allocations()-allocs)
	row.RSSMB = r.kith.memory()
	return row, err
}
