package record

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// AcrossBody is what the body of a search across resources may have.
var AcrossBody *schema.Shape

var across struct{ SearchText, Resources, Limit *schema.Leaf }

func declareAcross() {
	AcrossBody = schema.CompileBody("search",
		schema.Field{
			Name: "search_text", Kind: schema.LongText, Required: true, Max: schema.Bound(query.MaxSearchText),
			About: "Words to find.",
		},
		schema.Field{
			Name: "resources", Kind: schema.Choices, Options: Registry.Names(),
			About: "Where to look; in all that may be read when not given.",
		},
		schema.Field{
			Name: "limit", Kind: schema.Integer, Min: schema.Bound(1), Max: schema.Bound(query.MaxLimit),
			About: "How many records are answered at most; " + strconv.Itoa(query.DefaultLimit) + " when not given.",
		},
	)
	schema.Bind(AcrossBody, &across)
}

// MostCandidates is how many records of a resource are weighed against each other: those that were changed last.
const MostCandidates = 200

// Hit is a record that a search across resources found, as JSON: its id, its name and what tells most of it.
type Hit struct {
	Kind   *Kind
	Record []byte

	rank    query.Rank
	updated int64
	place   int
	id      schema.UUID
}

// Across finds words in several resources at once. The best comes first: a value that is the text itself, then the beginning of a
// word, then any other place; among those that fit alike what was changed last. It tells whether there may be more.
func (e *Engine) Across(ctx context.Context, c Call, n *body.Node) (hits []Hit, more bool, err error) {
	object, err := n.Object()
	if err != nil {
		return nil, false, err
	}
	var wrong problem.Fields
	given := body.Decode(object, AcrossBody, true, "", &wrong)
	wanted := query.NewRanked(given.Get(across.SearchText).S)
	if wanted.None() && !wrong.Has(across.SearchText.Path) {
		wrong.Add(across.SearchText.Path, "required", "must have a word to look for")
	}
	if err := wrong.Err(); err != nil {
		return nil, false, err
	}
	sweeps, err := c.sweeps(ctx, given)
	if err != nil {
		return nil, false, err
	}
	limit := LimitOf(given.Get(across.Limit))
	err = c.Tenant.Searches(ctx, func(search store.Searching) error {
		for _, s := range sweeps {
			found, full, err := s.run(search, wanted)
			if err != nil {
				return err
			}
			hits = append(hits, found...)
			slices.SortFunc(hits, better)
			more = more || full || len(hits) > limit
			hits = hits[:min(len(hits), limit)]
		}
		return nil
	})
	return hits, more, err
}

func better(a, b Hit) int {
	return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(b.updated, a.updated), cmp.Compare(a.place, b.place),
		bytes.Compare(b.id[:], a.id[:]))
}

type sweep struct {
	kind  *Kind
	place int
	// shown is what is answered of a record, and asked the search itself, which reads behind it what the record is named and ranked
	// by. Where many match, named finds those among them whose name begins with the text, however long ago they were changed.
	shown, asked, named *query.Query
	behind              []*schema.Leaf
}

func (c Call) sweeps(ctx context.Context, given *body.Changes) (all []sweep, err error) {
	text, wanted := given.Get(across.SearchText).S, body.Strings(given.Get(across.Resources))
	for place, k := range kinds {
		if len(wanted) > 0 && !slices.Contains(wanted, k.Name) {
			continue
		}
		reach, err := c.Allow(&k.Resource, Read)
		if err != nil {
			if len(wanted) > 0 {
				return nil, err
			}
			continue
		}
		s := sweep{kind: k, place: place}
		if s.shown, err = k.SearchTelling(c.Reader(ctx), text); err != nil {
			return nil, err
		}
		c.Confine(s.shown, reach)
		s.shown.Order = query.Path{Ref: -1, Leaf: k.Common.UpdatedAt}
		s.shown.Limit, s.shown.Uncounted = MostCandidates, true
		s.behind = append(slices.Clone(k.Names), k.Common.ID, k.Common.UpdatedAt)
		for _, l := range c.Resource(k).Leaves {
			if l.Find.Searchable {
				s.behind = append(s.behind, l)
			}
		}
		asked := *s.shown
		asked.Leaves = slices.Concat(s.shown.Leaves, s.behind)
		s.asked = &asked
		if first := k.Names[0]; first.Kind == schema.Text && utf8.RuneCountInString(text) <= query.MaxPart {
			named := asked
			named.Filters = []query.Condition{{
				Path: query.Path{Ref: -1, Leaf: first}, Operator: query.StartsWith,
				Values: []schema.Value{{Kind: first.Kind, Set: true, S: query.Key(first, strings.TrimSpace(text))}},
			}}
			s.named = &named
		}
		all = append(all, s)
	}
	return all, nil
}

