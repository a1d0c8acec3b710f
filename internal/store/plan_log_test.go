package store_test

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/changelog"
)

// checkLog goes through what reads the change log: the history of a record and the changes of the business walk along an index,
// whoever reads them.
func (p *planned) checkLog(t *testing.T) {
	ctx := context.Background()
	contacts, deals := &record.KindOf("contact").Resource, &record.KindOf("deal").Resource
	some, err := p.business.All(ctx, contacts, 1)
	if err != nil || len(some) == 0 {
		t.Fatalf("no contact: %v", err)
	}
	id := some[0].ID()
	log := &schema.Resource{Plural: "change"}
	seen := func(table string) (found []store.Statement) {
		t.Helper()
		from := regexp.MustCompile("FROM " + table + `(_p\d+)? t `)
		for _, s := range p.seen {
			if from.MatchString(s.SQL) {
				found = append(found, s)
			}
		}
		if len(found) == 0 {
			t.Fatalf("nothing was asked of %s", table)
		}
		return found
	}
	// PostgreSQL sorts where it expects only a few entries.
	byRecord := rules{unsorted: p.Engine() == "sqlite", index: "change_record"}
	may := func(*schema.Record) error { return nil }
	for _, span := range []changelog.Span{{Limit: 25}, {Limit: 25, Desc: true}, {Limit: 25, After: 7}, {Limit: 25, After: 7, Desc: true}} {
		p.seen = nil
		_, _, _ = p.business.History(ctx, contacts, id, span, may, func(store.Change) {})
		p.hold(t, "a history", log, byRecord, seen("change")...)
	}
	p.seen = nil
	err = p.business.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
		return tx.History(contacts, id, tx.Now, func(store.Change) bool { return true })
	})
	if err != nil {
		t.Fatal(err)
	}
	p.hold(t, "a history inside a transaction", log, byRecord, seen("change")...)
	p.seen = nil
	own := []changelog.Readable{{Resource: contacts}, {Resource: deals, Own: true}, {Resource: record.Business}}
	if _, _, err := p.business.Feed(ctx, 7, 25, own, id, func(store.Change) {}); err != nil {
		t.Fatal(err)
	}
	for _, s := range seen("change") {
		for name, plan := range p.plans(t, s) {
			byNumber := strings.Contains(plan, "SEARCH t USING INDEX change_id (business_id=? AND seq>? AND seq<?)") ||
				regexp.MustCompile(`Index Scan.* (using|on) change_p\d+_pkey`).MatchString(plan)
			byID := strings.Contains(plan, "SEARCH r USING INDEX deals_id (business_id=? AND id=?)") ||
				regexp.MustCompile(`using deals_p\d+_pkey`).MatchString(plan)
			if !byNumber || !byID || strings.Contains(plan, "TEMP B-TREE") || strings.Contains(plan, "Seq Scan") ||
				strings.Contains(plan, "hashed") {
				t.Errorf("changes: the %s is wrong:\n%s\n%s", name, s.SQL, plan)
			}
		}
	}
	p.checkTimeline(t, contacts, id, seen)
}

// checkTimeline goes through the ways into a timeline: each kind along the index that has it in order.
func (p *planned) checkTimeline(t *testing.T, res *schema.Resource, id schema.UUID, seen func(string) []store.Statement) {
	t.Helper()
	q := changelog.Timeline{Resource: res, ID: id, Limit: 25, May: func(*schema.Record) error { return nil }}
	indexes := map[string]string{}
	for rank, k := range record.Kinds() {
		for _, l := range k.Leaves {
			if l.Ref.Timeline && l.Target == res {
				q.Sources = append(q.Sources, changelog.Source{Resource: &k.Resource, Via: l, Rank: rank})
				indexes[k.Plural] = k.Name + "_contact_id_filter"
			}
		}
	}
	indexes["activities"] = "activity_contact_id_timeline"
	for _, after := range []*changelog.Moment{nil, {At: time.Now(), Rank: q.Sources[1].Rank, ID: id, Seq: 9}} {
		for _, q.Desc = range []bool{false, true} {
			q.After, p.seen = after, nil
			_, _ = p.business.Timeline(context.Background(), q, func(changelog.Event) {})
			for table, index := range indexes {
				for _, s := range seen(table) {
					for name, plan := range p.plans(t, s) {
						if p.Engine() == "sqlite" && !strings.Contains(plan, "SEARCH t USING INDEX "+index+" ") ||
							strings.Contains(plan, "Seq Scan on "+table) {
							t.Errorf("a timeline: the %s does not use %s:\n%s\n%s", name, index, s.SQL, plan)
						}
						if strings.Contains(plan, "SCAN t") || strings.Contains(plan, "TEMP B-TREE") {
							t.Errorf("a timeline: the %s is wrong:\n%s\n%s", name, s.SQL, plan)
						}
					}
				}
			}
		}
	}
}
