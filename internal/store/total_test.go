package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// A total is there where it costs nothing: without filters and text, where the first page holds all matches, in a small business,
// and on the pages after one that has it. Elsewhere it is there when it was asked for, up to a bound. Where it is there it is
// right.
func TestTotalsAreFreeOrAskedFor(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		e := newEngine(t, s)
		who := newBusiness(t, e)
		add := func(n int, name string) {
			t.Helper()
			made := make([]*schema.Record, n)
			for i := range made {
				rec := schema.NewRecord(&record.KindOf("contact").Shape)
				at := time.Now()
				rec.Put(rec.Common.ID, schema.IDValue(schema.NewID(at)))
				rec.Put(rec.Common.CreatedAt, schema.TimeValue(at))
				rec.Put(rec.Common.UpdatedAt, schema.TimeValue(at))
				rec.Put(rec.Common.Version, schema.IntValue(schema.Integer, 1))
				rec.Put(rec.Must("do_not_contact"), schema.BoolValue(false))
				rec.PutText(rec.Must("name"), name)
				made[i] = rec
			}
			err := who.Tenant.Write(context.Background(), store.Actor{}, func(tx *store.Tx) error {
				return tx.InsertMany(&record.KindOf("contact").Resource, made, "create")
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		hold := func(rule, search string, want int64) (next string) {
			t.Helper()
			total, next := firstPage(t, e, who, search)
			if total != want {
				t.Errorf("%s: %s has the total %d, want %d (-1 is none)", rule, search, total, want)
			}
			return next
		}
		const filter, word, few = `"filters":[{"field":"name","operator":"eq","value":"many"}]`, `"search_text":"man"`,
			`"search_text":"few"`
		add(2, "few")
		add(query.CountedAnyway-2, "many")
		hold("a small business has every total", `{`+filter+`}`, query.CountedAnyway-2)
		hold("of words, too", `{`+word+`}`, query.CountedAnyway-2)
		next := hold("and with the cursor", `{"limit":2,`+filter+`}`, query.CountedAnyway-2)

		add(1, "many")
		hold("a later page has what the first one had", fmt.Sprintf(`{"limit":2,%s,"cursor":%q}`, filter, next), query.CountedAnyway-2)
		hold("without filters and words it is maintained", `{}`, query.CountedAnyway+1)
		hold("a page that holds all matches has counted them", `{`+few+`}`, 2)
		next = hold("in a larger business it is left out", `{`+filter+`}`, -1)
		hold("of words, too", `{`+word+`}`, -1)
		hold("also on later pages", fmt.Sprintf(`{%s,"cursor":%q}`, filter, next), -1)
		hold("a later page counts when it is asked to", fmt.Sprintf(`{%s,"cursor":%q,"total":true}`, filter, next), query.CountedAnyway-1)
		hold("false is as good as nothing", `{`+filter+`,"total":false}`, -1)
		hold("null is as good as nothing", `{`+filter+`,"total":null}`, -1)
		next = hold("it is counted when it is asked for", `{`+filter+`,"total":true}`, query.CountedAnyway-1)
		hold("of words, too", `{`+word+`,"total":true}`, query.CountedAnyway-1)
		hold("and goes with the cursor, asked for or not", fmt.Sprintf(`{%s,"cursor":%q}`, filter, next), query.CountedAnyway-1)

		add(query.TotalCap-(query.CountedAnyway-1), "many")
		hold("as many as are counted", `{`+filter+`,"total":true}`, query.TotalCap)
		add(1, "many")
		hold("one more is too many", `{`+filter+`,"total":true}`, -1)
		hold("of words, too", `{`+word+`,"total":true}`, -1)
		hold("without filters and words it is still maintained", `{}`, query.TotalCap+3)
	})
}

// firstPage runs a search and gives its total, or -1, and its cursor.
func firstPage(t *testing.T, e *record.Engine, who *record.Principal, search string) (total int64, next string) {
	t.Helper()
	n, err := body.Parse([]byte(search))
	if err != nil {
		t.Fatal(err)
	}
	found, err := httpapi.AppendList(context.Background(), e, record.Call{Principal: who}, record.KindOf("contact"), false, n, nil)
	if err != nil {
		t.Fatalf("%s: %v", search, err)
	}
	var page struct {
		Meta struct {
			Total  *int64
			Cursor struct{ Next string }
		}
	}
	if err := json.Unmarshal(found, &page); err != nil {
		t.Fatal(err)
	}
	if page.Meta.Total == nil {
		return -1, page.Meta.Cursor.Next
	}
	return *page.Meta.Total, page.Meta.Cursor.Next
}
