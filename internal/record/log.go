package record

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/changelog"
)

// PageLimit declares how many entries a page is to have.
var PageLimit = schema.Field{
	Name: "limit", Kind: schema.Integer, Min: schema.Bound(1), Max: schema.Bound(query.MaxLimit),
	About: "How many entries a page has at most; " + strconv.Itoa(query.DefaultLimit) + " when not given.",
}

// PageBody is what the body may have that asks for a page of a record's history or timeline.
var PageBody = schema.CompileBody("a page", PageLimit,
	schema.Field{Name: "cursor", Kind: schema.Text, About: "`meta.cursor.next` of the previous page."},
	schema.Field{
		Name: "sort_direction", Kind: schema.Choice, Options: []string{"asc", "desc"},
		About: "`desc`, the newest first, when not given.",
	},
)

var paging = schema.FieldsOf[struct{ Limit, Cursor, SortDirection *schema.Leaf }](PageBody)

// Page is a page of a list that is no search, as somebody asks for it.
type Page struct {
	Limit int
	Desc  bool
	// Place is where it begins, as the list's own cursor told; nil on the first page.
	Place []byte
	// cursors seal the place of the next one for the same asker and list.
	cursors *query.Cursors
	asker   query.Asker
	list    query.Binding
}

// Page reads the body that asks for a page. The words tell of which list, so that its cursors serve no other.
func (e *Engine) Page(c Call, reach Reach, n *body.Node, words ...string) (p Page, err error) {
	object, err := n.Object()
	if err != nil {
		return p, err
	}
	var wrong problem.Fields
	given := body.Decode(object, PageBody, true, "", &wrong)
	p = Page{Limit: LimitOf(given.Get(paging.Limit)), Desc: given.Get(paging.SortDirection).S != "asc", cursors: e.cursors}
	p.asker = query.Asker{Business: c.Tenant.ID(), User: c.User, Own: reach == Own}
	p.list = query.BindTo(append(words, strconv.FormatBool(p.Desc))...)
	if cursor, ok := object.Get(paging.Cursor.Path); ok && cursor.Kind == body.String && len(wrong) == 0 {
		if p.Place, err = e.cursors.OpenPlace(p.list, p.asker, cursor.Text); err != nil {
			wrong.Add(paging.Cursor.Path, "invalid_cursor", err.Error())
		}
	}
	return p, wrong.Err()
}

// LimitOf is how many entries a page has at most, where a body may tell.
func LimitOf(given schema.Value) int {
	if !given.Set {
		return query.DefaultLimit
	}
	return int(given.N)
}

// Next seals the place where the next page begins.
func (p Page) Next(place []byte) string { return p.cursors.SealPlace(p.list, p.asker, place) }

// History answers what happened to a record, be it live or deleted: it hands the entries of its change log to each.
func (e *Engine) History(ctx context.Context, c Call, k *Kind, id string, n *body.Node, each func(store.Change)) (List, error) {
	res := &k.Resource
	reach, err := c.Allow(res, Read)
	if err != nil {
		return List{}, err
	}
	p, err := e.Page(c, reach, n, "history", k.Name, id)
	if err != nil {
		return List{}, err
	}
	uuid, err := schema.ParseID(k.Name, id)
	if err != nil {
		return List{}, NotFound(res)
	}
	span := changelog.Span{Desc: p.Desc, Limit: p.Limit}
	if p.Place != nil {
		span.After, _ = binary.Varint(p.Place)
	}
	if c.EndsOf(res) != nil {
		if err := e.seesLink(ctx, c, res, uuid); err != nil {
			return List{}, err
		}
	}
	may := func(rec *schema.Record) error { return c.Reaches(res, rec, Read, reach) }
	last, more, err := c.Tenant.History(ctx, res, uuid, span, may, each)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return List{}, NotFound(res)
	case err != nil || !more:
		return List{Total: -1}, err
	}
	return List{Next: p.Next(binary.AppendVarint(nil, last)), Total: -1}, nil
}

// seesLink decides by its ends whether a link may be seen, be it live or deleted.
func (e *Engine) seesLink(ctx context.Context, c Call, res *schema.Resource, id schema.UUID) error {
	get := c.getting(ctx)
	rec, err := get.anywhere(res, id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return NotFound(res)
	case err != nil:
		return err
	}
	return c.SeesEnds(res, rec, get)
}

