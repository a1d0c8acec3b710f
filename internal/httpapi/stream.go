package httpapi

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/metrics"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/stream"
)

// The stream of changes is the one answer that does not end by itself. Its client has a goroutine here, which sleeps: the streams
// of package crm wake it when there is something to send.

var errStreamEnds = problem.New(problem.InvalidToken,
	"The token has ended, or what it may read has changed. Come back with one that is valid.")

// streamAsked is what a stream is to tell: what happens behind a number, negative from now on, to the named resources, or to all where
// there are none.
func (r *request) streamAsked() (from int64, resources []string, err error) {
	var wrong problem.Fields
	from = -1
	read := func(name, value string) {
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < 0 {
			wrong.Add(name, "invalid_format", "must be the seq of a change, or 0 for the beginning")
			return
		}
		from = n
	}
	if r.query.Has(afterName) {
		read(afterName, r.query.Get(afterName))
	}
	if r.query.Has(resourcesName) {
		resources = record.ChangedResources(strings.Split(r.query.Get(resourcesName), ","), &wrong)
	}
	if last := r.in.Header.Get(lastEvent); last != "" {
		read(lastEvent, last) // it knows better than the address with which it began
	}
	return from, resources, wrong.Err()
}

// stream is the reply to who listens to what happens in the business.
func (r *request) stream() (reply, error) {
	from, resources, err := r.streamAsked()
	if err != nil {
		return reply{}, err
	}
	if serving := r.api.ready.serving; serving != nil && serving.Err() != nil {
		return reply{}, errStopping
	}
	if r.in.Method == http.MethodHead {
		return reply{status: http.StatusOK, stream: func(context.Context, *http.ResponseController) {}}, nil
	}
	l, err := r.api.streams.Listen(r.in.Context(), r.call.Principal, from, resources)
	if err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusOK, stream: func(ctx context.Context, to *http.ResponseController) {
		err := r.tell(ctx, l, to)
		if p := problem.As(err); p != nil && ctx.Err() == nil {
			_, text := r.describe(p)
			_ = r.push(to, append(append([]byte("event: end\ndata: "), text...), "\n\n"...)) // who does not read it comes back, too
		}
		l.Close(errors.Is(err, stream.ErrSlow) || errors.Is(err, os.ErrDeadlineExceeded))
	}}, nil
}

// push sends something at once.
func (r *request) push(to *http.ResponseController, text []byte) error {
	// A writer of answers that knows no deadlines has no client that could be slow.
	_ = to.SetWriteDeadline(time.Now().Add(r.api.patience))
	_, err := r.w.Write(text)
	if err == nil {
		err = to.Flush()
	}
	return err
}

// tell sends what happens until the client is gone, or is to be.
func (r *request) tell(ctx context.Context, l *stream.Listener, to *http.ResponseController) error {
	_ = to.SetReadDeadline(time.Time{}) // nothing more is to come, for any time
	serving := context.Background()
	if r.api.ready.serving != nil {
		serving = r.api.ready.serving
	}
	expires := make(<-chan time.Time)
	if at := l.Who().ExpiresAt; !at.IsZero() {
		timer := time.NewTimer(time.Until(at))
		defer timer.Stop()
		expires = timer.C
	}
	ping := time.NewTicker(r.api.ping)
	defer ping.Stop()
	// Whoever begins now and loses the connection before the first change still knows where to go on.
	told := l.Seq()
	if err := r.push(to, append(strconv.AppendInt([]byte("retry: 1000\nid: "), told, 10), "\n\n"...)); err != nil {
		return err
	}
	for {
		roll := l.Roll()
		if l.Stale() {
			if err := r.confirm(ctx, l); err != nil {
				return err
			}
		}
		sent, err := r.sendChanges(ctx, l, to)
		switch {
		case err != nil:
			return err
		case sent:
			told = l.Told()
		}
		if !l.Live() {
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-serving.Done():
			return errStopping
		case <-expires:
			return errStreamEnds
		case <-roll:
		case <-l.Ready():
		case <-ping.C:
			if err := r.confirm(ctx, l); err != nil {
				return err
			}
			text := []byte(":\n")
			if seq := l.Seq(); seq != told { // what happened was not theirs to know
				told = seq
				text = append(strconv.AppendInt(append(text, "id: "...), seq, 10), '\n')
			}
			if err := r.push(to, append(text, '\n')); err != nil {
				return err
			}
		}
	}
}

// sendChanges sends what there is, and tells whether there was any.
func (r *request) sendChanges(ctx context.Context, l *stream.Listener, to *http.ResponseController) (sent bool, err error) {
	var failed error
	err = l.Read(ctx, func(frame []byte) {
		if !sent {
			_ = to.SetWriteDeadline(time.Now().Add(r.api.patience))
		}
		if sent = true; failed == nil {
			_, failed = r.w.Write(frame)
		}
	})
	if sent && failed == nil {
		failed = to.Flush()
	}
	if failed != nil {
		return sent, failed
	}
	return sent, err
}

// confirm looks whether the listener may still listen.
func (r *request) confirm(ctx context.Context, l *stream.Listener) error {
	epoch := r.api.engine.Store().Epoch(l.Who().Tenant.ID())
	who, err := r.principal(ctx)
	switch p := problem.As(err); {
	case p != nil && p.Code == problem.InvalidToken:
		return errStreamEnds
	case err != nil:
		return err
	case !l.Confirm(who, epoch):
		return errStreamEnds
	}
	return nil
}

// WriteMetrics tells what there is to know of the streams.
func (a *API) WriteMetrics(p *metrics.Page) {
	s := a.streams.Counts()
	p.One("kith_streams", metrics.Gauge, "Clients that listen to the changes of a business.", float64(s.Listeners))
	p.One("kith_stream_businesses", metrics.Gauge, "Businesses to which somebody listens.", float64(s.Rooms))
	p.One("kith_stream_entries_total", metrics.Counter, "Changes that were handed to listeners; those who may read the same count once.",
		float64(s.Entries))
	p.One("kith_streams_dropped_total", metrics.Counter, "Listeners that were dropped because they did not read.", float64(s.Dropped))
	p.One("kith_stream_lag_seconds", metrics.Gauge, "How long the last change that was handed to listeners had been made.", s.Lag.Seconds())
}
