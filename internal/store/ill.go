package store

import (
	"context"
	"errors"

	"kith/internal/problem"
)

// A database can be out of reach, or be there and not able to work: stopped, hung, full, read-only, damaged. That is no fault of the request and none of ours. So what an
// engine fails with is classed here, for everything that goes through it: callers are told that it is worth another try, and the operator finds the cause in the log.

// outage is a failure of the database itself.
type outage struct {
	told  *problem.Problem
	cause error
}

func (o *outage) Error() string { return "the database is not available: " + o.cause.Error() }

func (o *outage) Unwrap() []error { return []error{o.told, o.cause} }

// What callers are told.
var (
	toldOutage    = problem.New(problem.DatabaseUnavailable, "The database cannot be reached, or cannot work at the moment. Nothing was written. Try again in a moment.")
	toldUnsettled = problem.New(problem.DatabaseUnavailable, "The database did not answer when the write was to be made final, so it is not known whether it was done. Send it again with the same Idempotency-Key, or look first.")
)

// errUnsettled is joined to what failed after the end of a transaction was sent: nobody knows what became of it.
var errUnsettled = errors.New("it is not known whether the transaction was committed")

// errClosed is for who comes after the end.
var errClosed = errors.New("the store is closed")

// classed is an engine whose failures say whether the database was to blame.
type classed struct{ engine }

func (e classed) class(err error) error {
	switch {
	case err == nil || problem.As(err) != nil:
		return err
	case errors.Is(err, errUnsettled):
		return &outage{toldUnsettled, err}
	case errors.Is(err, errClosed) || e.ill(err):
		return &outage{toldOutage, err}
	}
	return err
}

func (e classed) read(ctx context.Context, whose share, fn func(conn) error) error {
	return e.class(e.engine.read(ctx, whose, fn))
}

func (e classed) write(ctx context.Context, whose share, fn func(conn) error) error {
	return e.class(e.engine.write(ctx, whose, fn))
}

func (e classed) writeInTurn(ctx context.Context, whose share, fn func(conn) error) error {
	return e.class(e.engine.writeInTurn(ctx, whose, fn))
}

func (e classed) rehearse(ctx context.Context, whose share, fn func(conn) error) error {
	return e.class(e.engine.rehearse(ctx, whose, fn))
}

func (e classed) snapshot(ctx context.Context, fn func(conn) error) error {
	return e.class(e.engine.snapshot(ctx, fn))
}

func (e classed) ping(ctx context.Context) error { return e.class(e.engine.ping(ctx)) }
