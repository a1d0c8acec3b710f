package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// What the operator does by commands stands in the audit log of the business, and that log can be checked.
func TestOperatorsCommandsAreAudited(t *testing.T) {
	onBoth(t, func(t *testing.T, db string) {
		business, _ := newBusiness(t, db)
		before := strings.TrimSpace(must(t, "audit", "head", "--db", db, "--business", business))
		object(t, "user_id", "user", "create", "--db", db, "--business", business, "--email", "ben@acme.test", "--password",
			"a long password", "--json")
		token := object(t, "id token", "token", "create", "--db", db, "--business", business, "--user", "ben@acme.test", "--scopes",
			"contact.read", "--json")
		must(t, "token", "revoke", "--db", db, "--business", business, "--id", token["id"])
		must(t, "user", "reset-link", "--db", db, "--business", business, "--user", "ben@acme.test")
		must(t, "user", "suspend", "--db", db, "--business", business, "--user", "ben@acme.test")
		var after struct {
			Seq  int64
			Hash string
		}
		if err := json.Unmarshal([]byte(must(t, "audit", "head", "--db", db, "--business", business, "--json")), &after); err != nil ||
			fmt.Sprintf("%d:%s", after.Seq, after.Hash) == before {
			t.Errorf("nothing was told since %s: %v", before, err)
		}
		for _, args := range [][]string{{"--known", before}, {}} {
			if text := must(t, append([]string{"audit", "check", "--db", db, "--business", business},
				args...)...); !strings.Contains(text, "whole") {
				t.Error(text)
			}
		}
		var all []struct {
			Seq   int64
			Wrong []string
		}
		if err := json.Unmarshal([]byte(must(t, "audit", "check", "--db", db, "--json")), &all); err != nil || len(all) != 1 ||
			len(all[0].Wrong) != 0 || all[0].Seq != after.Seq {
			t.Errorf("%+v, %v", all, err)
		}
		number, _, _ := strings.Cut(before, ":")
		code, out, errs := kith(t, "audit", "check", "--db", db, "--business", business, "--known", number+":"+strings.Repeat("0", 64))
		if code != 1 || !strings.Contains(out, "is not the one that was there once") || !strings.Contains(errs, "not whole") {
			t.Errorf("%d %s %s", code, out, errs)
		}
		if code, _, errs := kith(t, "audit", "check", "--db", db, "--known", before); code != 2 || !strings.Contains(errs, "--business") {
			t.Errorf("%d %s", code, errs)
		}
	})
}
