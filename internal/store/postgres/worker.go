package postgres

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// A worker of a cluster that is gone is told by the coordinator at once, and concerns its own businesses alone. One that hangs says
// nothing, and whatever waits for it keeps a connection to the coordinator. So no machine's businesses ever have all connections
// (turns, lines.keeper), and where a request takes long, it is found out on a connection of its own whether the worker answers at
// all. While it does not, nobody is let wait for it; what waits there anyway ends by its own time.

const (
	// slowWorker is how long a request may take until somebody looks whether its worker answers.
	slowWorker = time.Second
	// longSilence is how long the coordinator may wait for the worker until it is asked anew.
	longSilence = time.Minute
)

// workers knows where the businesses of a cluster lie, and which of its machines do not answer. Where all do, that costs a look at a
// number.
type workers struct {
	e *Engine
	// Places are nil where the database is not that of a cluster, and reading tells that somebody reads them again.
	places  atomic.Pointer[placement]
	reading atomic.Bool
	// silent is how many do not answer.
	silent atomic.Int32
	// leaks tells that the machine that is connected to has shards, and a version of Citus that must not keep plans for them, see
	// leakingPlans.
	leaks atomic.Bool

	mu sync.Mutex
	// watched are those that somebody looks at: true is one that does not answer.
	watched map[int64]bool
}

// why gives the machine on which a business lies, and the reason why nobody need ask for what it has there, or nil. What belongs to no
// business, and all where there is no cluster, is with the coordinator.
func (w *workers) why(business schema.UUID) (machine int64, err error) {
	p := w.placesNow()
	if p == nil || business == (schema.UUID{}) {
		return engine.Coordinator, nil
	}
	machine = p.of(business)
	return machine, w.whyMachine(machine)
}

func (w *workers) whyMachine(machine int64) error {
	if w.silent.Load() == 0 {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.watched[machine] {
		return fmt.Errorf("%w: the machine of the cluster that has the business", ErrDown)
	}
	return nil
}

// await has a machine looked at when what is asked of it takes long. What it gives is called when that is done.
func (w *workers) await(machine int64) (done func()) {
	if machine == engine.Coordinator {
		return func() {}
	}
	late := time.AfterFunc(slowWorker, func() { w.suspect(machine) })
	return func() { late.Stop() }
}

// suspect looks at a machine until it answers, unless somebody does already.
func (w *workers) suspect(machine int64) {
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
		go w.watch(machine)
	}
}

// watch asks a machine until it answers.
func (w *workers) watch(machine int64) {
	for {
		late := time.AfterFunc(w.e.healthProbe.patience, func() { w.tell(machine, true) })
		err := w.ask(machine)
		late.Stop()
		if err == nil || w.e.healthProbe.under.Err() != nil {
			break
		}
		if w.e.healthProbe.why() == nil { // or else it is the coordinator
			w.tell(machine, true)
		}
		select {
		case <-time.After(probePause):
		case <-w.e.healthProbe.under.Done():
		}
	}
	w.tell(machine, false)
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.watched, machine)
}

// tell notes whether a machine is silent.
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

// ask asks a machine for a business on a connection of its own. That there is none is an answer, too.
func (w *workers) ask(machine int64) error {
	p := w.placesNow()
	if !slices.Contains(p.machines, machine) {
		return nil // it has nothing any more that somebody could wait for
	}
	ctx, cancel := context.WithTimeout(w.e.healthProbe.under, longSilence)
	defer cancel()
	c, err := pgx.ConnectConfig(ctx, w.e.healthProbe.hosts[w.e.lines.Load().host])
	if err != nil {
		return err
	}
	defer func() { _ = c.Close(ctx) }()
	var n int64
	return c.QueryRow(ctx, "SELECT count(*) FROM business WHERE business_id = $1", [16]byte(p.id(machine))).Scan(&n)
}
