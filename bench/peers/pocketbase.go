package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/pocketbase/dbx"
	"github.com/pocketbase/pocketbase"
	"github.com/pocketbase/pocketbase/core"
	"github.com/pocketbase/pocketbase/tools/security"
	"github.com/pocketbase/pocketbase/tools/types"

	"github.com/kith-crm/kith/internal/bench"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/watch"
)

// pocketBase is a PocketBase that keeps the records of all businesses in one collection for each kind, each business's own by a rule.
type pocketBase struct {
	dir string
	// token is of a user of the largest business.
	token string
}

// servePocketBase runs PocketBase as its own program does, but that it tells where it listens.
func servePocketBase(context.Context) error {
	flags := flag.NewFlagSet("pocketbase", flag.ContinueOnError)
	dir := flags.String("dir", "", "where the data is")
	addr := flags.String("addr", "", "the address to listen on")
	flags.String("debug-addr", "", "not used")
	if err := flags.Parse(os.Args[2:]); err != nil {
		return err
	}
	os.Args = []string{os.Args[0], "serve", "--http", *addr, "--dir", *dir, "--dev=false"}
	app := pocketbase.New()
	app.OnServe().BindFunc(func(e *core.ServeEvent) (err error) {
		if e.Listener, err = net.Listen("tcp", *addr); err != nil {
			return err
		}
		told, err := json.Marshal(bench.Announced{Message: bench.Serving, Address: "http://" + e.Listener.Addr().String()})
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%s\n", told)
		return e.Next()
	})
	return app.Start()
}

func (p *pocketBase) Serve() (path, program string, args []string) {
	return "/api/health", os.Args[0], []string{"pocketbase", "--dir", p.dir}
}

// column is a column of a table of kith's and the field that takes its values.
type column struct {
	name  string
	kind  schema.Kind
	field core.Field
}

// table is a table of kith's, the collection that takes its rows, and the orders that have an index.
type table struct {
	collection *core.Collection
	columns    []column
	orders     []string
}

// Load makes the collections, with a rule that keeps businesses apart and an index for each order and exact filter that is measured, and
// copies the records with SQL, 5,000 in a transaction.
func (p *pocketBase) Load(ctx context.Context, from *store.Store) error {
	app := core.NewBaseApp(core.BaseAppConfig{DataDir: p.dir})
	if err := app.Bootstrap(); err != nil {
		return err
	}
	if err := app.RunAllMigrations(); err != nil {
		return err
	}
	if err := addSuperuser(app); err != nil {
		return err
	}
	businesses := core.NewBaseCollection("businesses")
	businesses.Fields.Add(&core.TextField{Name: "name"})
	if err := app.Save(businesses); err != nil {
		return err
	}
	users, err := app.FindCollectionByNameOrId("users")
	if err != nil {
		return err
	}
	users.Fields.Add(&core.RelationField{Name: "business", CollectionId: businesses.Id, Required: true})
	if err := app.Save(users); err != nil {
		return err
	}
	c := copier{app: app, from: from, seen: map[any]bool{}}
	companies, contacts, deals := core.NewBaseCollection("companies"), core.NewBaseCollection("contacts"), core.NewBaseCollection("deals")
	for _, t := range []func() table{
		func() table { return companyTable(companies) },
		func() table { return contactTable(contacts, companies) },
		func() table { return dealTable(deals, companies, contacts) },
	} {
		table := t() // when the collections that it refers to are there
		if err := makeCollection(app, &table, businesses, users); err != nil {
			return err
		}
		if err := c.copy(ctx, table); err != nil {
			return err
		}
	}
	if _, err := app.NonconcurrentDB().NewQuery("ANALYZE").Execute(); err != nil {
		return err
	}
	user, err := app.FindFirstRecordByData(users, "business", businessID(1))
	if err != nil {
		return err
	}
	if p.token, err = user.NewAuthToken(); err != nil {
		return err
	}
	return app.ClearBootstrap()
}

func companyTable(c *core.Collection) table {
	return table{c, []column{
		{"name", schema.Text, &core.TextField{Name: "name", Required: true}},
		{"industry", schema.Text, &core.TextField{Name: "industry"}},
		{"address_city", schema.Text, &core.TextField{Name: "city"}},
	}, []string{"name"}}
}

func contactTable(c, companies *core.Collection) table {
	return table{c, []column{
		{"first_name", schema.Text, &core.TextField{Name: "first_name"}},
		{"last_name", schema.Text, &core.TextField{Name: "last_name"}},
		{"name", schema.Text, &core.TextField{Name: "name", Required: true}},
		{"email", schema.Text, &core.EmailField{Name: "email"}},
		{"phone", schema.Text, &core.TextField{Name: "phone"}},
		{"job_title", schema.Text, &core.TextField{Name: "job_title"}},
		{"address_city", schema.Text, &core.TextField{Name: "city"}},
		{"company_id", schema.ID, &core.RelationField{Name: "company", CollectionId: companies.Id}},
		{"lifecycle_stage_id", schema.ID, &core.TextField{Name: "lifecycle_stage"}},
		{"lead_score", schema.Number, &core.NumberField{Name: "lead_score"}},
		{"last_contacted_at", schema.Time, &core.DateField{Name: "last_contacted_at"}},
	}, []string{"created", "owner, updated", "email", "name", "last_contacted_at", "lifecycle_stage, name", "lead_score", "company"}}
}

