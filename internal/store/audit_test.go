package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	ops "github.com/kith-crm/kith/internal/operator"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/internal/room"
	"github.com/kith-crm/kith/internal/store/queue"
	"github.com/kith-crm/kith/internal/store/storetest"
)

// audits writes some lines, each in a transaction of its own, as one user from one address.
func audits(tb testing.TB, b store.Tenant, n int) (user schema.UUID) {
	tb.Helper()
	user = schema.NewID(time.Now())
	actor := store.Actor{
		User: user, Token: schema.NewID(time.Now()), Client: "kith_client_1", RequestID: "req_1",
		Address: "192.0.2.1:1234",
	}
	for range n {
		if err := b.Audit(context.Background(), actor, record.AuditOf(record.LogInSucceeded, user, "email")); err != nil {
			tb.Fatal(err)
		}
	}
	return user
}

// wrongs gives what a check of the log finds.
func wrongs(tb testing.TB, b store.Tenant, known ...store.AuditHead) []string {
	tb.Helper()
	found, err := b.CheckAudit(context.Background(), known...)
	if err != nil {
		tb.Fatal(err)
	}
	return found.Wrong
}

// tamper changes what is in the log behind the program's back.
func tamper(tb testing.TB, b store.Tenant, sql string, args ...schema.Value) {
	tb.Helper()
	err := b.Keep(context.Background(), store.Actor{}, func(tx *store.Tx) error {
		n, err := tx.Exec(room.SQL(sql, args...))
		if err == nil && n == 0 {
			err = errors.New("nothing was changed")
		}
		return err
	})
	if err != nil {
		tb.Fatalf("%s: %v", sql, err)
	}
}

func TestTheAuditLogNoticesWhatIsDoneToIt(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		const here = " WHERE business_id = {business}"
		swap := func(a, b int) []string {
			return []string{
				fmt.Sprintf("UPDATE audit SET seq = 100%s AND seq = %d", here, a),
				fmt.Sprintf("UPDATE audit SET seq = %d%s AND seq = %d", a, here, b),
				fmt.Sprintf("UPDATE audit SET seq = %d%s AND seq = 100", b, here),
			}
		}
		for name, statements := range map[string][]string{
			"the first line goes":             {"DELETE FROM audit" + here + " AND seq = 1"},
			"one in the middle goes":          {"DELETE FROM audit" + here + " AND seq = 3"},
			"the last goes":                   {"DELETE FROM audit" + here + " AND seq = 5"},
			"the last two go":                 {"DELETE FROM audit" + here + " AND seq > 3"},
			"all go":                          {"DELETE FROM audit" + here},
			"all go with the head":            {"DELETE FROM audit" + here, "DELETE FROM audit_head" + here},
			"the head goes":                   {"DELETE FROM audit_head" + here},
			"the last goes and the head says": {"DELETE FROM audit" + here + " AND seq = 5", "UPDATE audit_head SET seq = 4" + here},
			"two are swapped":                 swap(2, 3),
			"the last two are swapped":        swap(4, 5),
			"one goes and the others move up": {
				"DELETE FROM audit" + here + " AND seq = 3", "UPDATE audit SET seq = 3" + here + " AND seq = 4",
				"UPDATE audit SET seq = 4" + here + " AND seq = 5", "UPDATE audit_head SET seq = 4" + here,
			},
			"one is added": {`INSERT INTO audit (business_id, id, seq, created_at, action, actor, count, hash)
				SELECT business_id, id, 6, created_at, action, actor, count, hash FROM audit` + here + " AND seq = 5"},
			"one is added and the head says": {
				`INSERT INTO audit (business_id, id, seq, created_at, action, actor, count, hash)
				SELECT business_id, id, 6, created_at, action, actor, count, hash FROM audit` + here + " AND seq = 5",
				"UPDATE audit_head SET seq = 6" + here,
			},
			"the address is forgotten": {"UPDATE audit SET address = NULL, address_salt = NULL" + here + " AND seq = 3"},
			"another hash":             {"UPDATE audit SET hash = 'abc'" + here + " AND seq = 5"},
		} {
			t.Run(name, func(t *testing.T) {
				b := storetest.Business(t, s)
				audits(t, b, 5)
				if found := wrongs(t, b); len(found) > 0 {
					t.Fatalf("before: %q", found)
				}
				for _, sql := range statements {
					tamper(t, b, sql)
				}
				if found := wrongs(t, b); len(found) == 0 {
					t.Error("nobody notices")
				}
			})
		}
		t.Run("any column", func(t *testing.T) {
			b := storetest.Business(t, s)
			audits(t, b, 3)
			other := map[schema.Kind]schema.Value{
				schema.ID: schema.IDValue(schema.NewID(time.Now())), schema.Integer: schema.IntValue(schema.Integer, 77),
				schema.Time: schema.TimeValue(time.Now().Add(time.Hour)),
				room.Bytes:  {Kind: room.Bytes, Set: true, S: "other"},
			}
			type column struct {
				name string
				kind schema.Kind
			}
			columns := []column{{"address_salt", room.Bytes}, {"address_digest", room.Bytes}}
			for _, l := range record.Registry.Audit.Leaves {
				columns = append(columns, column{l.Column.Name, l.Kind})
			}
			for _, c := range columns {
				value, known := other[c.kind]
				if !known {
					value = schema.TextValue(schema.Text, "other")
				}
				// Each in a line that is written for it, so that one can be told from the next.
				audits(t, b, 1)
				head, err := b.AuditHead(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				before := wrongs(t, b)
				tamper(t, b, "UPDATE audit SET "+c.name+" = ? WHERE business_id = {business} AND seq = ?", value,
					schema.IntValue(schema.Integer, head.Seq-1))
				if after := wrongs(t, b); slices.Equal(before, after) {
					t.Errorf("nobody notices another %s", c.name)
				}
				// A fresh business for the next, because what is wrong stays so.
				b = storetest.Business(t, s)
				audits(t, b, 3)
			}
		})
		t.Run("the whole chain anew", func(t *testing.T) {
			b := storetest.Business(t, s)
			audits(t, b, 3)
			kept, err := b.AuditHead(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			audits(t, b, 3)
			if found := wrongs(t, b, kept); len(found) > 0 {
				t.Fatalf("with a head that was kept: %q", found)
			}
			tamper(t, b, "DELETE FROM audit"+here)
			tamper(t, b, "DELETE FROM audit_head"+here)
			audits(t, b, 6)
			if found := wrongs(t, b); len(found) > 0 {
				t.Errorf("a chain that fits by itself: %q", found)
			}
			if found := wrongs(t, b, kept); len(found) != 1 || !strings.Contains(found[0], "line 3") {
				t.Errorf("a head that was kept outside finds %q", found)
			}
		})
	})
}

