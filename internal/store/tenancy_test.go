package store_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// outside lists the few statements that read a business's tables without being in a business, by their reason. They are compared from
// beginning to end, with every placeholder written as a question mark.
var outside = map[string][]string{
	"it finds the business by its id, before there is a handle to it": {
		"SELECT business_id FROM business WHERE id = ?",
		"SELECT business_id FROM business WHERE business_id = ?",
	},
	"the operator lists the businesses; no request does": {
		"SELECT id, name, currency, created_at FROM business ORDER BY id",
	},
	"the server asks where something is left to do; no request does": {
		"SELECT t.id, t.business_id FROM business t WHERE t.business_id IN (SELECT e.business_id FROM erasure e) ORDER BY 1",
		"SELECT t.id, t.business_id FROM business t WHERE t.bin_days IS NOT NULL ORDER BY 1",
		"SELECT t.id, t.business_id FROM business t WHERE t.business_id IN (SELECT m.business_id FROM notification_mail m " +
			"WHERE m.due_at <= ? AND (m.leased_until IS NULL OR m.leased_until < ?)) ORDER BY 1",
		"SELECT t.id, t.business_id FROM business t WHERE t.business_id IN (SELECT m.business_id FROM notification_push m " +
			"WHERE m.due_at <= ? AND (m.leased_until IS NULL OR m.leased_until < ?)) ORDER BY 1",
	},
	"a machine of a cluster is found by an id that would lie on it, and asked what is left to do for those that do": {
		"SELECT query_to_xml(?::text, false, false, '')::text, count(*) FROM business WHERE business_id = ?",
	},
	"SQLite numbers a new business": {
		"SELECT coalesce(max(business_id), 0) + 1 FROM business",
	},
	"a secret from before secrets named their business is known by its hash": {
		"SELECT business_id FROM credential WHERE hash = ?",
		"SELECT business_id FROM old_secret WHERE hash = ?",
	},
	"an app that asks for a token says which business it is of, if it is of any": {
		"SELECT c.client_id, c.business_id, c.app_id, c.secret_hash, c.registration_hash, c.metadata, c.created_at, c.used_at FROM " +
			"client c WHERE c.client_id = ?",
	},
	"who logs in is told in which businesses they can": {
		"SELECT i.business_id, i.user_id FROM identity i WHERE i.email_key = ?",
		"SELECT l.business_id FROM login_domain l WHERE l.domain = ? ORDER BY l.business_id LIMIT 20",
	},
	"clients that registered themselves are of no business": {
		"SELECT count(*) FROM client WHERE app_id IS NULL AND used_at IS NULL",
		"INSERT INTO client (client_id, secret_hash, registration_hash, metadata, created_at) VALUES (?, ?, ?, ?, ?)",
		"UPDATE client SET used_at = ? WHERE client_id = ?",
		"UPDATE client SET metadata = ? WHERE client_id = ? AND app_id IS NULL",
		"DELETE FROM client WHERE app_id IS NULL AND client_id = ?",
	},
	"a client that is deleted loses what users of any business allowed it": {
		"SELECT DISTINCT g.business_id FROM access_grant g WHERE g.client_id = ?",
	},
	"what expired is removed from all businesses": {
		"DELETE FROM credential WHERE expires_at IS NOT NULL AND expires_at < ?",
		"DELETE FROM old_secret WHERE expires_at IS NOT NULL AND expires_at < ?",
		"DELETE FROM session WHERE created_at < ? AND NOT EXISTS (SELECT 1 FROM credential c WHERE c.business_id = session.business_id " +
			"AND c.parent_id = session.id)",
		"DELETE FROM access_grant WHERE created_at < ? AND NOT EXISTS (SELECT 1 FROM credential c WHERE c.business_id = " +
			"access_grant.business_id AND c.parent_id = access_grant.id)",
	},
	"whoever tends the indexes of added fields does so for all businesses": {
		"SELECT t.id, t.business_id, w.field, w.resource FROM slip_work w JOIN business t ON t.business_id = w.business_id" +
			" WHERE w.cleared = 1 OR w.planned_at <= ? ORDER BY 2, 3 LIMIT 100",
	},
	"whoever works on jobs does so for all businesses, and so does who forgets old ones": {
		"SELECT t.id, t.business_id, j.id, j.served_at FROM job j JOIN business t ON t.business_id = j.business_id" +
			" WHERE j.finished_at IS NULL AND (j.leased_until IS NULL OR j.leased_until < ?) ORDER BY 4, 3 LIMIT 500",
		"SELECT t.id, t.business_id, j.id, j.finished_at FROM job j JOIN business t ON t.business_id = j.business_id" +
			" WHERE j.finished_at IS NOT NULL AND j.finished_at < ? ORDER BY 4 LIMIT 100",
	},
	"imports that nobody cares for any more are forgotten in all businesses": {
		"SELECT t.id, t.business_id, i.id, i.updated_at FROM import i JOIN business t ON t.business_id = i.business_id" +
			" WHERE i.updated_at < ? ORDER BY 4 LIMIT 100",
		"SELECT t.id, t.business_id, i.id, i.coming_id, i.updated_at FROM import i JOIN business t ON t.business_id = i.business_id" +
			" WHERE i.updated_at < ? AND i.coming_id IS NOT NULL ORDER BY 5 LIMIT 100",
	},
	"whoever delivers to webhooks does so for all businesses, and so does who forgets what was sent long ago": {
		"SELECT t.id, t.business_id," +
			" CAST(CASE WHEN EXISTS (SELECT 1 FROM webhook_state h WHERE h.business_id = f.business_id AND h.active = 1)" +
			" THEN 1 ELSE 0 END AS bigint)," +
			" CAST(CASE WHEN f.due_at <= ? AND f.leased_until IS NULL OR f.leased_until < ? THEN 1 ELSE 0 END AS bigint)" +
			" FROM webhook_feed f JOIN business t ON t.business_id = f.business_id",
		"SELECT t.id, t.business_id FROM webhook_feed f JOIN business t ON t.business_id = f.business_id",
	},
	"registered clients that nobody used are removed": {
		"DELETE FROM client WHERE app_id IS NULL AND used_at IS NULL AND created_at < ?",
	},
}