// SearchTelling is a search of a resource that answers what tells most of a record.
func (k *Kind) SearchTelling(who query.Reader, text string) (*query.Query, error) {
	fields := body.Node{Kind: body.Array}
	for _, name := range k.Summary.Telling {
		fields.Items = append(fields.Items, body.Node{Kind: body.String, Text: name})
	}
	search := body.Node{Kind: body.Object, Members: []body.Member{
		{Name: "search_text", Value: body.Node{Kind: body.String, Text: text}},
		{Name: "fields", Value: fields},
	}}
	return query.Check(search, who.Shaped(&k.Resource), false, who, nil, query.Asker{})
}

// Told is what an answer tells of a record besides its id and name.
func (k *Kind) Told() (*query.Query, error) { return k.SearchTelling(anyReader{}, "") }

func (s sweep) run(search store.Searching, wanted query.Ranked) (hits []Hit, more bool, err error) {
	seen := map[schema.UUID]bool{}
	take := func(values []schema.Value) error {
		if hit := s.hit(values, wanted); !seen[hit.id] {
			seen[hit.id] = true
			hits = append(hits, hit)
		}
		return nil
	}
	page, err := search(s.asked, take)
	if err == nil && page.More && s.named != nil {
		_, err = search(s.named, take)
	}
	return hits, page.More, err
}

func (s sweep) hit(values []schema.Value, wanted query.Ranked) Hit {
	own, names := len(s.shown.Leaves), len(s.kind.Names)
	behind := values[own : own+len(s.behind)]
	h := Hit{Kind: s.kind, place: s.place, id: behind[names].UUID(), updated: behind[names+1].N}
	h.rank = wanted.Of(s.behind[names+2:], behind[names+2:])
	h.Record = s.kind.AppendTold(nil, h.id, behind[:names], s.shown, slices.Concat(values[:own], values[own+len(s.behind):]))
	return h
}

// AppendTold renders the id and name of a record, and the values of it that a search shows.
func (k *Kind) AppendTold(dst []byte, id schema.UUID, names []schema.Value, shown *query.Query, values []schema.Value) []byte {
	dst = append(append(dst, `{"id":"`...), schema.FormatID(k.Name, id)...)
	dst = schema.AppendStringOrNull(append(dst, `","name":`...), RecordName(k.Names, names))
	at := len(dst)
	dst = shown.AppendRecord(dst, values)
	dst[at] = ',' // in place of the brace
	return dst
}

const maxName = 80

// RecordName is what people know a record by: the first of some values that there is, of a long text its first words.
func RecordName(leaves []*schema.Leaf, values []schema.Value) string {
	for i, v := range values {
		switch {
		case !v.Set:
		case leaves[i].Kind == schema.LongText:
			return firstWords(v.S)
		case leaves[i].Kind == schema.Integer:
			return strconv.FormatInt(v.N, 10)
		default:
			return v.S
		}
	}
	return ""
}

// firstWords shortens a text to one line, between two words where there are any.
func firstWords(text string) string {
	line := make([]rune, 0, maxName+1)
	for word := range strings.FieldsSeq(text) {
		if len(line) > 0 {
			line = append(line, ' ')
		}
		if line = append(line, []rune(word)...); len(line) > maxName {
			break
		}
	}
	if len(line) <= maxName {
		return string(line)
	}
	cut := string(line[:maxName])
	if at := strings.LastIndexByte(cut, ' '); at > 0 {
		cut = cut[:at]
	}
	return cut + "…"
}
