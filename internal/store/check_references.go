package store

import (
	"slices"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// reference is where a record points to.
type reference struct {
	from schema.UUID
	leaf *schema.Leaf
	to   End
}

// checkReferences looks whether what records refer to is there, or was.
func (k *checker) checkReferences(res *schema.Resource, some []stored) error {
	var all []reference
	for _, one := range some {
		for i, l := range one.Leaves {
			v := one.Values[i]
			switch {
			case !v.Set:
			case l.Target != nil:
				all = append(all, reference{one.ID(), l, End{l.Target.Name, v.UUID()}})
			case l.Format == schema.RecordID && !l.ReadOnly:
				resource, id, err := schema.RecordOf(v.S)
				if err != nil {
					k.tell(res.Name, one.ID(), "%s is %q, which is no id", l.Path, v.S)
					continue
				}
				all = append(all, reference{one.ID(), l, End{resource, id}})
			}
		}
	}
	to := make([]End, len(all))
	for i, r := range all {
		to[i] = r.to
	}
	missing, err := k.missing(to)
	if err != nil || len(missing) == 0 {
		return err
	}
	for _, r := range all {
		if missing[r.to] {
			k.tell(res.Name, r.from, "%s leads to %s, which is not there and never was", r.leaf.Path,
				schema.FormatID(r.to.Resource, r.to.ID))
		}
	}
	return nil
}

// missing finds those among some records that are not there, live or deleted, and that nobody removed for good.
func (k *checker) missing(all []End) (map[End]bool, error) {
	ids := map[string][]schema.Value{}
	unknown := map[End]bool{}
	for _, e := range all {
		if !unknown[e] {
			unknown[e] = true
			ids[e.Resource] = append(ids[e.Resource], schema.IDValue(e.ID))
		}
	}
	for resource, some := range ids {
		res := k.t.s.reg.Resource(resource)
		if res == nil {
			continue
		}
		st := room.SQL("SELECT t.id FROM " + res.Plural + " t WHERE t.business_id = {business} AND {among t.id}")
		st.Among = some
		err := k.query(st, func(r room.Row) error {
			delete(unknown, End{resource, room.FirstID(r)})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	for e := range unknown {
		last, err := k.lastEntries(e.Resource, []schema.Value{schema.IDValue(e.ID)})
		if err != nil {
			return nil, err
		}
		if entry, there := last[e.ID]; there && slices.Contains(k.Removed, entry.Action) {
			delete(unknown, e)
		}
	}
	return unknown, nil
}

// lastEntries reads the last entry of the log about each of some records, as far as there is one.
func (k *checker) lastEntries(resource string, ids []schema.Value) (map[schema.UUID]Change, error) {
	last := map[schema.UUID]Change{}
	st := room.SQL(`
		SELECT t.record_id, t.seq, t.version, t.action FROM change t
		WHERE t.business_id = {business} AND t.seq IN (SELECT max(x.seq) FROM change x
			WHERE x.business_id = {business} AND x.resource = ? AND {among x.record_id} GROUP BY x.record_id)`, text(resource))
	st.Among = ids
	err := k.query(st, func(r room.Row) error {
		id := room.FirstID(r)
		seq, version := r.Value(1, schema.Integer).N, r.Value(2, schema.Integer).N
		last[id] = Change{RecordID: id, Seq: seq, Version: version, Action: r.Value(3, schema.Text).S}
		return nil
	})
	return last, err
}

// checkVersions holds records to the last entries of the log about them.
func (k *checker) checkVersions(res *schema.Resource, some []stored) error {
	ids := make([]schema.Value, len(some))
	for i, one := range some {
		ids[i] = one.Get(res.Common.ID)
	}
	last, err := k.lastEntries(res.Name, ids)
	if err != nil {
		return err
	}
	for _, one := range some {
		switch entry, there := last[one.ID()]; {
		case !there:
			k.tell(res.Name, one.ID(), "the change log has no entry about it")
		case entry.Version != one.Version():
			k.tell(res.Name, one.ID(), "it has version %d, and the last entry of the change log about it, %d, version %d", one.Version(),
				entry.Seq, entry.Version)
		case slices.Contains(k.Removed, entry.Action):
			k.tell(res.Name, one.ID(), "it is there, although entry %d of the change log says that it was removed for good", entry.Seq)
		}
	}
	return nil
}

// stretchEntries is how many entries of the log are one task.
const stretchEntries = 50_000

// checkLog gives the tasks that look for gaps in the log, and for entries about records that are not there.
func (k *checker) checkLog() (tasks []task) {
	for from := int64(0); from == 0 || from < k.seq; from += stretchEntries {
		tasks = append(tasks, func(k *checker) error { return k.checkEntries(from) })
	}
	return tasks
}

// checkEntries looks at the entries behind one of the log, and the last time at all that are left.
func (k *checker) checkEntries(from int64) error {
	log := k.t.s.tableNamed("change")
	log.Columns = slices.DeleteFunc(slices.Clone(log.Columns), func(c engine.Column) bool {
		return !slices.Contains([]string{"business_id", "seq", "resource", "record_id"}, c.Name)
	})
	reading := &tableReading{Table: log, of: &k.t, after: []schema.Value{plainKey(k.t.key), schema.IntValue(schema.Integer, from)}}
	end := from + stretchEntries
	last := end >= k.seq
	expected := from + 1
	gap := func(next int64) {
		switch {
		case next == expected+1:
			k.tell("", schema.UUID{}, "entry %d of the change log is missing", expected)
		case next > expected:
			k.tell("", schema.UUID{}, "entries %d to %d of the change log are missing", expected, next-1)
		}
	}
	for {
		page, err := reading.page(k.ctx, k.t.s, k.c)
		if err != nil {
			return err
		}
		if !last {
			page = page[:slices.IndexFunc(append(page, nil), func(values []schema.Value) bool {
				return values == nil || values[1].N > end
			})]
		}
		if len(page) == 0 {
			break
		}
		var about []End
		for _, values := range page {
			seq, resource := values[1].N, values[2].S
			gap(seq)
			expected = seq + 1
			if k.t.s.reg.Resource(resource) != nil { // the business itself is no record
				about = append(about, End{resource, values[3].UUID()})
			}
		}
		missing, err := k.missing(about)
		if err != nil {
			return err
		}
		for _, e := range about {
			if missing[e] {
				delete(missing, e)
				k.tell(e.Resource, e.ID, "the change log tells of it, and not that it was removed, but it is not there")
			}
		}
	}
	if !last {
		gap(end + 1)
		return nil
	}
	gap(k.seq + 1)
	if expected > k.seq+1 {
		k.tell("", schema.UUID{}, "the change log goes up to %d, and its business says that it ends at %d", expected-1, k.seq)
	}
	return nil
}
