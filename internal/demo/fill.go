package demo

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// batch is how many contacts are added in one transaction. It is small enough that a server that writes to the same database is not kept
// waiting, and that little is lost when the work is interrupted.
const batch = 2000

// Filled tells what Fill did.
type Filled struct {
	// Contacts are there now, in this many Businesses; Made of them are new.
	Contacts, Businesses, Made int
}

// Fill brings the demo's businesses to a number of contacts in all, spread like city sizes: the second business has half as many as the
// first, the third a third. The first is the one that Make makes, and must be there. What is there already is kept, so that Fill can be
// interrupted and run again. progress is told after each step how many contacts there are.
func Fill(ctx context.Context, e *record.Engine, contacts, businesses int, now time.Time, progress func(contacts int)) (Filled, error) {
	done := Filled{Businesses: businesses}
	hash, err := oauth.HashPassword(Password)
	if err != nil {
		return done, err
	}
	for i, want := range shares(contacts, businesses) {
		t, err := open(ctx, e, i+1, hash, now)
		if err != nil {
			return done, err
		}
		f := &filler{tenant: t, number: i + 1, want: want, now: now}
		made, have, err := f.fill(ctx, func(have int) { progress(done.Contacts + have) })
		done.Contacts, done.Made = done.Contacts+have, done.Made+made
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// shares splits a number exactly: one for everybody, and the rest in proportion to 1, 1/2, 1/3 and so on.
func shares(total, parts int) []int {
	sum := 0.0
	for i := range parts {
		sum += 1 / float64(i+1)
	}
	all := make([]int, parts)
	rest := total - parts
	left := rest
	for i := range all {
		n := int(float64(rest) / float64(i+1) / sum)
		all[i] = 1 + n
		left -= n
	}
	for i := range left {
		all[i%parts]++
	}
	return all
}

// open gives the demo's n-th business, and makes it where it is not there.
func open(ctx context.Context, e *record.Engine, n int, hash string, now time.Time) (store.Tenant, error) {
	t, err := find(ctx, e, n)
	if !errors.Is(err, store.ErrNotFound) {
		return t, err
	}
	r := rand.New(rand.NewPCG(uint64(n), 0))
	home := &countries[n%len(countries)]
	name := fmt.Sprintf("%s %s %s", pick(r, home.last), pick(r, trades), pick(r, home.firm))
	admin := account.Person{
		Email: fmt.Sprintf("demo%d@kith.example", n), Name: pick(r, home.first) + " " + pick(r, home.last), PasswordHash: hash,
	}
	t, _, err = create(ctx, e, n, name, "EUR", yearsBefore(now, 3), admin, func(tx *store.Tx, who *record.Principal) error {
		for i := range 1 + n%5 {
			text := schema.AppendString([]byte(`{"name":`), pick(r, home.first)+" "+pick(r, home.last))
			text = fmt.Appendf(text, `,"email":"user%d.%d@kith.example","status":"active"}`, n, i+1)
			if _, err := e.Add(tx, who, record.KindOf("user"), string(text)); err != nil {
				return err
			}
		}
		return nil
	})
	return t, err
}

// filler adds contacts and their companies to one business. It makes complete records itself, as the engine would, and hands them to the
// store by the thousand.
type filler struct {
	tenant store.Tenant
	number int
	want   int
	now    time.Time
	// begin is when the first of the new contacts was made, and first its place; step is how long it is from one to the next.
	begin time.Time
	first int
	step  time.Duration

	rng       *rand.Rand
	users     []schema.Value
	lifecycle []schema.Value
	companies []*schema.Record
	homes     []*country
}

func (f *filler) fill(ctx context.Context, progress func(have int)) (made, have int, err error) {
	contacts := record.KindOf("contact")
	count, err := f.tenant.Count(ctx, &contacts.Resource)
	if err != nil {
		return 0, 0, err
	}
	have = int(count)
	if have >= f.want {
		return 0, have, nil
	}
	if f.begin, err = f.newest(ctx); err != nil {
		return 0, have, err
	}
	f.first, f.step = have, max(f.now.Sub(f.begin)/time.Duration(f.want-have+1), time.Microsecond)
	for have < f.want {
		n := min(batch, f.want-have)
		err := f.tenant.Write(ctx, store.Actor{}, func(tx *store.Tx) error { return f.add(tx, have, n) })
		if err != nil {
			return made, have, err
		}
		made, have = made+n, have+n
		progress(have)
	}
	return made, have, nil
}

// newest is when the business got its last contact or company, and three years ago where it has none. New ones come after it: records that
// lie in the order of their creation are what a business has that grew by itself, and what text searches are fast on.
func (f *filler) newest(ctx context.Context) (time.Time, error) {
	newest := yearsBefore(f.now, 3)
	for _, kind := range []string{"contact", "company"} {
		res := &record.KindOf(kind).Resource
		created := res.Common.CreatedAt
		q := &query.Query{Resource: res, Order: query.Path{Ref: -1, Leaf: created}, Desc: true, Limit: 1, Leaves: []*schema.Leaf{created}}
		_, err := f.tenant.Search(ctx, q, func(values []schema.Value) error {
			if at := values[0].Time().Add(time.Microsecond); at.After(newest) {
				newest = at
			}
			return nil
		})
		if err != nil {
			return newest, err
		}
	}
	return newest, nil
}

// add makes the contacts from a place in the business's own order on, and the companies that they work for.
func (f *filler) add(tx *store.Tx, from, n int) error {
	// Its own random numbers for each batch: it may run again after a conflict, or after an interruption.
	f.rng = rand.New(rand.NewPCG(uint64(f.number), uint64(from)+1))
	if err := f.settings(tx); err != nil {
		return err
	}
	admin := f.users[0].UUID()
	tx.At(tx.Now, store.Actor{User: admin})
	begin := f.begin.Add(f.step * time.Duration(from-f.first))

	f.companies, f.homes = nil, nil
	for range 1 + n/8 {
		f.companies = append(f.companies, f.company(begin))
	}
	if err := tx.InsertMany(&record.KindOf("company").Resource, f.companies, "create"); err != nil {
		return err
	}
	contacts := make([]*schema.Record, n)
	for i := range contacts {
		contacts[i] = f.contact(begin.Add(f.step*time.Duration(i) + time.Duration(f.rng.Int64N(int64(f.step)))))
	}
	return tx.InsertMany(&record.KindOf("contact").Resource, contacts, "create")
}

// settings reads whom the records can belong to. The administrator, who is older than all others, comes first.
func (f *filler) settings(tx *store.Tx) error {
	f.users, f.lifecycle = nil, nil
	users, err := tx.Find(&record.KindOf("user").Resource, 50)
	if err != nil {
		return err
	}
	for _, u := range users {
		if u.Text(account.Users.Status) == "active" {
			f.users = append(f.users, u.Get(account.Users.ID))
		}
	}
	stages, err := tx.Find(&record.KindOf("lifecycle_stage").Resource, 50)
	for _, s := range stages {
		f.lifecycle = append(f.lifecycle, s.Get(crm.LifecycleStages.ID))
	}
	if len(f.users) == 0 || len(f.lifecycle) == 0 {
		return errors.Join(err, errors.New("the business has no active user or no lifecycle stage any more"))
	}
	return err
}

// record begins a complete record: what kith itself fills in, and what companies and contacts share.
func (f *filler) record(kind string, lifecycle *schema.Leaf, at time.Time) *schema.Record {
	rec := schema.NewRecord(&record.KindOf(kind).Shape)
	common := &rec.Common
	rec.Put(common.ID, schema.IDValue(schema.NewID(at)))
	for _, l := range []*schema.Leaf{common.CreatedAt, common.UpdatedAt} {
		rec.Put(l, schema.TimeValue(at))
	}
	for _, l := range []*schema.Leaf{common.CreatedBy, common.UpdatedBy} {
		rec.Put(l, f.users[0])
	}
	rec.Put(common.Version, schema.IntValue(schema.Integer, 1))
	// Half of everything belongs to few people, as in life.
	owner := min(f.rng.IntN(len(f.users)), f.rng.IntN(len(f.users)))
	rec.Put(common.OwnerID, f.users[owner])
	stage := min(f.rng.IntN(len(f.lifecycle)), f.rng.IntN(len(f.lifecycle)))
	rec.Put(lifecycle, f.lifecycle[stage])
	return rec
}

func (f *filler) company(at time.Time) *schema.Record {
	r, fields := f.rng, &crm.Companies
	home := &countries[r.IntN(len(countries))]
	f.homes = append(f.homes, home)
	rec := f.record("company", fields.LifecycleStageID, at)
	name := pick(r, home.last) + " " + pick(r, trades)
	domain := fmt.Sprintf("%s-%d.example", slug(name), r.IntN(10000))
	rec.PutText(fields.Name, name)
	rec.PutText(fields.LegalName, name+" "+pick(r, home.firm))
	rec.PutText(fields.Domain, domain)
	rec.PutText(fields.Website, "https://www."+domain)
	rec.PutText(fields.Phone, number(r, home.phone))
	rec.PutText(fields.Industry, pick(r, industries))
	rec.PutText(fields.Currency, "EUR")
	rec.Put(fields.EmployeeCount, schema.IntValue(schema.Integer, int64(1+r.IntN(30)*r.IntN(30))))
	f.address(rec, fields.Address, home)
	return rec
}

func (f *filler) address(rec *schema.Record, fields crm.AddressFields, home *country) {
	where := pick(f.rng, home.cities)
	rec.PutText(fields.Street, home.street(f.rng))
	rec.PutText(fields.City, where.name)
	rec.PutText(fields.Region, where.region)
	rec.PutText(fields.PostalCode, where.postal)
	rec.PutText(fields.Country, home.name)
}

func (f *filler) contact(at time.Time) *schema.Record {
	r, fields := f.rng, &crm.Contacts
	rec := f.record("contact", fields.LifecycleStageID, at)
	home, domain := &countries[r.IntN(len(countries))], "mail.example"
	if chance(r, 85) {
		// Few companies employ many of the people.
		i := min(r.IntN(len(f.companies)), r.IntN(len(f.companies)))
		home, domain = f.homes[i], f.companies[i].Text(crm.Companies.Domain)
		rec.Put(fields.CompanyID, f.companies[i].Get(crm.Companies.ID))
		rec.PutText(fields.JobTitle, pick(r, jobTitles))
	}
	first, last := pick(r, home.first), pick(r, home.last)
	rec.PutText(fields.FirstName, first)
	rec.PutText(fields.LastName, last)
	rec.PutText(fields.Name, first+" "+last)
	if chance(r, 92) {
		rec.PutText(fields.Email, mailbox(first, last, domain))
	}
	if chance(r, 70) {
		rec.PutText(fields.Phone, number(r, home.phone))
	}
	if chance(r, 30) {
		rec.PutText(fields.MobilePhone, number(r, home.mobile))
	}
	if chance(r, 80) {
		rec.Put(fields.LeadScore, schema.FloatValue(float64(r.IntN(1001))/10))
	}
	rec.PutText(fields.LeadSource, pick(r, leadSources))
	rec.PutText(fields.Timezone, home.timezone)
	rec.Put(fields.DoNotContact, schema.BoolValue(chance(r, 2)))
	if chance(r, 60) {
		rec.Put(fields.LastContactedAt, schema.TimeValue(at.Add(time.Duration(r.Int64N(max(1, int64(f.now.Sub(at))))))))
	}
	if chance(r, 15) {
		rec.PutText(fields.Tags, pick(r, []string{`["newsletter"]`, `["VIP"]`, `["trade fair"]`}))
	}
	f.address(rec, fields.Address, home)
	return rec
}
