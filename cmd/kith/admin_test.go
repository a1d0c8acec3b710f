package main

import (
	"os"
	"strings"
	"testing"
	"time"
)

func TestOperatorsCommands(t *testing.T) {
	onBoth(t, func(t *testing.T, db string) {
		business, first := newBusiness(t, db)
		if !strings.HasPrefix(business, "business_") || !strings.HasPrefix(first, "kith_pat_") {
			t.Errorf("business %s, token %s", business, first)
		}
		for _, b := range list(t, "business", "list", "--db", db) {
			if len(b) != 4 || b["business_id"] != business || b["name"] != "Acme" || b["currency"] != "USD" || b["created_at"] == nil {
				t.Errorf("business list shows %v", b)
			}
		}

		at := []string{"--db", db, "--business", business}
		user := object(t, "user_id", append([]string{
			"user", "create", "--email", "ben@acme.example", "--name", "Ben", "--role", "viewer",
			"--password", "battery staple",
		}, at...)...)
		if !strings.HasPrefix(user["user_id"], "user_") {
			t.Errorf("user %s", user["user_id"])
		}
		made := object(t, "id token", append([]string{
			"token", "create", "--user", "ben@acme.example", "--scopes",
			"contact.read,deal.all", "--name", "export", "--expires-days", "3",
		}, at...)...)
		if !strings.HasPrefix(made["id"], "token_") || !strings.HasPrefix(made["token"], "kith_pat_") {
			t.Errorf("token %v", made)
		}

		out := must(t, append([]string{"token", "list", "--json"}, at...)...)
		if strings.Contains(out, made["token"]) || strings.Contains(out, first) {
			t.Error("token list shows secrets")
		}
		tokens := list(t, append([]string{"token", "list"}, at...)...)
		if len(tokens) != 2 {
			t.Fatalf("token list shows %v", tokens)
		}
		shown := tokens[1]
		if shown["id"] != made["id"] || shown["user_id"] != user["user_id"] || shown["name"] != "export" ||
			!strings.HasPrefix(made["token"], shown["hint"].(string)) {
			t.Errorf("token list shows %v", shown)
		}
		expires, err := time.Parse(time.RFC3339, shown["expires_at"].(string))
		if left := time.Until(expires); err != nil || left < 71*time.Hour || left > 73*time.Hour {
			t.Errorf("a token for three days expires at %v", shown["expires_at"])
		}

		revoked := must(t, append([]string{"token", "revoke", "--json", "--id", made["id"]}, at...)...)
		if revoked != `{"id":"`+made["id"]+`","revoked":true}`+"\n" {
			t.Errorf("token revoke prints %s", revoked)
		}
		tokens = list(t, append([]string{"token", "list"}, at...)...)
		if len(tokens) != 1 || tokens[0]["id"] == made["id"] {
			t.Errorf("after revoking, token list shows %v", tokens)
		}
		if text := must(t, append([]string{"token", "list"}, at...)...); !strings.Contains(text, " valid ") ||
			strings.Contains(text, first) {
			t.Errorf("token list as text says %s", text)
		}
		made = object(t, "client_id client_secret",
			append([]string{"app", "create", "--user", "ben@acme.example", "--scopes", "contact.read", "--name", "Nightly"}, at...)...)
		if !strings.HasPrefix(made["client_id"], "kith_app_") || !strings.HasPrefix(made["client_secret"], "kith_cs_") {
			t.Errorf("app create prints %v", made)
		}
	})
}

// Without --json the commands speak to people, and give the same facts.
func TestTextForPeople(t *testing.T) {
	db := missingSQLite(t)
	out := must(t, "business", "create", "--db", db, "--name", "Acme", "--admin-email", "anna@acme.example", "--admin-password",
		"correct horse")
	for _, want := range []string{"business_", "user_", "kith_pat_", "shown only now"} {
		if !strings.Contains(out, want) {
			t.Errorf("business create prints %s", out)
		}
	}
	if out := must(t, "business", "list", "--db", db); !strings.Contains(out, "Acme") || strings.Contains(out, "{") {
		t.Errorf("business list prints %s", out)
	}
}

