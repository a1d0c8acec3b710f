package store_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// What brings a feature permission gives it to the roles that would start with it, and to those that had all others.
func TestMigrationGrantsWhatANewFeatureNeeds(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		engine := newEngine(t, s)
		role := record.Registry.Resource("role")
		who, err := account.CreateBusiness(ctx, engine, "One", "EUR", account.Person{Email: "one@grown.example", Name: "One"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		all := `"manage_users","manage_roles","manage_settings","manage_tokens","manage_apps","export"`
		err = who.Tenant.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
			for name, features := range map[string]string{"all": all, "some": `"export"`, "none": ""} {
				if _, err := engine.Add(tx, who, record.KindOf("role"), `{"name":"`+name+`","features":[`+features+`]}`); err != nil {
					return err
				}
			}
			roles, err := tx.Find(role, 100)
			for _, rec := range roles { // as they were before
				before := rec.Clone()
				before.PutText(account.Roles.Features, strings.Replace(rec.Text(account.Roles.Features), `,"erase"`, "", 1))
				if err := tx.Update(role, rec, before, "update"); err != nil {
					return err
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Script(ctx, []string{
			"DROP TABLE erasure", "DROP INDEX not_twins_second",
			"DELETE FROM migration WHERE name = 'erasures'",
		}); err != nil {
			t.Fatal(err)
		}
		if done, err := s.Migrate(ctx); err != nil || len(done) != 1 {
			t.Fatalf("%d steps were done, %v", len(done), err)
		}
		wanted := map[string]bool{
			"admin": true, "all": true, "manager": false, "member": false, "viewer": false, "some": false,
			"none": false,
		}
		roles, err := who.Tenant.All(ctx, role, 100)
		if err != nil || len(roles) != len(wanted) {
			t.Fatalf("%d roles: %v", len(roles), err)
		}
		for _, rec := range roles {
			if name, features := rec.Text(account.Roles.Name),
				rec.Text(account.Roles.Features); strings.Contains(features, `"erase"`) != wanted[name] {
				t.Errorf("%s has %s", name, features)
			} else if changed := rec.Version() == 2; changed != wanted[name] {
				t.Errorf("%s is at version %d", name, rec.Version())
			}
		}
	})
}

// What brings a resource gives the roles that are there their permissions on it: those that a business starts with what they would
// start with now, and those that had everything everything. The others say nothing of it.
func TestMigrationGrantsWhatANewResourceNeeds(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		engine := newEngine(t, s)
		role := record.Registry.Resource("role")
		whole := func(read, write string) string {
			var parts []string
			for _, name := range record.Registry.Names() {
				if name != "field" {
					parts = append(parts, `"`+name+`":{"read":"`+read+`","write":"`+write+`","delete":"all"}`)
				}
			}
			return "{" + strings.Join(parts, ",") + "}"
		}
		made := map[string]string{
			"everything": whole("all", "all"), "nearly": whole("all", "own"),
			"little": `{"contact":{"read":"all","write":"none","delete":"none"}}`, "nothing": "",
		}
		wanted := map[string]string{
			"admin":      `"field":{"read":"all","write":"all","delete":"all"}`,
			"everything": `"field":{"read":"all","write":"all","delete":"all"}`,
			"manager":    `"field":{"read":"all","write":"none","delete":"none"}`,
			"member":     `"field":{"read":"all","write":"none","delete":"none"}`,
			"viewer":     `"field":{"read":"all","write":"none","delete":"none"}`,
			"nearly":     "", "little": "", "nothing": "",
		}
		var tenants []store.Tenant
		for _, name := range []string{"One", "Two"} {
			who, err := account.CreateBusiness(ctx, engine, name, "EUR", account.Person{Email: name + "@grown.example", Name: name}, nil)
			if err != nil {
				t.Fatal(err)
			}
			tenants = append(tenants, who.Tenant)
			err = who.Tenant.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
				for name, permissions := range made {
					if permissions == "" {
						permissions = "{}"
					}
					if _, err := engine.Add(tx, who, record.KindOf("role"),
						`{"name":"`+name+`","permissions":`+permissions+`}`); err != nil {
						return err
					}
				}
				roles, err := tx.Find(role, 100)
				for _, rec := range roles { // as they were before
					old, _, _ := strings.Cut(rec.Text(account.Roles.Permissions), `,"field":`)
					if old == rec.Text(account.Roles.Permissions) {
						continue
					}
					before := rec.Clone()
					before.PutText(account.Roles.Permissions, old+"}")
					if err := tx.Update(role, rec, before, "update"); err != nil {
						return err
					}
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		undo := []string{
			"DROP TABLE fields", "ALTER TABLE business DROP COLUMN shape_seq", "ALTER TABLE views DROP COLUMN missing",
			"ALTER TABLE views DROP COLUMN missing_key",
			"DROP TABLE custom_text", "DROP TABLE custom_number", "DROP TABLE slip_work", // which came with a change of fields
			"DELETE FROM migration WHERE number IN (16, 20)",
		}
		if s.Engine() == "sqlite" {
			undo = append(undo, "DROP TABLE fields_fts")
		}
		if err := s.Script(ctx, undo); err != nil {
			t.Fatal(err)
		}
		if done, err := s.Migrate(ctx); err != nil || len(done) != 2 {
			t.Fatalf("%d steps were done, %v", len(done), err)
		}
		for _, tenant := range tenants {
			seen := 0
			err := tenant.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
				roles, err := tx.Find(role, 100)
				for _, rec := range roles {
					name, permissions := rec.Text(account.Roles.Name), rec.Text(account.Roles.Permissions)
					want, known := wanted[name]
					if seen++; !known {
						t.Errorf("there is a role %s", name)
					}
					_, got, said := strings.Cut(permissions, `"field":`)
					got, _, _ = strings.Cut(got, "}") // behind it is what came later
					if said != (want != "") || said && `"field":`+got+"}" != want {
						t.Errorf("%s has %q, want %q", name, got, want)
					}
					if before, changed := made[name]; changed && !said && permissions != before {
						t.Errorf("%s had %s and has %s", name, before, permissions)
					}
					versions := map[bool]int64{true: 2, false: 1}
					if rec.Version() != versions[said] && want != "" {
						t.Errorf("%s is at version %d", name, rec.Version())
					}
					if !said {
						continue
					}
					logged := false
					if err := tx.History(role, rec.ID(), tx.Now, func(c store.Change) bool {
						logged = strings.Contains(c.Changes, "field") && c.Actor.User == (schema.UUID{})
						return false
					}); err != nil || !logged {
						t.Errorf("the change of %s is not logged as nobody's: %v", name, err)
					}
				}
				return err
			})
			if err != nil || seen != len(wanted) {
				t.Errorf("%d roles were seen: %v", seen, err)
			}
			if _, err := tenant.Get(ctx, record.Registry.Resource("field"), schema.UUID{1}, false); err != store.ErrNotFound {
				t.Errorf("a field that is not there: %v", err)
			}
		}
		if done, err := s.Migrate(ctx); err != nil || len(done) != 0 {
			t.Errorf("a second time %d steps were done, %v", len(done), err)
		}
	})
}

