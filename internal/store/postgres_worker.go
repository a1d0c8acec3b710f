package store

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"kith/internal/schema"
)

// A worker of a cluster that is gone is told by the coordinator at once, and concerns its own businesses alone. One that hangs says nothing, and whatever waits for it
// keeps a connection to the coordinator, until none is left for the businesses of the others. So where a request takes long, it is found out on a connection of its own
// whether the worker answers at all. While it does not, nobody is let wait for it; what waits there anyway ends by its own time.

const (
	// slowWorker is how long a request may take until somebody looks whether its worker answers.
	slowWorker = time.Second
	// longSilence is how long the coordinator may wait for the worker until it is asked anew.
	longSilence = time.Minute
	// placesAge is how long it is believed where a business lies. It may be moved.
	placesAge = time.Minute
)

// workers knows which of a cluster's machines do not answer. Where all do, it costs a look at a number.
type workers struct {
	e *postgresEngine
	// silent is how many do not answer.
	silent atomic.Int32

	mu sync.Mutex
	// watched are those that somebody looks at: true is one that does not answer.
	watched map[int64]bool
	// places are the machines of businesses that were asked for while one was silent, and since when they are believed.
	places map[schema.UUID]int64
	since  time.Time
	// asking is the connection on which the coordinator is asked for places, by one at a time.
	asking sync.Mutex
	conn   *pgx.Conn
}

// why gives the reason why nobody need ask for what a business has, or nil.
func (w *workers) why(ctx context.Context, business schema.UUID) error {
	if w.silent.Load() == 0 {
		return nil
	}
	machine, err := w.machine(ctx, business)
	if err != nil {
		return nil // then the coordinator is ill, which the request finds out
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.watched[machine] {
		return fmt.Errorf("%w: the machine of the cluster that has the business", errDown)
	}
	return nil
}

// reach refuses what nobody need wait for, and otherwise has the worker looked at when it takes long. What it gives is called when it is done.
func (e *postgresEngine) reach(ctx context.Context, business schema.UUID) (done func(), err error) {
	if !e.cluster.Load() || business == (schema.UUID{}) {
		return func() {}, nil
	}
	if err := e.workers.why(ctx, business); err != nil {
		return nil, err
	}
	late := time.AfterFunc(slowWorker, func() { e.workers.suspect(business) })
	return func() { late.Stop() }, nil
}

// suspect looks at the worker of a business until it answers, unless somebody does already.
func (w *workers) suspect(business schema.UUID) {
	ctx, cancel := context.WithTimeout(context.Background(), w.e.pulse.patience)
	defer cancel()
	machine, err := w.machine(ctx, business)
	if err != nil {
		return
	}
	w.mu.Lock()
	_, watched := w.watched[machine]
	if !watched {
		if w.watched == nil {
			w.watched = map[int64]bool{}
		}
		w.watched[machine] = false
	}
	w.mu.Unlock()
	if !watched {
		go w.watch(machine, business)
	}
}

// watch asks a worker until it answers. Whatever it has of the business is an answer.
func (w *workers) watch(machine int64, business schema.UUID) {
	for {
		late := time.AfterFunc(w.e.pulse.patience, func() { w.tell(machine, true) })
		err := w.ask(business)
		late.Stop()
		if err == nil || w.e.pulse.under.Err() != nil {
			break
		}
		if w.e.pulse.why() == nil { // or else it is the coordinator
			w.tell(machine, true)
		}
		select {
		case <-time.After(pulsePause):
		case <-w.e.pulse.under.Done():
		}
	}
	w.tell(machine, false)
	w.mu.Lock()
	delete(w.watched, machine)
	last := len(w.watched) == 0
	w.mu.Unlock()
	if last {
		w.asking.Lock()
		w.hangUp()
		w.asking.Unlock()
	}
}

// tell notes whether a worker is silent.
func (w *workers) tell(machine int64, silent bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	was, watched := w.watched[machine]
	if !watched || was == silent {
		return
	}
	w.watched[machine] = silent
	if silent {
		w.silent.Add(1)
	} else {
		w.silent.Add(-1)
	}
}

// ask asks for a business on a connection of its own.
func (w *workers) ask(business schema.UUID) error {
	ctx, cancel := context.WithTimeout(context.Background(), longSilence)
	defer cancel()
	stop := context.AfterFunc(w.e.pulse.under, cancel)
	defer stop()
	c, err := pgx.ConnectConfig(ctx, w.e.pulse.hosts[w.e.lines.Load().host])
	if err != nil {
		return err
	}
	defer func() { _ = c.Close(ctx) }()
	var n int64
	return c.QueryRow(ctx, "SELECT count(*) FROM business WHERE business_id = $1", [16]byte(business)).Scan(&n)
}

// machine is where a business lies. The coordinator knows it by itself.
func (w *workers) machine(ctx context.Context, business schema.UUID) (machine int64, err error) {
	w.mu.Lock()
	if time.Since(w.since) > placesAge {
		w.places, w.since = map[schema.UUID]int64{}, time.Now()
	}
	machine, known := w.places[business]
	w.mu.Unlock()
	if known {
		return machine, nil
	}
	w.asking.Lock()
	defer w.asking.Unlock()
	ctx, cancel := context.WithTimeout(ctx, w.e.pulse.patience)
	defer cancel()
	if w.conn == nil {
		if w.conn, err = pgx.ConnectConfig(ctx, w.e.pulse.hosts[w.e.lines.Load().host]); err != nil {
			return 0, err
		}
	}
	const where = "SELECT p.groupid FROM pg_dist_placement p WHERE p.shardid = get_shard_id_for_distribution_column('business', $1::uuid) ORDER BY p.groupid LIMIT 1"
	if err = w.conn.QueryRow(ctx, where, [16]byte(business)).Scan(&machine); err != nil {
		w.hangUp()
		return 0, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.places[business] = machine
	return machine, nil
}

// hangUp closes the connection on which places are asked for. Whoever calls it has the right to ask.
func (w *workers) hangUp() {
	if w.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = w.conn.Close(ctx)
	w.conn = nil
}

// end waits for nobody: what still asks has been told to stop.
func (w *workers) end() {
	w.asking.Lock()
	defer w.asking.Unlock()
	w.hangUp()
}