// tracer collects the different statements that a store ran.
type tracer struct {
	mu   sync.Mutex
	seen map[string]store.Statement
	// wrong are faults that only the arguments of one run show.
	wrong map[string]error
}

func newTracer() *tracer {
	return &tracer{seen: map[string]store.Statement{}, wrong: map[string]error{}}
}

func (r *tracer) see(s store.Statement) {
	r.mu.Lock()
	defer r.mu.Unlock()
	// What a statement says needs to be read once; only its first argument and row numbers differ from run to run.
	if _, known := r.seen[s.SQL]; known && s.Bound() && !strings.Contains(s.SQL, "_fts") {
		return
	}
	r.seen[s.SQL] = s
	if err := boundToBusiness(s); err != nil {
		r.wrong[s.SQL] = err
	}
}

// check fails for every statement that can leave its business, and where the trace was too thin to say anything.
func (r *tracer) check(t *testing.T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for sql, err := range r.wrong {
		t.Errorf("%v:\n%s", err, sql)
	}
	for _, table := range store.TenantTables(record.Registry) {
		named, postgres := false, false
		for sql := range r.seen {
			named = named || strings.Contains(sql, " "+table+" ")
			postgres = postgres || strings.Contains(sql, "$1")
		}
		if table == "shelf" && !postgres {
			continue // SQLite has no use for it
		}
		if table == "old_secret" {
			continue // only a cluster has rows in it
		}
		if !named {
			t.Errorf("no statement names %s, so nothing was checked", table)
		}
	}
	if len(r.seen) < 100 {
		t.Errorf("only %d different statements were seen", len(r.seen))
	}
}

var (
	tenantMark  = regexp.MustCompile(`\(\?1\+0\)|\$1\b`)
	placeholder = regexp.MustCompile(`\(\?\d+\+0\)|\?\d+|\$\d+`)
	literalText = regexp.MustCompile(`'(?:[^']|'')*'`)
	innermost   = regexp.MustCompile(`\(([^()]*)\)`)
	source      = regexp.MustCompile(`\b(FROM|JOIN|UPDATE|INTO) (?:ONLY )?([a-z_][a-z_0-9]*)(?: (?:AS )?([a-z_][a-z_0-9]*))?`)
	nameBehind  = regexp.MustCompile(`^ ([a-z_]+)\b`)
	nameBefore  = regexp.MustCompile(`([a-z_]+) AS MATERIALIZED $`)
	numberMark  = regexp.MustCompile(`rowid BETWEEN [?$](\d+) AND [?$](\d+)`)
)