func dealTable(c, companies, contacts *core.Collection) table {
	return table{c, []column{
		{"name", schema.Text, &core.TextField{Name: "name", Required: true}},
		{"pipeline_id", schema.ID, &core.TextField{Name: "pipeline"}},
		{"stage_id", schema.ID, &core.TextField{Name: "stage"}},
		{"status", schema.Choice, &core.TextField{Name: "status"}},
		{"amount", schema.Money, &core.NumberField{Name: "amount"}},
		{"currency", schema.Text, &core.TextField{Name: "currency"}},
		{"company_id", schema.ID, &core.RelationField{Name: "company", CollectionId: companies.Id}},
		{"contact_id", schema.ID, &core.RelationField{Name: "contact", CollectionId: contacts.Id}},
	}, []string{"created", "pipeline, stage, created", "status, name"}}
}

// makeCollection adds what all collections share, and makes it.
func makeCollection(app core.App, t *table, businesses, users *core.Collection) error {
	t.columns = append([]column{
		{"id", schema.ID, t.collection.Fields.GetByName("id")},
		{"business_id", schema.Integer, &core.RelationField{Name: "business", CollectionId: businesses.Id, Required: true}},
		{"owner_id", schema.ID, &core.RelationField{Name: "owner", CollectionId: users.Id}},
		{"created_at", schema.Time, &core.AutodateField{Name: "created", OnCreate: true}},
		{"updated_at", schema.Time, &core.AutodateField{Name: "updated", OnCreate: true, OnUpdate: true}},
	}, t.columns...)
	for _, c := range t.columns {
		t.collection.Fields.Add(c.field)
	}
	own := "business = @request.auth.business"
	t.collection.ListRule, t.collection.ViewRule, t.collection.CreateRule, t.collection.UpdateRule = &own, &own, &own, &own
	for _, order := range t.orders {
		t.collection.AddIndex(t.collection.Name+"_by_"+strings.ReplaceAll(order, ", ", "_"), false, "business, "+order+", id", "")
	}
	return app.Save(t.collection)
}

// addSuperuser makes a superuser, without whom PocketBase opens a browser at its start to ask for one.
func addSuperuser(app core.App) error {
	superusers, err := app.FindCollectionByNameOrId(core.CollectionNameSuperusers)
	if err != nil {
		return err
	}
	superuser := core.NewRecord(superusers)
	superuser.SetEmail("superuser@bench.example")
	superuser.SetRandomPassword()
	return app.Save(superuser)
}

// insertion is a row to write.
type insertion struct {
	table  string
	values dbx.Params
}

// copier copies tables, and with them the businesses they are in and the users who own their rows.
type copier struct {
	app  core.App
	from *store.Store
	seen map[any]bool
}

// copy copies the rows of a table in the order in which kith got them.
func (c *copier) copy(ctx context.Context, t table) error {
	var names []string
	for _, column := range t.columns {
		names = append(names, column.name)
	}
	all := watch.Ran{SQL: "SELECT " + strings.Join(names, ", ") + " FROM " + t.collection.Name + " ORDER BY rid"}
	var batch []insertion
	var failed error
	err := watch.Read(ctx, c.from, []watch.Ran{all}, func(_ int, row watch.Row) bool {
		values := dbx.Params{}
		for i, column := range t.columns {
			values[column.field.GetName()] = plainValue(column.kind, row.Value(i, column.kind))
		}
		business, owner := values["business"], values["owner"]
		if !c.seen[business] {
			batch = append(batch, insertion{"businesses", dbx.Params{"id": business, "name": business}})
		}
		if !c.seen[owner] {
			batch = append(batch, insertion{
				"users",
				dbx.Params{
					"id": owner, "business": business, "email": fmt.Sprint(owner, "@bench.example"), "password": "fits none",
					"tokenKey": security.RandomString(50),
				},
			})
		}
		c.seen[business], c.seen[owner] = true, true
		if batch = append(batch, insertion{t.collection.Name, values}); len(batch) >= 5000 {
			failed = write(c.app, batch)
			batch = batch[:0]
		}
		return failed == nil
	})
	if err := errors.Join(err, failed); err != nil {
		return err
	}
	return write(c.app, batch)
}

func write(app core.App, batch []insertion) error {
	return app.RunInTransaction(func(tx core.App) error {
		for _, i := range batch {
			if _, err := tx.NonconcurrentDB().Insert(i.table, i.values).Execute(); err != nil {
				return err
			}
		}
		return nil
	})
}

// plainValue is a value as PocketBase keeps it: where kith has none, it has an empty text. The only integer is the number of a business.
func plainValue(kind schema.Kind, v schema.Value) any {
	switch {
	case !v.Set:
		return ""
	case kind == schema.Integer:
		return businessID(v.N)
	case kind == schema.ID:
		return shortID(v.UUID())
	case kind == schema.Number:
		return v.Float()
	case kind == schema.Money:
		return float64(v.N) / schema.DecimalOne
	case kind == schema.Time:
		return date(v.Time())
	}
	return strings.Clone(v.S)
}

func date(t time.Time) string { return t.UTC().Format(types.DefaultDateLayout) }

func businessID(number int64) string { return fmt.Sprintf("%015d", number) }

// shortID writes the first half of an id of kith's, which is unique in a process and sorts by time, in the 15 characters of PocketBase's.
// So ties in an order are broken alike.
func shortID(id schema.UUID) string {
	var half uint64
	for _, b := range id[:8] {
		half = half<<8 | uint64(b)
	}
	return fmt.Sprintf("%015s", strconv.FormatUint(half, 36))
}
