package demo

import (
	"context"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
)

// tell fills the demo business with its year. It runs inside the transaction that makes the business.
func tell(ctx context.Context, e *record.Engine, tx *store.Tx, who *record.Principal, hash string, now time.Time) error {
	admin := *who
	s := &story{
		hash: hash, ctx: ctx, engine: e, tx: tx, admin: &admin, rng: rand.New(rand.NewPCG(2026, 11)), now: now.UTC(),
		today: midnight(now),
	}
	start := tx.Now
	for _, step := range []func() error{s.colleagues, s.shelf, s.customers} {
		if err := s.as(start, "", step); err != nil {
			return err
		}
	}
	if err := s.play(); err != nil {
		return err
	}
	tx.At(now, store.Actor{User: who.User})
	for _, own := range ownFields {
		if _, err := s.add("field", own); err != nil {
			return err
		}
	}
	return nil
}

// ownFields are what the business adds to its records, at the end of the year.
var ownFields = []fields{
	{
		"resource": "company", "name": "tier", "kind": "select", "help": "How closely we look after them.",
		"options": []fields{
			{"value": "gold", "colour": "yellow"},
			{"value": "silver", "colour": "gray"},
			{"value": "bronze", "colour": "orange"},
		},
	},
	{"resource": "contact", "name": "newsletter", "kind": "boolean", "help": "Whether they asked for it."},
	{
		"resource": "deal", "name": "partner_id", "label": "Partner", "kind": "reference", "target": "company",
		"help": "Who brought it to us.",
	},
}

// views are searches that everybody in the business finds ready.
var views = []fields{
	{
		"name": "Open deals", "resource": "deal", "layout": "board", "group_by": "stage_id", "shared": true,
		"search": fields{
			"filters": []fields{{"field": "status", "operator": "eq", "value": "open"}}, "order_by": "expected_close_date",
			"sort_direction": "asc",
		},
		"columns": []string{"name", "company.name", "amount", "expected_close_date"},
	},
	{
		"name": "My tasks this week", "resource": "task", "shared": true,
		"search": fields{"filters": []fields{
			{"field": "assignee_id", "operator": "eq", "value": "@me"},
			{"field": "status", "operator": "in", "values": []string{"open", "in_progress"}},
			{"field": "due_at", "operator": "lt", "value": "@week_start+1w"},
		}, "order_by": "due_at", "sort_direction": "asc"},
		"columns": []string{"title", "due_at", "priority", "contact.name"},
	},
	{
		"name": "Warm leads", "resource": "contact", "shared": true,
		"search":  fields{"filters": []fields{{"field": "lead_score", "operator": "gte", "value": 60}}, "order_by": "lead_score"},
		"columns": []string{"name", "company.name", "lead_score", "last_contacted_at"},
	},
}

// colleagues adds the second pipeline and the users: one of every role and status.
func (s *story) colleagues() error {
	_, err := s.add("pipeline", fields{"name": "Renewals", "stages": []fields{
		{"name": "Due", "probability": 60},
		{"name": "Offer sent", "probability": 75},
		{"name": "Verbal yes", "probability": 90},
		{"name": "Renewed", "kind": "won"},
		{"name": "Cancelled", "kind": "lost"},
	}})
	if err != nil {
		return err
	}
	if err := s.settings(); err != nil {
		return err
	}
	for _, view := range views {
		if _, err := s.add("view", view); err != nil {
			return err
		}
	}
	roles, err := s.tx.Find(&record.KindOf("role").Resource, 20)
	if err != nil {
		return err
	}
	role := map[string]string{}
	for _, r := range roles {
		role[r.Text(account.Roles.Name)] = schema.FormatID("role", r.ID())
	}
	for _, u := range []struct{ name, role, status, timezone, locale string }{
		{"Ingrid Sørensen", "manager", "active", "Europe/Copenhagen", "da-DK"},
		{"José Álvarez", "member", "active", "Europe/Madrid", "es-ES"},
		{"Priya Nair", "member", "active", "Asia/Kolkata", "en-IN"},
		{"Tomasz Wójcik", "member", "active", "Europe/Warsaw", "pl-PL"},
		{"Hannah Becker", "viewer", "active", "Europe/Berlin", "de-DE"},
		{"Yūki Tanaka", "member", "invited", "Asia/Tokyo", "ja-JP"},
		{"Paul O'Brien", "member", "suspended", "Europe/London", "en-GB"},
	} {
		id, err := s.add("user", fields{
			"name": u.name, "email": slug(strings.Fields(u.name)[0]) + "@kith.example", "status": u.status,
			"role_id": role[u.role], "timezone": u.timezone, "locale": u.locale,
		})
		if err != nil {
			return err
		}
		if u.status != "active" {
			continue
		}
		uuid, err := schema.ParseID("user", id)
		if err != nil {
			return err
		}
		if err := keep.SetPassword(s.tx, uuid, s.hash); err != nil {
			return err
		}
		if u.role != "viewer" {
			s.sellers = append(s.sellers, id)
		}
	}
	return nil
}