// A business that is older than the reasons of loss gets the usual ones, in its language, and one that has some keeps to these.
func TestMigrationBringsLossReasons(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		engine := newEngine(t, s)
		reasons := record.Registry.Resource("loss_reason")
		tenants := map[string]store.Tenant{}
		for _, name := range []string{"old", "german", "kept"} {
			who, err := account.CreateBusiness(ctx, engine, name, "EUR", account.Person{Email: name + "@reasons.example", Name: name}, nil)
			if err != nil {
				t.Fatal(err)
			}
			tenants[name] = who.Tenant
			err = who.Tenant.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
				all, err := tx.Find(reasons, 100)
				for i, rec := range all {
					if name == "kept" && i == 0 || err != nil {
						continue
					}
					gone := rec.Clone()
					gone.Put(reasons.Common.DeletedAt, schema.TimeValue(tx.Now))
					err = tx.Update(reasons, rec, gone, "delete")
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Script(ctx, []string{
			"UPDATE business SET locale = 'de-AT' WHERE name = 'german'", "ALTER TABLE deals DROP COLUMN past_stages",
			"DELETE FROM migration WHERE name = 'deals_past_stages'",
		}); err != nil {
			t.Fatal(err)
		}
		if done, err := s.Migrate(ctx); err != nil || len(done) != 1 {
			t.Fatalf("%d steps were done, %v", len(done), err)
		}
		for name, want := range map[string]string{
			"old":    "1 Price, 2 Chose a competitor, 3 No budget, 4 No decision, 5 Bad timing",
			"german": "1 Preis, 2 Mitbewerber gewählt, 3 Kein Budget, 4 Keine Entscheidung, 5 Falscher Zeitpunkt",
			"kept":   "1 Price",
		} {
			all, err := tenants[name].All(ctx, reasons, 100)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, rec := range all {
				got = append(got, fmt.Sprint(rec.Get(reasons.Must("position")).N, " ", rec.Text(reasons.Must("name"))))
			}
			if strings.Join(got, ", ") != want {
				t.Errorf("the business %s has the reasons %q, want %q", name, strings.Join(got, ", "), want)
			}
		}
	})
}

