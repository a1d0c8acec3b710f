package notify

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/work"
)

// mostShown is how many letters are shown of a name.
const mostShown = 120

// inbox is where all notifications are seen.
const inbox = "/app/inbox"

// reader reads notifications with the rights of whom they tell.
type reader struct {
	record.Call
	user             *schema.Record
	words            words
	origin, business string
}

// newReader is a user as who reads what they are told of; nil where there is none who may act.
func newReader(ctx context.Context, t store.Tenant, user schema.UUID, origin string) (*reader, error) {
	u, err := t.Get(ctx, &account.User.Resource, user, false)
	if errors.Is(err, store.ErrNotFound) || err == nil && u.Text(account.Users.Status) != "active" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	role, err := t.Get(ctx, &account.Role.Resource, u.Get(account.Users.RoleID).UUID(), false)
	if err != nil {
		return nil, err
	}
	call := record.Call{Principal: &record.Principal{Tenant: t, User: user, Scopes: record.Scopes(), Role: account.ReadRole(role)}}
	business, err := t.Business(ctx)
	if err != nil {
		return nil, err
	}
	own, err := call.Business(ctx)
	if err != nil {
		return nil, err
	}
	locale := cmp.Or(u.Text(account.Users.Locale), own.Text(record.OwnBusiness.Locale))
	return &reader{call, u, wordsOf(locale), origin, business.Name}, nil
}

// lines tell of notifications, the oldest first: of those that may be seen and were not read.
func (r reader) lines(ctx context.Context, all []schema.UUID) (lines []line, err error) {
	for _, id := range all {
		one, err := r.line(ctx, id)
		if err != nil {
			return nil, err
		}
		if one != nil {
			lines = append(lines, *one)
		}
	}
	slices.SortStableFunc(lines, func(a, b line) int { return a.at.Compare(b.at) })
	return lines, nil
}

// line tells of a notification; nil where it is not to be seen, or was read.
func (r reader) line(ctx context.Context, id schema.UUID) (*line, error) {
	n := &crm.Notifications
	name := schema.FormatID(crm.Notification.Name, id)
	rec, err := r.Get(ctx, crm.Notification, name)
	if err != nil || rec.Get(n.ReadAt).Set {
		return nil, unlessHidden(err)
	}
	one := &line{
		id: name,
		at: rec.Get(n.At).Time(), What: r.words.kinds[rec.Text(n.Kind)], About: short(rec.Text(n.Text)), Link: r.origin + inbox,
	}
	if job := rec.Get(n.JobID); job.Set {
		return one, r.job(ctx, one, job.S, rec.Text(n.Event))
	}
	if by := rec.Get(n.ActorID); by.Set {
		if one.Who, err = r.name(ctx, account.User, by.UUID()); err != nil {
			return nil, err
		}
		one.Who = cmp.Or(one.Who, r.words.somebody)
	} else {
		one.What = cmp.Or(r.words.events[rec.Text(n.Event)], one.What)
	}
	if about := rec.Get(n.AboutID); about.Set {
		resource, id, err := schema.RecordOf(about.S)
		if err != nil {
			return nil, err
		}
		name, link, err := r.about(ctx, record.KindOf(resource), id)
		if err != nil {
			return nil, err
		}
		one.Link = r.origin + link
		one.About = cmp.Or(one.About, name)
	}
	return one, nil
}

// job tells how a job ended, and where that is seen. Who reads began it.
func (r reader) job(ctx context.Context, one *line, id, event string) error {
	one.Link = r.origin + "/app/settings/work"
	job, err := work.FindJob(ctx, r.Call, id)
	if job == nil || err != nil {
		one.What += " " + r.words.events[event]
		return unlessHidden(err)
	}
	one.What = cmp.Or(r.words.jobs[job.Kind], one.What) + " " + r.words.events[event]
	one.About = fmt.Sprintf(r.words.done, job.Done-job.Failed, job.Total)
	var of struct {
		Import string `json:"import_id"`
	}
	if err := json.Unmarshal([]byte(job.Params), &of); err != nil {
		return err
	}
	if of.Import != "" {
		one.Link = r.origin + "/app/import/" + of.Import
	}
	return nil
}

// about names a record, and where it is seen: what is written about another one on the page of that.
func (r reader) about(ctx context.Context, k *record.Kind, id schema.UUID) (name, link string, err error) {
	if k == crm.Note || k == crm.Activity {
		rec, err := r.Get(ctx, k, schema.FormatID(k.Name, id))
		if err != nil {
			return "", inbox, unlessHidden(err)
		}
		for _, l := range slices.Backward(k.Leaves) {
			if to := rec.Get(l); l.Ref.Timeline && to.Set {
				of := record.KindOf(l.Target.Name)
				if name, err := r.name(ctx, of, to.UUID()); name != "" || err != nil {
					return name, page(of, to.UUID()), err
				}
			}
		}
	}
	name, err = r.name(ctx, k, id)
	return name, page(k, id), err
}

func page(k *record.Kind, id schema.UUID) string {
	return "/app/" + k.Plural + "/" + schema.FormatID(k.Name, id)
}

// name is how a record is known; nothing where they may not read it.
func (r reader) name(ctx context.Context, k *record.Kind, id schema.UUID) (string, error) {
	rec, err := r.Get(ctx, k, schema.FormatID(k.Name, id))
	if err != nil {
		return "", unlessHidden(err)
	}
	for _, l := range k.Names {
		if v := rec.Get(l); v.Set {
			return short(v.S), nil
		}
	}
	return "", nil
}

// short is the beginning of a text, as fits on a line.
func short(text string) string {
	text = strings.Join(strings.Fields(crm.WithoutMentions(text)), " ")
	if runes := []rune(text); len(runes) > mostShown {
		return string(runes[:mostShown]) + "…"
	}
	return text
}

// unlessHidden is what went wrong, but that somebody may not see a record, or that it is gone.
func unlessHidden(err error) error {
	if p := problem.As(err); p != nil && !p.Code.WorthRetrying() {
		return nil
	}
	return err
}