// boundToBusiness says what is wrong with a statement that reads or writes a business's table without being held to the business of its
// first argument. It reads SQL only as far as the store writes it, and refuses what it does not understand.
func boundToBusiness(s store.Statement) error {
	for _, statements := range outside {
		if slices.Contains(statements, placeholder.ReplaceAllString(s.SQL, "?")) {
			return nil
		}
	}
	text := literalText.ReplaceAllString(s.SQL, "TEXT")
	text = tenantMark.ReplaceAllString(text, "TENANT")
	// From the innermost parentheses outwards, each scope is checked by itself and then replaced by a word.
	derived := map[string]bool{}
	for {
		groups := innermost.FindAllStringSubmatchIndex(text, -1)
		if groups == nil {
			return scopeBound(text, s, derived)
		}
		var outer strings.Builder
		done := 0
		for _, at := range groups {
			inside, word := text[at[2]:at[3]], "PARENTHESES"
			switch {
			case strings.HasPrefix(inside, "SELECT "):
				if err := scopeBound(inside, s, derived); err != nil {
					return err
				}
				word = "subquery"
				// A table made of rows that were bound gives rows that are bound: (SELECT …) w, or hit AS MATERIALIZED (SELECT …).
				if name := nameBehind.FindStringSubmatch(text[at[1]:min(len(text), at[1]+40)]); name != nil {
					derived[name[1]] = true
				}
				if name := nameBefore.FindStringSubmatch(text[max(0, at[0]-40):at[0]]); name != nil {
					derived[name[1]] = true
				}
			case strings.HasPrefix(text, "INSERT INTO"):
				word = "[" + strings.ReplaceAll(inside, ", ", ",") + "]"
			}
			outer.WriteString(text[done:at[0]] + word)
			done = at[1]
		}
		outer.WriteString(text[done:])
		text = outer.String()
	}
}

// scopeBound checks one SELECT, INSERT, UPDATE or DELETE that has no parentheses any more.
func scopeBound(scope string, s store.Statement, derived map[string]bool) error {
	tables := store.TenantTables(record.Registry)
	for _, m := range source.FindAllStringSubmatch(scope, -1) {
		verb, table, alias := m[1], m[2], m[3]
		text := slices.ContainsFunc(tables, func(t string) bool { return table == t+"_fts" })
		if table == "set" || derived[table] || table == "subquery" || !text && !slices.Contains(tables, table) {
			continue
		}
		if strings.Contains(scope, " OR ") {
			return fmt.Errorf("%s stands beside an OR that is not in parentheses", table)
		}
		if text {
			if err := rowsBound(scope, s); err != nil {
				return fmt.Errorf("%s: %w", table, err)
			}
			continue
		}
		if !s.Bound() {
			return fmt.Errorf("%s is named, but the first argument is no business", table)
		}
		if verb == "INTO" {
			if !regexp.MustCompile(`INSERT INTO ` + table + ` \[business_id,[^\]]*\] VALUES \[TENANT,`).MatchString(scope) {
				return fmt.Errorf("%s gets rows whose business_id is not the tenant argument", table)
			}
			if conflict := regexp.MustCompile(`ON CONFLICT \[([^\]]*)\]`).FindStringSubmatch(scope); conflict != nil &&
				!strings.HasPrefix(conflict[1]+",", "business_id,") {
				return fmt.Errorf("%s resolves conflicts with rows of other businesses", table)
			}
			continue
		}
		column := `business_id`
		if alias != "" {
			column = alias + `\.business_id`
		} else {
			alias = table
		}
		if regexp.MustCompile(`\b(?:WHERE|AND|ON) \+?` + column + ` = TENANT(?: ` +
			`(?:AND|WHERE|LEFT|CROSS|JOIN|ORDER|LIMIT|FOR|RETURNING)\b|$)`).MatchString(scope) {
			continue
		}
		// In SQLite a row number that was just read from bound rows is as good.
		number := regexp.MustCompile(`\b(?:WHERE|AND|ON) ` + alias + `\.rid = ([a-z_]+)\.`).FindStringSubmatch(scope)
		if number == nil || !derived[number[1]] {
			return fmt.Errorf("%s (as %s) is not bound by business_id to the tenant argument", table, alias)
		}
	}
	return nil
}

// rowsBound checks a statement on a text index, which knows only row numbers: they must be those of the business.
func rowsBound(scope string, s store.Statement) error {
	if marks := numberMark.FindStringSubmatch(s.SQL); marks != nil && strings.Contains(scope, " MATCH ") {
		low, high := store.RowRange(s.Args[0])
		from, to := argument(s, marks[1]), argument(s, marks[2])
		if !s.Bound() || from.N != low || to.N != high {
			return fmt.Errorf("the rows from %d to %d are not those of the business", from.N, to.N)
		}
		return nil
	}
	one := strings.HasPrefix(scope, "INSERT INTO ") && strings.Contains(scope, " [rowid,doc] VALUES [?1,") ||
		strings.HasPrefix(scope, "DELETE FROM ") && strings.HasSuffix(scope, " WHERE rowid = ?1")
	if !one {
		return fmt.Errorf("the statement is not held to rows of the business")
	}
	low, high := store.RowRange(s.Business)
	if n := argument(s, "1").N; !s.Business.Set || n <= low || n > high {
		return fmt.Errorf("row %d is not one of the business that the transaction is in", n)
	}
	return nil
}

func argument(s store.Statement, number string) schema.Value {
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > len(s.Args) {
		return schema.Value{}
	}
	return s.Args[n-1]
}
