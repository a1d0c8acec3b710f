package postgres

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// Servers tell each other of changes by NOTIFY, which PostgreSQL lets only one transaction at a time commit. Were it part of the
// writes, all businesses would wait for each other at their commits. So it is none of them: a server tells what its writes have
// changed after they are on disk, of all businesses together, on a connection of its own that also listens, and does not wait for
// the disk. What gets lost so is found by the look at the newest numbers.

const (
	// notifyChannel is what is listened to.
	notifyChannel = "kith_changes"
	// notifyPause is how long it is at least from one message to the next: what changes meanwhile goes along with it.
	notifyPause = 20 * time.Millisecond
	// mostNotified is how many businesses a message names; of more it says that there were many. A message has less than 8000 bytes.
	mostNotified = 300
	// notifyRest is how long to wait before connecting again.
	notifyRest = time.Second
)

// notifyAll stands for more businesses than a message has room for.
const notifyAll = "*"

func (e *Engine) NotifyOthers(ctx context.Context, n engine.Notices) {
	tell := n.BeginTelling()
	defer n.EndTelling()
	// Who a server is, so that it does not listen to itself: what it wrote it has rung for already.
	self := rand.Text()
	for ctx.Err() == nil {
		_ = e.notifyOthersOn(ctx, n, tell, self) // without it others look for themselves
		n.Hearing(false)
		select {
		case <-ctx.Done():
		case <-time.After(notifyRest):
		}
	}
}

// notifyOthersOn tells and hears on one connection, until that fails or another host is in use.
func (e *Engine) notifyOthersOn(ctx context.Context, n engine.Notices, tell <-chan struct{}, self string) error {
	host := e.lines.Load().host
	config := e.hosts[host].Copy()
	config.RuntimeParams["application_name"] = "kith herald"
	config.RuntimeParams["synchronous_commit"] = "off"
	config.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.DeadlineContextWatcherHandler{Conn: c.Conn()} // which lets the connection live when it is no longer waited on
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer func() {
		rest, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = conn.Close(rest)
	}()
	say := func(what string) error {
		under, cancel := context.WithTimeout(ctx, connectTime)
		defer cancel()
		_, err := conn.Exec(under, "SELECT pg_notify($1, $2)", pgx.QueryExecModeExec, notifyChannel, self+" "+what)
		return err
	}
	if _, err := conn.Exec(ctx, "LISTEN "+notifyChannel); err != nil {
		return err
	}
	// The lock tells others that this server is there. It goes with the connection, however that ends.
	held := false
	if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", pgx.QueryExecModeExec, lockKey(e.self)).Scan(&held); err != nil {
		return err
	}
	e.locked.Store(held)
	defer e.locked.Store(false)
	// Something in between may swallow what is said: who hears itself hears the others, too.
	if err := say(""); err != nil {
		return err
	}
	n.Everybody() // for what was said while nobody listened
	for {
		heard, err := listen(ctx, conn, tell)
		switch {
		case err != nil:
			return err
		case e.lines.Load().host != host:
			return errors.New("another host is in use")
		case heard != nil:
			hear(n, self, heard.Payload)
		}
		all := n.Take()
		if len(all) == 0 {
			continue
		}
		if err := say(notification(all)); err != nil {
			return err
		}
		// Meanwhile is listened to by the server for us; what came is read next.
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(notifyPause):
		}
	}
}

// listen waits for a message, or for something to tell, or for a while.
func listen(ctx context.Context, conn *pgx.Conn, tell <-chan struct{}) (*pgconn.Notification, error) {
	waiting, cancel := context.WithTimeout(ctx, engine.LookBeside)
	defer cancel()
	stopped := make(chan struct{})
	defer close(stopped)
	go func() {
		select {
		case <-tell:
			cancel()
		case <-stopped:
		}
	}()
	heard, err := conn.WaitForNotification(waiting)
	if err != nil && waiting.Err() != nil && ctx.Err() == nil && !conn.IsClosed() {
		return nil, nil
	}
	return heard, err
}

// notification is what is told of businesses.
func notification(all []schema.UUID) string {
	if len(all) > mostNotified {
		return notifyAll
	}
	names := make([]string, len(all))
	for i, business := range all {
		names[i] = base64.RawURLEncoding.EncodeToString(business[:])
	}
	return strings.Join(names, " ")
}

// hear notifies those of whom another server told.
func hear(n engine.Notices, self, message string) {
	from, what, _ := strings.Cut(message, " ")
	if from == self {
		n.Hearing(true)
		return
	}
	if what == notifyAll {
		n.Everybody()
		return
	}
	for _, name := range strings.Fields(what) {
		var business schema.UUID
		if id, err := base64.RawURLEncoding.DecodeString(name); err == nil && len(id) == len(business) {
			copy(business[:], id)
			n.Heard(business)
		}
	}
}