// Stages that are there already get the colours with which they would start now.
func TestMigrationColoursStages(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		engine := newEngine(t, s)
		who, err := account.CreateBusiness(ctx, engine, "One", "EUR", account.Person{Email: "one@coloured.example", Name: "One"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		lifecycle, pipeline := record.Registry.Resource("lifecycle_stage"), record.Registry.Resource("pipeline")
		coloured := regexp.MustCompile(`,"colour":"[a-z]+"`)
		err = who.Tenant.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
			for _, res := range []*schema.Resource{lifecycle, pipeline} {
				all, err := tx.Find(res, 100)
				if err != nil {
					return err
				}
				for _, rec := range all { // as they were before
					before := rec.Clone()
					if res == pipeline {
						stages := rec.Text(res.Must("stages"))
						before.Put(res.Must("stages"), schema.TextValue(schema.List, coloured.ReplaceAllString(stages, "")))
					} else {
						before.Put(res.Must("colour"), schema.Absent(schema.Choice))
					}
					if err := tx.Update(res, rec, before, "update"); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Script(ctx, []string{
			"ALTER TABLE lifecycle_stages DROP COLUMN colour", "ALTER TABLE stages DROP COLUMN colour",
			"DELETE FROM migration WHERE name = 'coloured_stages'",
		}); err != nil {
			t.Fatal(err)
		}
		if done, err := s.Migrate(ctx); err != nil || len(done) != 1 {
			t.Fatalf("%d steps were done, %v", len(done), err)
		}
		stages, err := who.Tenant.All(ctx, lifecycle, 100)
		if err != nil || len(stages) != 5 {
			t.Fatalf("%d lifecycle stages: %v", len(stages), err)
		}
		slices.SortFunc(stages, func(a, b *schema.Record) int {
			return int(a.Get(lifecycle.Must("position")).N - b.Get(lifecycle.Must("position")).N)
		})
		for i, want := range []string{"gray", "purple", "blue", "yellow", "teal"} {
			if got := stages[i].Text(lifecycle.Must("colour")); got != want {
				t.Errorf("lifecycle stage %d is %q, want %s", i+1, got, want)
			}
		}
		pipelines, err := who.Tenant.All(ctx, pipeline, 100)
		if err != nil || len(pipelines) != 1 {
			t.Fatalf("%d pipelines: %v", len(pipelines), err)
		}
		got := fmt.Sprint(coloured.FindAllString(pipelines[0].Text(pipeline.Must("stages")), -1))
		want := `[,"colour":"gray" ,"colour":"purple" ,"colour":"blue" ,"colour":"yellow" ,"colour":"green" ,"colour":"red"]`
		if got != want {
			t.Errorf("the stages have %s, want %s", got, want)
		}
	})
}