func TestMigrate(t *testing.T) {
	onEmpty(t, func(t *testing.T, db string) {
		states := func(args ...string) (pending, applied int) {
			t.Helper()
			steps := list(t, append([]string{"migrate", "--db", db}, args...)...)
			last := 0.0
			for _, step := range steps {
				number, _ := step["number"].(float64)
				if len(step) != 3 || number <= last || step["name"] == "" {
					t.Errorf("a step of the migration is shown as %v after %v", step, last)
				}
				last = number
				if step["applied"] == true {
					applied++
				} else {
					pending++
				}
			}
			return pending, applied
		}
		all, none := states("--status")
		if none != 0 || all == 0 {
			t.Errorf("before: %d steps pending, %d applied", all, none)
		}
		if again, _ := states("--status"); again != all {
			t.Errorf("asking for the status applied %d steps", all-again)
		}
		if pending, applied := states(); pending != 0 || applied != all {
			t.Errorf("migrating leaves %d steps pending, %d applied", pending, applied)
		}
		if pending, applied := states("--status"); pending != 0 || applied != all {
			t.Errorf("after: %d steps pending, %d applied", pending, applied)
		}
		if pending, applied := states(); pending != 0 || applied != all {
			t.Errorf("migrating again: %d steps pending, %d applied", pending, applied)
		}
	})
}

// Asking what state a database is in must not make one.
func TestMigrationStatusMakesNoFile(t *testing.T) {
	db := missingSQLite(t)
	if out := must(t, "migrate", "--db", db, "--status"); !strings.Contains(out, "pending") {
		t.Errorf("the status of a missing database is %s", out)
	}
	if _, err := os.Stat(strings.TrimPrefix(db, "sqlite:")); !os.IsNotExist(err) {
		t.Errorf("asking for the status made the file: %v", err)
	}
}

func TestScrub(t *testing.T) {
	onBoth(t, func(t *testing.T, db string) {
		must(t, "demo", "--db", db)
		if out := must(t, "scrub", "--db", db); !strings.Contains(out, "written anew") {
			t.Errorf("it says %s", out)
		}
		if n := len(list(t, "business", "list", "--db", db)); n != 1 {
			t.Errorf("%d businesses are left", n)
		}
	})
	if code, _, errs := kith(t, "scrub", "--db", missingSQLite(t)); code == 0 || !strings.Contains(errs, "no database") {
		t.Errorf("without a database it ends with %d: %s", code, errs)
	}
}

func TestDemo(t *testing.T) {
	onBoth(t, func(t *testing.T, db string) {
		const keys = "business_id email password token"
		first := object(t, keys, "demo", "--db", db)
		second := object(t, keys, "demo", "--db", db)
		if first["business_id"] != second["business_id"] || first["email"] != second["email"] ||
			first["password"] != second["password"] || first["token"] == second["token"] {
			t.Errorf("the first run gives %v, the second %v", first, second)
		}
		if n := len(list(t, "business", "list", "--db", db)); n != 1 {
			t.Errorf("%d businesses after two runs", n)
		}
		for _, says := range []string{" 300 contacts in 3 businesses, ", "nothing to add: 300 contacts in 3 businesses are there already"} {
			code, out, errs := kith(t, "demo", "--db", db, "--json", "--contacts", "300", "--businesses", "3")
			if code != 0 || !strings.Contains(" "+errs, says) || !strings.Contains(out, first["business_id"]) {
				t.Errorf("exit code %d, output %s, messages %q, want %q", code, out, errs, says)
			}
		}
		if n := len(list(t, "business", "list", "--db", db)); n != 3 {
			t.Errorf("%d businesses, want 3", n)
		}
		text := must(t, "demo", "--db", db)
		for _, want := range []string{"already", first["business_id"], first["email"], first["password"], "kith_pat_"} {
			if !strings.Contains(text, want) {
				t.Errorf("kith demo says %s", text)
			}
		}
	})
}