// shelf adds the products, and plans when some of them go.
func (s *story) shelf() error {
	for _, p := range catalogue {
		f := fields{
			"sku": p.sku, "name": p.name, "category": p.category, "price": p.price, "cost": p.cost, "unit": p.unit, "tax_rate": 19,
			"description": p.about,
		}
		if p.category == "Beans" || p.category == "Subscriptions" {
			f["tax_rate"] = 7
		}
		if billing, ok := map[string]string{"month": "monthly", "year": "yearly"}[p.unit]; ok {
			f["billing_frequency"] = billing
		}
		draft := p.sku == "ESP-400"
		if draft {
			f["status"] = "draft"
		}
		id, err := s.add("product", f)
		if err != nil {
			return err
		}
		if !draft {
			s.products = append(s.products, product{p, id})
		}
		switch leaves := departures[p.sku]; {
		case leaves.deleted:
			s.on(leaves.daysAgo, "", func() error { return s.remove("product", id) })
		case leaves.daysAgo > 0:
			s.on(leaves.daysAgo, "", func() error { return s.patch("product", id, fields{"status": "archived"}) })
		}
	}
	return nil
}

// product is one that is sold, with the id of its record.
type product struct {
	item
	id string
}

// firm is a customer with its people.
type firm struct {
	id, owner string
	name      string
	domain    string
	home      *country
	people    []*person
	since     int
}

type person struct{ id, name string }

// customers plans the companies over the first ten months, and what happens with each.
func (s *story) customers() error {
	for i, c := range customers {
		f := &firm{
			name: c.name, home: &countries[c.country], domain: slug(c.name) + ".example", owner: pick(s.rng, s.sellers),
			since: 350 - i*9 - s.rng.IntN(8),
		}
		s.companies = append(s.companies, f)
		where := pick(s.rng, f.home.cities)
		for _, at := range f.home.cities {
			if strings.Contains(c.name, at.name) {
				where = at // as the name says
			}
		}
		s.on(f.since, f.owner, func() error {
			data := fields{
				"name": c.name, "legal_name": c.name + " " + pick(s.rng, f.home.firm), "domain": f.domain,
				"website": "https://www." + f.domain, "email": "info@" + f.domain, "phone": number(s.rng, f.home.phone),
				"industry": c.industry, "company_type": c.kind, "employee_count": c.employees, "annual_revenue": c.revenue,
				"owner_id": f.owner, "address": s.address(f.home, where),
			}
			if parent, ok := parents[i]; ok {
				data["parent_company_id"] = s.companies[parent].id
			}
			if c.kind == "customer" && i%3 == 0 {
				data["tags"] = []string{"key account"}
			}
			var err error
			if f.id, err = s.add("company", data); err != nil {
				return err
			}
			return s.meet(f, where)
		})
		for range 1 + s.rng.IntN(3) {
			s.on(f.since-1-s.rng.IntN(60), f.owner, func() error { return s.meet(f, where) })
		}
		for n := range 2 + s.rng.IntN(2) {
			begin := f.since - 3 - n*70 - s.rng.IntN(30)
			if begin < 3 {
				begin = 3 + s.rng.IntN(min(60, f.since-3))
			}
			s.negotiate(f, begin)
		}
		for range 4 + s.rng.IntN(3) {
			s.talk(f, f.since-1-s.rng.IntN(max(1, f.since)))
		}
	}
	s.duplicates()
	s.agenda()
	return nil
}

// agenda plans the last two weeks, and what is to be done in the next: whoever opens the demo finds things due today and in the
// days to come, and a few that somebody let lie.
func (s *story) agenda() {
	for daysAgo := range 12 {
		s.talk(s.companies[(5*daysAgo+3)%len(s.companies)], daysAgo)
	}
	for i, ahead := range []int{0, 1, 2, 0, 4, 6, 9, 1, 13, 3, 17, 0, 24, 5, 31, -1, 2, 42, -3, 11, -6} {
		f := s.companies[(3*i+1)%len(s.companies)]
		s.on(max(1, -ahead)+1+s.rng.IntN(9), f.owner, func() error {
			id, err := s.newTask(f, pick(s.rng, f.people).id, "", -ahead)
			if i%5 == 4 {
				s.on(0, f.owner, func() error { return s.patch("task", id, fields{"status": "in_progress"}) })
			}
			return err
		})
	}
}

func (s *story) address(c *country, where city) fields {
	return fields{"street": c.street(s.rng), "city": where.name, "region": where.region, "postal_code": where.postal, "country": c.name}
}