// timeline are the kinds of records that stand in the timelines of a kind, in the order of the declarations.
func (k *Kind) timeline() (sources []changelog.Source) {
	for rank, other := range kinds {
		for _, l := range other.Leaves {
			if l.Ref.Timeline && l.Target == &k.Resource {
				sources = append(sources, changelog.Source{Resource: &other.Resource, Via: l, Rank: rank})
			}
		}
	}
	return sources
}

// TimelineKinds are the kinds of records that stand in timelines.
func TimelineKinds() []*Kind {
	return slices.DeleteFunc(slices.Clone(kinds), func(k *Kind) bool {
		return !slices.ContainsFunc(k.Leaves, func(l *schema.Leaf) bool { return l.Ref.Timeline })
	})
}

// HasTimeline tells whether records of the kind have a timeline: others are about them.
func (k *Kind) HasTimeline() bool { return len(k.timeline()) > 0 }

// Timeline answers what happened around a record, be it live or deleted: it hands the records about it, and its own changes, to
// each, whose values are valid until it returns. Kinds that the caller may not read are left out.
func (e *Engine) Timeline(ctx context.Context, c Call, k *Kind, id string, n *body.Node, each func(changelog.Event)) (List, error) {
	res := &k.Resource
	reach, err := c.Allow(res, Read)
	if err != nil {
		return List{}, err
	}
	p, err := e.Page(c, reach, n, "timeline", k.Name, id)
	if err != nil {
		return List{}, err
	}
	q := changelog.Timeline{Resource: res, User: c.User, Desc: p.Desc, Limit: p.Limit, May: func(rec *schema.Record) error {
		if res.MergedInto != nil && rec.Get(res.MergedInto).Set {
			return store.ErrNotFound // what was about it is about the survivor
		}
		return c.Reaches(res, rec, Read, reach)
	}}
	if q.ID, err = schema.ParseID(k.Name, id); err != nil {
		return List{}, NotFound(res)
	}
	if p.Place != nil {
		after := openMoment(p.Place)
		q.After = &after
	}
	for _, s := range k.timeline() {
		if own, err := c.CanRead(s.Resource); err == nil {
			s.Own, s.Resource = own, c.Shaped(s.Resource)
			q.Sources = append(q.Sources, s)
		}
	}
	if own, err := c.CanRead(&Association.Resource); err == nil && len(res.Links) > 0 && len(q.Sources) > 0 {
		q.Links = &changelog.Links{Via: &Association.Resource, Own: own}
	}
	next, err := c.Tenant.Timeline(ctx, q, each)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return List{}, c.explainMissing(res, q.ID, c.surviving(ctx), c.getting(ctx))
	case err != nil || next == nil:
		return List{Total: -1}, err
	}
	return List{Next: p.Next(appendMoment(nil, *next)), Total: -1}, nil
}

// appendMoment writes a place in a timeline into a cursor, and openMoment reads it again.
func appendMoment(dst []byte, m changelog.Moment) []byte {
	dst = binary.AppendVarint(dst, m.At.UnixMicro())
	dst = binary.AppendVarint(dst, int64(m.Rank))
	dst = binary.AppendVarint(dst, m.Seq)
	return append(dst, m.ID[:]...)
}

func openMoment(place []byte) (m changelog.Moment) {
	number := func() int64 {
		n, size := binary.Varint(place)
		place = place[max(size, 0):]
		return n
	}
	m.At, m.Rank, m.Seq = time.UnixMicro(number()).UTC(), int(number()), number()
	copy(m.ID[:], place)
	return m
}

// AppendEvent renders an event of a timeline.
func AppendEvent(dst []byte, e changelog.Event) []byte {
	dst = append(schema.AppendTime(append(dst, `{"at":"`...), e.At), `","kind":"`...)
	if e.Resource == nil {
		return append(AppendChange(append(dst, `change","change":`...), e.Change, false), '}')
	}
	dst = append(append(dst, e.Resource.Name...), `","record":`...)
	return append(schema.AppendRecord(dst, e.Resource.Visible(false), e.Values), '}')
}

// ChangesBody is what the body may have that asks for the changes of the whole business.
var ChangesBody *schema.Shape

var feeding struct{ After, Resources, Limit *schema.Leaf }

