package webhook

import (
	"context"
	"errors"
	"slices"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/changelog"
)

// Filters of a webhook are over the record as it was after the change that an event tells of. A record that was not changed since
// is asked for by a search; of one that was, the fields that changed have what the log tells that they had.

// mostSince is how many later entries of a record are looked through. What did not change in these counts as it is by now.
const mostSince = 500

// sift leaves out the events of records that the webhook's filters do not find, each as it was after its change.
func (p *tenantDeliverer) sift(ctx context.Context, h *hook, events []*event) ([]*event, error) {
	if len(h.filters) == 0 {
		return events, nil
	}
	ids := map[string][]schema.UUID{}
	for _, e := range events {
		if _, filtered := h.filters[e.resource]; filtered && !slices.Contains(ids[e.resource], e.record) {
			ids[e.resource] = append(ids[e.resource], e.record)
		}
	}
	kept := map[*event]bool{}
	for resource, all := range ids {
		res := record.Registry.Resource(resource)
		s := &sieve{
			tenantDeliverer: p, hook: h, res: h.who.Shaped(res), filters: h.filters[resource].Items, now: map[schema.UUID]int64{},
			found: map[schema.UUID]bool{}, later: map[schema.UUID][]store.Change{},
		}
		err := s.look(ctx, all)
		for _, e := range events {
			if err == nil && e.resource == resource {
				kept[e], err = s.holds(ctx, e)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(events, func(e *event) bool {
		_, filtered := h.filters[e.resource]
		return filtered && !kept[e]
	}), nil
}

type sieve struct {
	*tenantDeliverer
	hook    *hook
	res     *schema.Resource
	filters []body.Node
	// conditions are the filters, once they are needed, and none tells that they do not make sense any more.
	conditions []query.Condition
	none       bool
	// now are the versions of the records as they were looked at, found are those that the filters find so, and later are their
	// entries of the log behind the first event.
	now   map[schema.UUID]int64
	found map[schema.UUID]bool
	later map[schema.UUID][]store.Change
}

// look asks which records the filters find as they are now, and which versions all have.
func (s *sieve) look(ctx context.Context, ids []schema.UUID) error {
	err := s.find(ctx, s.hook, s.res, s.filters, ids, s.asks(),
		func(id schema.UUID, version int64, _ []byte) { s.found[id], s.now[id] = true, version })
	if err != nil {
		return err
	}
	rest := slices.DeleteFunc(slices.Clone(ids), func(id schema.UUID) bool { return s.found[id] })
	return s.find(ctx, s.hook, s.res, nil, rest, s.asks(), func(id schema.UUID, version int64, _ []byte) { s.now[id] = version })
}

// asks are the fields that are asked for: the records themselves are not wanted.
func (s *sieve) asks() []string { return []string{s.res.Common.ID.Path, s.res.Common.Version.Path} }

// holds tells whether the filters find the record of an event as it was after it.
func (s *sieve) holds(ctx context.Context, e *event) (bool, error) {
	version, there := s.now[e.record]
	if !there || version == e.version {
		return s.found[e.record], nil
	}
	if err := s.check(ctx); err != nil || s.none {
		return false, err
	}
	was, err := s.valuesAt(ctx, e)
	if err != nil {
		return false, err
	}
	var rest []body.Node
	for i, c := range s.conditions {
		v, changed := was[c.Leaf.Path]
		if !changed || !ofRecord(c) {
			rest = append(rest, s.filters[i])
		} else if !c.Holds(v) {
			return false, nil
		}
	}
	if len(rest) == 0 || s.found[e.record] {
		return true, nil
	}
	found := false
	err = s.find(ctx, s.hook, s.res, rest, []schema.UUID{e.record}, s.asks(), func(schema.UUID, int64, []byte) { found = true })
	return found, err
}

// ofRecord tells whether a condition is about what the record itself has. What it leads to, and what the day decides, is as it is by now.
func ofRecord(c query.Condition) bool {
	return c.Ref < 0 && c.Leaf.Kind != schema.Links && c.Leaf.Lapse == nil
}

func (s *sieve) check(ctx context.Context) error {
	if s.conditions != nil || s.none {
		return nil
	}
	q, err := s.hook.search(ctx, s.res, false, s.filters, nil)
	if err != nil {
		return err
	}
	if s.none = q == nil || len(q.Filters) != len(s.filters); !s.none {
		s.conditions = q.Filters
	}
	return nil
}

// valuesAt gives what fields of the filters had after an event that had something else later, by their paths.
func (s *sieve) valuesAt(ctx context.Context, e *event) (map[string]schema.Value, error) {
	entries, known := s.later[e.record]
	if !known { // events come in order, so this is the first of the record
		_, _, err := s.tenant.History(ctx, s.res, e.record, changelog.Span{After: e.seq, Limit: mostSince},
			func(*schema.Record) error { return nil }, func(c store.Change) {
				entries = append(entries, c)
			})
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		s.later[e.record] = entries
	}
	common := s.res.Common
	was := map[string]schema.Value{
		common.Version.Path: schema.IntValue(schema.Integer, e.version), common.UpdatedAt.Path: schema.TimeValue(e.at),
		common.UpdatedBy.Path: schema.IDValue(e.by),
	}
	for _, entry := range entries {
		if entry.Seq <= e.seq {
			continue
		}
		n, err := body.Parse([]byte(entry.Changes))
		if err != nil || n == nil {
			return was, err
		}
		for _, m := range n.Members {
			l := s.res.Leaf(m.Name)
			if l == nil {
				continue
			}
			if _, known := was[m.Name]; known {
				continue
			}
			from, _ := m.Value.Get("from")
			if v, known := record.LoggedValue(from, l); known { // what is no value any more counts as it is by now
				was[m.Name] = v
			}
		}
	}
	return was, nil
}
