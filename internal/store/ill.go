package store

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/store/engine"
)

// A database can be out of reach, or be there and not able to work: stopped, hung, full, read-only, damaged. That is no fault of
// the request and none of ours. So what an engine fails with is classed here, for everything that goes through it: callers are told
// that it is worth another try, and the operator finds the cause in the log.

// outage is a failure of the database itself.
type outage struct {
	told  *problem.Problem
	cause error
}

func (o *outage) Error() string { return "the database is not available: " + o.cause.Error() }

func (o *outage) Unwrap() []error { return []error{o.told, o.cause} }

// What callers are told.
var (
	toldOutage = problem.New(problem.DatabaseUnavailable, "The database cannot be reached, or cannot work at the moment. "+
		"Nothing was written. Try again in a moment.")
	toldDamaged = problem.New(problem.DatabaseUnavailable, "The database is damaged: something in it cannot be read. Nothing was written. "+
		"Trying again does not help: whoever runs the server finds out more with kith check, and has to restore a backup.")
	toldUnsettled = problem.New(problem.DatabaseUnavailable,
		"The database did not answer when the write was to be made final, so it is not known whether it was done. Send it again with the "+
			"same Idempotency-Key, or look first.")
)

// ErrCorrupt is joined to what failed because the database cannot be read as it was written.
var ErrCorrupt = errors.New("the database is damaged")

// classed is an engine whose failures say whether the database was to blame.
type classed struct {
	engine.Engine
	corruption *atomic.Pointer[damage]
}

// damage is an outage that was met because the database cannot be read as it was written.
type damage struct {
	*outage
	at time.Time
}

// damageLasts is for how long a server that met damage says that it is not ready: whoever asks in turns hears of it, and a server whose
// database was mended, or has another host by now, works again.
const damageLasts = 15 * time.Second

func (e classed) class(err error) error {
	switch {
	case err == nil || problem.As(err) != nil:
		return err
	case errors.Is(err, engine.ErrUnsettled):
		return &outage{toldUnsettled, err}
	case e.Corrupt(err):
		met := &outage{toldDamaged, fmt.Errorf("%w: %w", ErrCorrupt, err)}
		e.corruption.Store(&damage{met, time.Now()})
		return met
	case errors.Is(err, engine.ErrClosed) || e.Ill(err):
		return &outage{toldOutage, err}
	}
	return err
}

func (e classed) Read(ctx context.Context, whose engine.Share, fn func(engine.Conn) error) error {
	return e.class(e.Engine.Read(ctx, whose, fn))
}

func (e classed) Write(ctx context.Context, whose engine.Share, fn func(engine.Conn) error) error {
	return e.class(e.Engine.Write(ctx, whose, fn))
}

func (e classed) WriteLocked(ctx context.Context, whose engine.Share, fn func(engine.Conn) error) error {
	return e.class(e.Engine.WriteLocked(ctx, whose, fn))
}

func (e classed) Rehearse(ctx context.Context, whose engine.Share, fn func(engine.Conn) error) error {
	return e.class(e.Engine.Rehearse(ctx, whose, fn))
}

func (e classed) Snapshot(ctx context.Context, most int, fn func([]engine.Conn) error) error {
	return e.class(e.Engine.Snapshot(ctx, most, fn))
}

func (e classed) Ping(ctx context.Context) error { return e.class(e.Engine.Ping(ctx)) }
