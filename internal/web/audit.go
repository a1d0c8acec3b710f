package web

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"kith/internal/body"
	"kith/internal/crm"
	"kith/internal/query"
	"kith/internal/schema"
)

// auditRow is a line of the audit log.
type auditRow struct {
	Action, Actor, Address string
	CreatedAt              time.Time `json:"created_at"`
	UserID                 string    `json:"user_id"`
	RecordID               string    `json:"record_id"`
	Fields                 []string
	Count                  int64
	// Who is the name of the user who acted, where who looks may see it.
	Who string
}

type auditPage struct {
	Form *form
	// Actions are what can be chosen, and People tells that one can look for somebody.
	Actions []string
	People  bool
	Lines   listPage[auditRow]
}

// audit shows the audit log of the business, the latest first. What is looked for is in the address.
func (v *visit) audit() error {
	f := newForm(v.r.URL.Query())
	_, unseen := v.who.Allow(&crm.KindOf("user").Resource, crm.Read)
	p := auditPage{Form: f, Actions: crm.AuditActions(), People: unseen == nil}
	filters, err := v.auditFilters(f, p.People)
	if err != nil {
		return err
	}
	if f.ok() {
		p.Lines, err = listed[auditRow](v, v.paged(map[string]any{"order_by": "created_at", "sort_direction": "desc", "filters": filters}), func(n *body.Node, each func(*query.Query, []schema.Value)) (crm.List, error) {
			return v.engine.SearchAudit(v.r.Context(), v.call(), n, each)
		})
		if err = f.blame(err, map[string]string{"filters": "from"}); err != nil {
			return err
		}
	}
	if p.People {
		if err := v.nameActors(p.Lines.Rows); err != nil {
			return err
		}
	}
	status := http.StatusOK
	if !f.ok() {
		status = http.StatusUnprocessableEntity
	}
	v.show(status, "audit", p)
	return nil
}

// auditFilters are what a form looks for.
func (v *visit) auditFilters(f *form, people bool) (filters []any, err error) {
	add := func(field, operator, value string) {
		filters = append(filters, map[string]any{"field": field, "operator": operator, "value": value})
	}
	if action := f.Get("action"); action != "" {
		if add("action", "eq", action); !slices.Contains(crm.AuditActions(), action) {
			f.wrong("action", "is none of those that are told")
		}
	}
	if email := f.Get("user"); email != "" && people {
		id, err := v.whoHas(email)
		if err != nil {
			return nil, err
		}
		if add("user_id", "eq", id); id == "" {
			f.wrong("user", "is nobody’s here")
		}
	}
	for _, end := range []struct {
		name, operator string
		days           int
	}{{"from", "gte", 0}, {"to", "lt", 1}} {
		if f.Get(end.name) == "" {
			continue
		}
		day, err := time.Parse(time.DateOnly, f.Get(end.name))
		if err != nil {
			f.wrong(end.name, "must be a day, such as 2026-01-31")
			continue
		}
		add("created_at", end.operator, day.AddDate(0, 0, end.days).Format(time.RFC3339))
	}
	return filters, nil
}

// whoHas finds the user with an e-mail address, a deleted one, too.
func (v *visit) whoHas(email string) (id string, err error) {
	for _, bin := range []bool{false, true} {
		found, err := searchIn[userRow](v, crm.KindOf("user"), bin, map[string]any{"limit": 1, "filters": []any{map[string]any{"field": "email", "operator": "eq", "value": email}}})
		if err != nil || len(found.Rows) > 0 {
			return append(found.Rows, userRow{})[0].ID, err
		}
	}
	return "", nil
}

// nameActors says who acted, as far as they are users still.
func (v *visit) nameActors(lines []auditRow) error {
	var ids []string
	for _, l := range lines {
		if l.UserID != "" {
			ids = append(ids, l.UserID)
		}
	}
	slices.Sort(ids)
	if ids = slices.Compact(ids); len(ids) == 0 {
		return nil
	}
	names := map[string]string{}
	for _, bin := range []bool{false, true} {
		found, err := searchIn[userRow](v, crm.KindOf("user"), bin, map[string]any{"limit": 100, "filters": []any{map[string]any{"field": "id", "operator": "in", "values": ids}}})
		if err != nil {
			return err
		}
		for _, u := range found.Rows {
			names[u.ID] = u.Name
		}
	}
	for i := range lines {
		lines[i].Who = names[lines[i].UserID]
	}
	return nil
}

// spoken puts an action of the audit log, or the name of a field, into words: login.succeeded is "login succeeded".
func spoken(name string) string { return strings.NewReplacer(".", " ", "_", " ").Replace(name) }