// meet adds a contact at a company.
func (s *story) meet(f *firm, where city) error {
	first, last := pick(s.rng, f.home.first), pick(s.rng, f.home.last)
	data := fields{
		"first_name": first, "last_name": last, "email": mailbox(first, last, f.domain), "phone": number(s.rng, f.home.phone),
		"job_title": pick(s.rng, jobTitles), "company_id": f.id, "owner_id": f.owner, "lead_source": pick(s.rng, leadSources),
		"address": s.address(f.home, where), "timezone": f.home.timezone, "lead_score": s.rng.IntN(101),
	}
	if chance(s.rng, 40) {
		data["mobile_phone"] = number(s.rng, f.home.mobile)
	}
	if chance(s.rng, 20) {
		data["tags"] = pick(s.rng, [][]string{{"newsletter"}, {"newsletter", "trade fair"}, {"VIP"}, {"référence"}})
	}
	if chance(s.rng, 40) {
		data["lifecycle_stage_id"] = s.lifecycle["Qualified"]
	}
	if chance(s.rng, 30) {
		data["linkedin_url"] = "https://www.linkedin.example/in/" + slug(first+" "+last)
	}
	if chance(s.rng, 4) {
		data["do_not_contact"] = true
	}
	id, err := s.add("contact", data)
	f.people = append(f.people, &person{id, first + " " + last})
	return err
}

// talk plans an activity with somebody at a company, and now and then a note and a task that come of it.
func (s *story) talk(f *firm, daysAgo int) {
	s.on(daysAgo, f.owner, func() error {
		who, c := pick(s.rng, f.people), pick(s.rng, conversations)
		data := fields{
			"activity_type": c.kind, "direction": c.direction, "subject": c.subject + ": " + f.name, "outcome": c.outcome,
			"body": "With " + who.name + ".", "occurred_at": s.past(daysAgo, 7), "contact_id": who.id, "company_id": f.id,
			"owner_id": f.owner,
		}
		if c.minutes > 0 {
			data["duration_seconds"] = 60*c.minutes + s.rng.IntN(60)
		}
		if c.kind == "meeting" {
			data["location"] = f.name
		}
		if _, err := s.add("activity", data); err != nil {
			return err
		}
		if chance(s.rng, 25) {
			if err := s.note(f, who.id, "", daysAgo); err != nil {
				return err
			}
		}
		if chance(s.rng, 30) {
			return s.task(f, who.id, "", daysAgo)
		}
		return nil
	})
}

// note adds a note and may plan that somebody pins it.
func (s *story) note(f *firm, contact, deal string, daysAgo int) error {
	data := fields{"body": pick(s.rng, noteTexts), "company_id": f.id, "contact_id": contact}
	if deal != "" {
		data["deal_id"], data["title"] = deal, "About the offer"
	}
	id, err := s.add("note", data)
	if chance(s.rng, 30) {
		s.on(daysAgo-1, f.owner, func() error { return s.act("note", id, "pin", nil) })
	}
	return err
}

// task adds a task and plans what becomes of it. Few are still open long after they were due.
func (s *story) task(f *firm, contact, deal string, daysAgo int) error {
	due := daysAgo - 2 - s.rng.IntN(20)
	id, err := s.newTask(f, contact, deal, due)
	switch n := s.rng.IntN(20); {
	case n < 15:
		s.on(due+s.rng.IntN(2), f.owner, func() error { return s.act("task", id, "complete", nil) })
	case n < 18:
		s.on(daysAgo-1, f.owner, func() error { return s.patch("task", id, fields{"status": "cancelled"}) })
	case n < 19:
		s.on(daysAgo-1, f.owner, func() error { return s.patch("task", id, fields{"status": "in_progress"}) })
	}
	return err
}

// newTask adds a task that is due some days ago; a negative number is a day to come.
func (s *story) newTask(f *firm, contact, deal string, due int) (string, error) {
	data := fields{
		"title": pick(s.rng, taskTitles), "task_type": pick(s.rng, []string{"call", "email", "follow_up", "visit"}),
		"due_at":   s.hour(due, 15),
		"priority": pick(s.rng, []string{"low", "normal", "normal", "high", "urgent"}), "contact_id": contact, "company_id": f.id,
	}
	if deal != "" {
		data["deal_id"] = deal
	}
	if chance(s.rng, 30) {
		data["assignee_id"] = pick(s.rng, s.sellers)
	}
	if chance(s.rng, 35) {
		data["description"] = "For " + f.name + "."
	}
	return s.add("task", data)
}

// duplicates plans what ended up in the bin: contacts that were entered twice.
func (s *story) duplicates() {
	for i := range 3 {
		f := s.companies[2+5*i]
		var id string
		s.on(f.since-1, f.owner, func() (err error) {
			id, err = s.add("contact", fields{
				"name": f.people[0].name + " (duplicate)", "company_id": f.id, "email": "info@" + f.domain,
			})
			return err
		})
		s.on(f.since-4, f.owner, func() error { return s.remove("contact", id) })
	}
}