func declareChanges() {
	ChangesBody = schema.CompileBody("changes",
		schema.Field{
			Name: "after", Kind: schema.Integer, Min: schema.Bound(0),
			About: "The `seq` to go on behind: `meta.next` of the previous page. 0, from the beginning, when not given.",
		},
		schema.Field{
			Name: "resources", Kind: schema.Choices, Options: append(Registry.Names(), Business.Name),
			About: "Only changes of these; all that may be read when not given.",
		},
		PageLimit,
	)
	schema.Bind(ChangesBody, &feeding)
}

// ChangedResources checks texts as the names of resources whose changes are asked for, by the rule of [ChangesBody].
func ChangedResources(texts []string, wrong *problem.Fields) []string {
	list := body.Node{Kind: body.Array}
	for _, text := range texts {
		list.Items = append(list.Items, body.Node{Kind: body.String, Text: text})
	}
	asked := body.Node{Kind: body.Object, Members: []body.Member{{Name: feeding.Resources.Path, Value: list}}}
	return body.Strings(body.Decode(asked, ChangesBody, true, "", wrong).Get(feeding.Resources))
}

// Feed is what a page of changes tells besides them.
type Feed struct {
	// Latest is the number of the newest change, and Next the one to go on behind.
	Latest, Next int64
}

// Changes answers what happened in the business, in the order of commits: it hands the entries of the change log that the caller
// may read to each.
func (c Call) Changes(ctx context.Context, n *body.Node, each func(store.Change)) (f Feed, err error) {
	given, err := Given(n, ChangesBody)
	if err != nil {
		return f, err
	}
	may, err := c.Readable(body.Strings(given.Get(feeding.Resources)))
	if err != nil {
		return f, err
	}
	f.Latest, f.Next, err = c.Tenant.Feed(ctx, given.Get(feeding.After).N, LimitOf(given.Get(feeding.Limit)), may, c.User, each)
	return f, err
}

// Readable tells which entries of the change log a principal may read: those about the named resources, each of which they must be
// allowed to read, or about all that they may read where none is named. The business itself everybody may read.
func (p *Principal) Readable(named []string) (may []changelog.Readable, err error) {
	for _, k := range kinds {
		if len(named) > 0 && !slices.Contains(named, k.Name) {
			continue
		}
		own, err := p.CanRead(&k.Resource)
		switch {
		case err == nil:
			may = append(may, changelog.Readable{Resource: &k.Resource, Own: own, Ends: p.EndsOf(&k.Resource)})
		case len(named) > 0:
			return nil, err
		}
	}
	if len(named) == 0 || slices.Contains(named, Business.Name) {
		may = append(may, changelog.Readable{Resource: Business})
	}
	return may, nil
}

// AppendChange renders an entry of the change log. Where it is one among those of many records, it tells of which.
func AppendChange(dst []byte, c store.Change, amongMany bool) []byte {
	dst = strconv.AppendInt(append(dst, `{"seq":`...), c.Seq, 10)
	if amongMany {
		dst = schema.AppendString(append(dst, `,"resource":`...), c.Resource)
		dst = append(schema.AppendID(append(dst, `,"record_id":"`...), c.Resource, string(c.RecordID[:])), '"')
	}
	dst = append(schema.AppendTime(append(dst, `,"at":"`...), c.At), '"')
	dst = schema.AppendString(append(dst, `,"action":`...), c.Action)
	dst = strconv.AppendInt(append(dst, `,"version":`...), c.Version, 10)
	dst = c.Actor.AppendJSON(append(dst, `,"actor":`...))
	dst = schema.AppendStringOrNull(append(dst, `,"request_id":`...), c.Actor.RequestID)
	dst = append(dst, `,"changes":`...)
	return append(append(dst, c.Changes...), '}')
}

// LoggedValue reads a value of a field as the log tells it, and tells whether the field can still have it.
func LoggedValue(n body.Node, l *schema.Leaf) (v schema.Value, known bool) {
	switch {
	case n.Kind == body.Null || n.Kind == body.Array && len(n.Items) == 0 || n.Kind == body.Object && len(n.Members) == 0 && !l.Free:
		return schema.Absent(l.Kind), true
	case n.Kind == body.Array || n.Kind == body.Object:
		return schema.TextValue(l.Kind, string(body.Append(nil, n))), true
	case n.Kind == body.String && (l.Kind == schema.Text || l.Kind == schema.LongText || l.Kind == schema.Choice):
		return schema.TextValue(l.Kind, n.Text), true
	}
	v, wrong := body.Scalar(n, l)
	return v, wrong == nil
}
