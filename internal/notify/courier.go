package notify

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
)

const (
	// leased is for how long what is to be sent is one server's, and putOff how long it waits where nobody takes it.
	leased = 10 * time.Minute
	putOff = 10 * time.Minute
	// slice is how long a turn takes before others have theirs.
	slice = 10 * time.Second
	// atOnce is how many businesses have their turns at once, so that one whose receivers hang does not keep the others waiting.
	atOnce = 8
	// mostInTurn is how many people of a business are written to before others have their turn.
	mostInTurn = 20
	// mostTries is how often something is sent at most: once more where a server dies before it has noted that it was.
	mostTries = 2
	// tried is for how long something is tried.
	tried = 48 * time.Hour
)

// courier sends notifications in one way.
type courier struct {
	way    queue.Way
	engine *record.Engine
	log    *slog.Logger
	// send tells a user of notifications: of those that they may see by now and have not read.
	send func(ctx context.Context, t store.Tenant, user schema.UUID, all []schema.UUID) error
}

// round gives each business that has something due one turn, some of them at once, and tells whether there may be more to send.
func (c courier) round(ctx context.Context, now time.Time) (bool, error) {
	businesses, err := c.way.Due(ctx, c.engine.Store(), now)
	more, failed := make([]bool, len(businesses)), make([]error, len(businesses))
	free := make(chan struct{}, atOnce)
	var turns sync.WaitGroup
	for i, t := range businesses {
		free <- struct{}{}
		turns.Go(func() {
			defer func() { <-free }()
			more[i], failed[i] = c.turn(ctx, t, now)
		})
	}
	turns.Wait()
	return slices.Contains(more, true), errors.Join(append(failed, err)...)
}

// turn is that of a business, and tells whether there was something to do.
func (c courier) turn(ctx context.Context, t store.Tenant, now time.Time) (some bool, err error) {
	var taken []queue.Mailing
	err = t.Keep(ctx, store.Actor{}, func(tx *store.Tx) (err error) {
		taken, err = c.way.Take(tx, now, now.Add(leased), mostInTurn)
		return err
	})
	if err != nil || len(taken) == 0 {
		return false, err
	}
	begin, byUser := time.Now(), map[schema.UUID][]schema.UUID{}
	var done []schema.UUID
	for _, one := range taken {
		if one.Tries > mostTries || now.Sub(one.DueAt) > tried {
			done = append(done, one.Notification)
		} else {
			byUser[one.User] = append(byUser[one.User], one.Notification)
		}
	}
	for user, all := range byUser {
		if time.Since(begin) > slice || ctx.Err() != nil {
			err = errors.Join(err, c.note(ctx, t, func(tx *store.Tx) error { return c.way.PutOff(tx, now, all...) }))
			continue
		}
		if failed := c.send(ctx, t, user, all); failed != nil {
			c.log.Error(string(c.way), "business", schema.FormatID("business", t.ID()), "error", failed)
			err = errors.Join(err, c.note(ctx, t, func(tx *store.Tx) error { return c.way.PutOff(tx, now.Add(putOff), all...) }))
			continue
		}
		// Each is forgotten at once: whoever dies leaves as few as can be that are sent again.
		err = errors.Join(err, c.note(ctx, t, func(tx *store.Tx) error { return c.way.Forget(tx, all...) }))
	}
	if len(done) == 0 {
		return true, err
	}
	return true, errors.Join(err, c.note(ctx, t, func(tx *store.Tx) error { return c.way.Forget(tx, done...) }))
}

// note notes what became of notifications, also while the server stops.
func (c courier) note(ctx context.Context, t store.Tenant, what func(*store.Tx) error) error {
	return t.Keep(context.WithoutCancel(ctx), store.Actor{}, what)
}