func TestTheAuditLogForgetsWhereSomebodyCameFrom(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		b := storetest.Business(t, s)
		audits(t, b, 2)
		user := audits(t, b, 5)
		stranger := record.AuditOf(record.LogInFailed, user)
		stranger.Stranger = true
		if err := b.Audit(t.Context(), store.Actor{Address: "192.0.2.7"}, stranger); err != nil {
			t.Fatal(err)
		}
		if err := b.Audit(t.Context(), store.Actor{},
			store.AuditEntry{Action: "user.erased", Resource: "user", Record: schema.FormatID("user", user)}); err != nil {
			t.Fatal(err)
		}
		for more, rounds := true, 0; more; rounds++ {
			err := b.Write(t.Context(), store.Actor{}, func(tx *store.Tx) (err error) {
				more, err = queue.ForgetAddresses(tx, user, 2)
				return err
			})
			if err != nil || rounds > 5 {
				t.Fatal(err, rounds)
			}
		}
		found, err := b.CheckAudit(t.Context())
		if err != nil || len(found.Wrong) > 0 || found.Forgotten != 6 || found.Seq != 9 {
			t.Errorf("%+v, %v", found, err)
		}
	})
}

func TestWritersAtOnceKeepOneAuditLog(t *testing.T) {
	const writers, each = 8, 6
	onBoth(t, func(t *testing.T, s *store.Store) {
		e := newEngine(t, s)
		who := newBusiness(t, e)
		before, err := who.Tenant.AuditHead(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for w := range writers {
			all.Go(func() {
				for i := range each {
					var err error
					if w%2 == 0 { // beside those who take turns
						err = who.Tenant.Audit(context.Background(), who.Actor(""), record.AuditOf(record.LogInSucceeded, who.User))
					} else {
						err = who.Tenant.Write(context.Background(), who.Actor(""), func(tx *store.Tx) error {
							_, err := ops.MintToken(e, tx, who.User, fmt.Sprint("token ", w, i), []string{"contact.read"}, time.Time{})
							return err
						})
					}
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		found, err := who.Tenant.CheckAudit(t.Context())
		if err != nil || len(found.Wrong) > 0 || found.Seq != before.Seq+writers*each {
			t.Errorf("%+v, %v, before %d", found, err, before.Seq)
		}
		undone := errors.New("undone")
		if err := who.Tenant.Write(t.Context(), who.Actor(""), func(tx *store.Tx) error {
			tx.Audit(record.AuditOf(record.LogInSucceeded, who.User))
			return undone
		}); !errors.Is(err, undone) {
			t.Fatal(err)
		}
		if after, err := who.Tenant.AuditHead(t.Context()); err != nil || after != found.AuditHead {
			t.Errorf("what was undone is told: %+v, %v", after, err)
		}
	})
}
