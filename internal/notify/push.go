package notify

import (
	"context"
	"crypto/ecdh"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/outbound"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
	"github.com/kith-crm/kith/internal/store/queue"
)

const (
	// mostBrowsers is to how many browsers of a user notifications are pushed.
	mostBrowsers = 20
	// mostPushed is how many notifications that are due together are pushed one by one; more of them are told by one message.
	mostPushed = 3
	// longestEndpoint is how many bytes the address of a browser has at most.
	longestEndpoint = 2048
)

// Fields of a subscription, as browsers call them.
const (
	PushEndpoint = "endpoint"
	PushP256dh   = "p256dh"
	PushAuth     = "auth"
)

// Subscribe has notifications pushed to the browser of the principal's session.
func Subscribe(ctx context.Context, e *record.Engine, p *record.Principal, given map[string]string) error {
	var wrong problem.Fields
	to := browser{Endpoint: given[PushEndpoint]}
	if says := crm.CheckReceiver(to.Endpoint, e.PrivateReceivers); says != "" {
		wrong.Add(PushEndpoint, "invalid_format", says)
	} else if len(to.Endpoint) > longestEndpoint {
		wrong.Add(PushEndpoint, "too_long", fmt.Sprintf("must have at most %d bytes", longestEndpoint))
	}
	to.Key = decoded(given[PushP256dh])
	if _, err := ecdh.P256().NewPublicKey(to.Key); err != nil {
		wrong.Add(PushP256dh, "invalid_format", "must be a public key on the curve P-256, in base64url")
	}
	to.Auth = decoded(given[PushAuth])
	if len(to.Auth) != 16 {
		wrong.Add(PushAuth, "invalid_format", "must be 16 bytes in base64url")
	}
	if err := wrong.Err(); err != nil {
		return err
	}
	text, err := json.Marshal(to)
	if err != nil {
		return err
	}
	return p.Tenant.Keep(ctx, p.Actor(""), func(tx *store.Tx) error {
		if err := keep.SetPush(tx, p.User, p.Connection, string(text)); err != nil {
			return err
		}
		all, err := keep.Pushes(tx, p.User, tx.Now)
		if err == nil && len(all) > mostBrowsers {
			err = problem.New(problem.Conflict,
				"Notifications are pushed to at most %d browsers. End log-ins that are not needed any more.", mostBrowsers)
		}
		return err
	})
}

// decoded reads what browsers give in base64url, with or without its end.
func decoded(text string) []byte {
	bytes, _ := base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
	return bytes
}

// Unsubscribe has nothing pushed to the browser of the principal's session any more.
func Unsubscribe(ctx context.Context, p *record.Principal) error {
	return p.Tenant.Keep(ctx, p.Actor(""), func(tx *store.Tx) error { return keep.SetPush(tx, p.User, p.Connection, "") })
}

// Subscription gives the key by which a browser subscribes, in base64url, and tells whether that of the principal's session has.
func Subscription(ctx context.Context, e *record.Engine, p *record.Principal) (key string, subscribed bool, err error) {
	own, err := pushKey(ctx, e.Store())
	if err != nil {
		return "", false, err
	}
	public, err := own.PublicKey.Bytes()
	if err != nil {
		return "", false, err
	}
	all, err := keep.FindPushes(ctx, p.Tenant, p.User, time.Now())
	for _, one := range all {
		subscribed = subscribed || one.Session == p.Connection
	}
	return base64.RawURLEncoding.EncodeToString(public), subscribed, err
}

// planPush has a notification pushed when it comes to be seen, where there is somebody with a browser for that.
func planPush(w *record.Mutation, user *schema.Record) error {
	if user != nil {
		has, err := keep.HasPush(w.Tx, user.ID())
		if err != nil {
			return err
		}
		if has {
			at := w.Rec.Get(crm.Notifications.At).Time()
			if !at.After(w.Now) {
				w.AfterCommit(func(context.Context) { w.Engine.PushesDue.Wake() })
			}
			return queue.ByPush.Plan(w.Tx, w.Rec.ID(), user.ID(), at)
		}
	}
	if w.Old == nil {
		return nil
	}
	return queue.ByPush.Forget(w.Tx, w.Rec.ID())
}

// Pusher pushes notifications to browsers.
type Pusher struct {
	engine *record.Engine
	client *http.Client
	origin string
	log    *slog.Logger
}

// NewPusher makes what pushes notifications, with links within an origin. It sends into private networks where webhooks may.
func NewPusher(e *record.Engine, origin string, log *slog.Logger) *Pusher {
	client := outbound.Client(outbound.Options{Private: e.PrivateReceivers, Timeout: pushTime, IdlePerHost: 4})
	return &Pusher{e, client, origin, log}
}

// Push gives each business that has something due as of now one turn, and tells whether there may be more to send.
func (p *Pusher) Push(ctx context.Context, now time.Time) (more bool, err error) {
	return courier{queue.ByPush, p.engine, p.log, p.push}.round(ctx, now)
}

// message is what the app's service worker shows.
type message struct {
	Title string `json:"title"`
	Body  string `json:"body,omitempty"`
	Path  string `json:"path"`
	// Tag has a message that comes again take the place of what is shown.
	Tag string `json:"tag"`
}

// push tells somebody of notifications in all their browsers. They are told once one of these has taken it.
func (p *Pusher) push(ctx context.Context, t store.Tenant, user schema.UUID, all []schema.UUID) error {
	to, err := keep.FindPushes(ctx, t, user, time.Now())
	if len(to) == 0 || err != nil {
		return err
	}
	key, err := pushKey(ctx, p.engine.Store())
	if err != nil {
		return err
	}
	r, err := newReader(ctx, t, user, "")
	if r == nil || err != nil {
		return err
	}
	lines, err := r.lines(ctx, all)
	if err != nil {
		return err
	}
	var messages []message
	if len(lines) > mostPushed {
		messages = []message{{fmt.Sprintf(r.words.several, len(lines), short(r.business)), "", inbox, "several"}}
	} else {
		for _, l := range lines {
			messages = append(messages, message{strings.TrimSpace(l.Who + " " + l.What), l.About, l.Link, l.id})
		}
	}
	for _, m := range messages {
		text, err := json.Marshal(m)
		if err != nil {
			return err
		}
		send := func(b browser) (bool, error) { return push(ctx, p.client, key, p.origin, b, text) }
		if err := p.toAll(ctx, t, user, to, send); err != nil {
			return err
		}
	}
	return nil
}

// toAll sends to all browsers at once, and forgets those that are gone. It fails where none has taken it and one may later.
func (p *Pusher) toAll(ctx context.Context, t store.Tenant, user schema.UUID, to []keep.Pushed, send func(browser) (bool, error)) error {
	gone, failed := make([]bool, len(to)), make([]error, len(to))
	var sending sync.WaitGroup
	for i, one := range to {
		sending.Go(func() {
			var b browser
			if failed[i] = json.Unmarshal([]byte(one.Push), &b); failed[i] == nil {
				gone[i], failed[i] = send(b)
			}
		})
	}
	sending.Wait()
	taken := false
	for i, one := range to {
		taken = taken || !gone[i] && failed[i] == nil
		if !gone[i] {
			continue
		}
		if err := t.Keep(context.WithoutCancel(ctx), store.Actor{}, func(tx *store.Tx) error {
			return keep.DropPush(tx, user, one.Session, one.Push)
		}); err != nil {
			return err
		}
	}
	if taken {
		return nil
	}
	return errors.Join(failed...)
}
