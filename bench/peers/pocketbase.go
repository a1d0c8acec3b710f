package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/pocketbase/dbx"
	"github.com/pocketbase/pocketbase"
	"github.com/pocketbase/pocketbase/core"
	"github.com/pocketbase/pocketbase/tools/security"
	"github.com/pocketbase/pocketbase/tools/types"

	"kith/internal/schema"
	"kith/internal/store"
)

// pocketBase is a PocketBase that keeps the contacts of all businesses in one collection, each business's own by a rule.
type pocketBase struct {
	dir string
	// token is of a user of the largest business.
	token string
}

// servePocketBase runs PocketBase as its own program does, but for the name of the option with the address.
func servePocketBase(context.Context) error {
	flags := flag.NewFlagSet("pocketbase", flag.ContinueOnError)
	dir := flags.String("dir", "", "where the data is")
	addr := flags.String("addr", "", "the address to listen on")
	flags.String("debug-addr", "", "not used")
	if err := flags.Parse(os.Args[2:]); err != nil {
		return err
	}
	os.Args = []string{os.Args[0], "serve", "--http", *addr, "--dir", *dir, "--dev=false"}
	return pocketbase.New().Start()
}

func (p *pocketBase) Serve() (path, program string, args []string) {
	return "/api/health", os.Args[0], []string{"pocketbase", "--dir", p.dir}
}

// column is a column of kith's contacts and the field that takes its values.
type column struct {
	name  string
	kind  schema.Kind
	field core.Field
}

// Load makes the collections, with a rule that keeps businesses apart and an index for each order and exact filter that is measured, and
// copies the contacts with SQL, 5,000 in a transaction.
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
	contacts := core.NewBaseCollection("contacts")
	columns := []column{
		{"id", schema.ID, contacts.Fields.GetByName("id")},
		{"business_id", schema.Integer, &core.RelationField{Name: "business", CollectionId: businesses.Id, Required: true}},
		{"owner_id", schema.ID, &core.RelationField{Name: "owner", CollectionId: users.Id}},
		{"first_name", schema.Text, &core.TextField{Name: "first_name"}},
		{"last_name", schema.Text, &core.TextField{Name: "last_name"}},
		{"name", schema.Text, &core.TextField{Name: "name", Required: true}},
		{"email", schema.Text, &core.EmailField{Name: "email"}},
		{"phone", schema.Text, &core.TextField{Name: "phone"}},
		{"job_title", schema.Text, &core.TextField{Name: "job_title"}},
		{"address_city", schema.Text, &core.TextField{Name: "city"}},
		{"lead_score", schema.Number, &core.NumberField{Name: "lead_score"}},
		{"last_contacted_at", schema.Time, &core.DateField{Name: "last_contacted_at"}},
		{"created_at", schema.Time, &core.AutodateField{Name: "created", OnCreate: true}},
		{"updated_at", schema.Time, &core.AutodateField{Name: "updated", OnCreate: true, OnUpdate: true}},
	}
	for _, c := range columns {
		contacts.Fields.Add(c.field)
	}
	own := "business = @request.auth.business"
	contacts.ListRule, contacts.ViewRule, contacts.CreateRule, contacts.UpdateRule = &own, &own, &own, &own
	for _, order := range []string{"created", "owner, updated", "email", "name", "last_contacted_at"} {
		contacts.AddIndex("contacts_by_"+strings.ReplaceAll(order, ", ", "_"), false, "business, "+order+", id", "")
	}
	if err := app.Save(contacts); err != nil {
		return err
	}
	if err := copyContacts(ctx, app, from, columns); err != nil {
		return err
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

// copyContacts copies the contacts, the businesses they are in and the users who own them, in the order in which kith got them.
func copyContacts(ctx context.Context, app core.App, from *store.Store, columns []column) error {
	var names []string
	var kinds []schema.Kind
	for _, c := range columns {
		names, kinds = append(names, c.name), append(kinds, c.kind)
	}
	all := store.Ran{SQL: "SELECT " + strings.Join(names, ", ") + " FROM contacts ORDER BY rid"}
	var batch []insertion
	var failed error
	seen := map[any]bool{}
	err := from.Read(ctx, []store.Ran{all}, [][]schema.Kind{kinds}, func(_ int, row []schema.Value) bool {
		contact := dbx.Params{}
		for i, c := range columns {
			contact[c.field.GetName()] = plainValue(c.kind, row[i])
		}
		business, owner := contact["business"], contact["owner"]
		if !seen[business] {
			batch = append(batch, insertion{"businesses", dbx.Params{"id": business, "name": business}})
		}
		if !seen[owner] {
			batch = append(batch, insertion{"users", dbx.Params{"id": owner, "business": business, "email": fmt.Sprint(owner, "@bench.example"), "password": "fits none", "tokenKey": security.RandomString(50)}})
		}
		seen[business], seen[owner] = true, true
		if batch = append(batch, insertion{"contacts", contact}); len(batch) >= 5000 {
			failed = write(app, batch)
			batch = batch[:0]
		}
		return failed == nil
	})
	if err := errors.Join(err, failed); err != nil {
		return err
	}
	return write(app, batch)
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
