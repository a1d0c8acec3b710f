package storetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// testListItems holds the rows of stages to the pipelines that they belong to, through every write of these, and of two businesses.
func testListItems(t *testing.T, s *store.Store) {
	pipelines, deals := s.Registry().Resource("pipeline"), s.Registry().Resource("deal")
	stages, stage := pipelines.Must("stages"), deals.Must("stage_id")
	b, other := Business(t, s), Business(t, s)
	id := schema.NewID(time.Now())
	named := func(name string) schema.Value {
		return schema.TextValue(schema.List, fmt.Sprintf(`[{"id":%q,"name":%q,"position":1,"kind":"open","probability":50}]`,
			schema.FormatID("stage", id), name))
	}
	pipeline, twin, deal := NewRecord(pipelines), NewRecord(pipelines), NewRecord(deals)
	pipeline.Put(stages, named("Näher"))
	twin.Put(stages, named("Elsewhere")) // under the same id, in another business
	deal.Put(stage, schema.IDValue(id))
	insert(t, b, pipelines, pipeline)
	insert(t, other, pipelines, twin)
	insert(t, b, deals, deal)

	holds := func(when, want string) {
		t.Helper()
		for _, own := range []bool{false, true} {
			q := &query.Query{
				Resource: deals, Refs: []query.Ref{{Via: stage, Own: own}},
				Order: query.Path{Ref: 0, Leaf: stage.ListItem.Must("name")}, Limit: 5, User: id,
			}
			q.Through = []query.Through{{Via: stage, Leaves: []*schema.Leaf{stage.ListItem.Must("name"), stage.ListItem.Must("kind")}}}
			var got []string
			if _, err := b.Search(ctx, q, func(values []schema.Value) error {
				got = append(got, string(q.AppendRecord(nil, values)))
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			want := want
			if own { // nobody owns the pipeline
				want = `{"stage":null}`
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s the deal is %s, want %s", when, got, want)
			}
		}
	}
	holds("at first", `{"stage":{"name":"Näher","kind":"open"}}`)
	update(t, b, pipelines, pipeline.ID(), "update", func(r *schema.Record) { r.PutText(pipelines.Must("name"), "Other") })
	holds("after a change of something else", `{"stage":{"name":"Näher","kind":"open"}}`)
	update(t, b, pipelines, pipeline.ID(), "update", func(r *schema.Record) { r.Put(stages, named("Later")) })
	holds("renamed", `{"stage":{"name":"Later","kind":"open"}}`)
	remove(t, b, pipelines, pipeline.ID())
	holds("with its pipeline in the bin", `{"stage":null}`)
	restore(t, b, pipelines, pipeline.ID())
	holds("restored", `{"stage":{"name":"Later","kind":"open"}}`)
	update(t, b, pipelines, pipeline.ID(), "update",
		func(r *schema.Record) { r.Put(stages, schema.TextValue(schema.List, `[{"name":"Without an id"}]`)) })
	holds("dropped", `{"stage":null}`)
}
