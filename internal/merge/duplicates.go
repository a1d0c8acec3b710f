package merge

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/merged"
)

// DuplicatesBody is what the body may have that asks for duplicates.
var DuplicatesBody = schema.CompileBody("duplicates",
	schema.Field{Name: "id", Kind: schema.Text, About: "Only those of this record, the most likely first, on one page; all pairs when " +
		"not given."},
	record.PageLimit,
	schema.Field{Name: "cursor", Kind: schema.Text, About: "`meta.cursor.next` of the previous page."},
)

var seeking = schema.FieldsOf[struct{ ID, Limit, Cursor *schema.Leaf }](DuplicatesBody)

const (
	// MostAlike is how many records may have something alike: what more have, such as the number of a switchboard, tells nothing.
	MostAlike = 20
	// MostNamed is how many records of a company or domain are compared by their names.
	MostNamed = 500
	// leastLetters is from how many letters on a name may differ by one edit.
	leastLetters = 6
	// stretchAlike is how many keys are looked through at once, and mostStretches how often for one page.
	stretchAlike  = 5000
	mostStretches = 4
	// mostGroups is how many keys that several records have are looked into for one page: each costs a question or two.
	mostGroups = 300
	// mostCompared is how many names are compared with each other for one page, but for those of its first key.
	mostCompared = 1_000_000
)

// Pair are two records that may be the same, as JSON, with what speaks for it.
type Pair struct {
	Records [2][]byte
	Reasons []string
	Score   int
}

// AppendJSON renders a pair.
func (p Pair) AppendJSON(dst []byte) []byte {
	dst = append(append(dst, `{"records":[`...), p.Records[0]...)
	dst = append(append(append(dst, ','), p.Records[1]...), `],"reasons":`...)
	for i, reason := range p.Reasons {
		dst = schema.AppendString(append(dst, "[,"[min(i, 1)]), reason)
	}
	return append(strconv.AppendInt(append(dst, `],"score":`...), int64(p.Score), 10), '}')
}

// sign is something by which two records may be the same.
type sign struct {
	store.Alike
	// reason is what it is called, and weight how much it tells, in a hundred.
	reason string
	weight int
	// named tells that only those of the records with it are meant whose names are nearly the same.
	named bool
	// keys are those that a record has of it, in order.
	keys func(value func(*schema.Leaf) schema.Value) []string
}

// signs are what a resource's duplicates have alike, the surest first. Pairs are listed in this order.
func signs(k *record.Kind) (all []sign) {
	d := k.Life.Duplicates
	one := func(key string) []string {
		if key == "" {
			return nil
		}
		return []string{key}
	}
	for _, l := range d.SameLeaves {
		weight := 90
		if l.Format == schema.Plain { // a name may be that of several
			weight = 60
		}
		all = append(all, sign{
			Alike: store.Alike{Leaf: l}, reason: l.Path, weight: weight,
			keys: func(value func(*schema.Leaf) schema.Value) []string {
				v := value(l)
				if !v.Set || l.Format == schema.Domain && schema.FreeMail(v.S) {
					return nil
				}
				return one(query.Key(l, v.S))
			},
		})
	}
	all = append(all, sign{
		Alike: store.Alike{Keys: store.PhoneKeys}, reason: d.PhoneLeaves[0].Path, weight: 75,
		keys: func(value func(*schema.Leaf) schema.Value) (keys []string) {
			for _, l := range d.PhoneLeaves {
				if phone := store.Phone(value(l)); phone != "" && !slices.Contains(keys, phone) {
					keys = append(keys, phone)
				}
			}
			slices.Sort(keys)
			return keys
		},
	})
	if d.NameLeaf == nil {
		return all
	}
	within := sign{
		Alike: store.Alike{Leaf: d.WithinLeaf}, reason: d.NameLeaf.Path, weight: 60, named: true,
		keys: func(value func(*schema.Leaf) schema.Value) []string { return one(value(d.WithinLeaf).S) },
	}
	domain := within
	domain.Alike, domain.keys = store.Alike{Keys: store.DomainKeys},
		func(value func(*schema.Leaf) schema.Value) []string { return one(store.MailDomain(value(d.EmailLeaf))) }
	return append(all, within, domain)
}

// Reasons are what duplicates of the resource can have alike.
func Reasons(k *record.Kind) (names []string) {
	for _, s := range signs(k) {
		if !slices.Contains(names, s.reason) {
			names = append(names, s.reason)
		}
	}
	return names
}

// near tells whether two names, as they are compared, are the same but for one letter that is missing, added, another one, or has
// changed places with the next. Short ones must be the same.
func near(a, b string) bool { return nearly([]rune(a), []rune(b)) }

func nearly(x, y []rune) bool {
	if slices.Equal(x, y) {
		return len(x) > 0
	}
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(x) < leastLetters || len(y)-len(x) > 1 {
		return false
	}
	from := 0
	for from < len(x) && x[from] == y[from] {
		from++
	}
	x, y = x[from:], y[from:]
	if len(x) < len(y) {
		return slices.Equal(x, y[1:])
	}
	return slices.Equal(x[1:], y[1:]) || len(x) > 1 && x[0] == y[1] && x[1] == y[0] && slices.Equal(x[2:], y[2:])
}

type candidate struct {
	text  []byte
	value func(*schema.Leaf) schema.Value
}

type seeker struct {
	e     *record.Engine
	c     record.Call
	k     *record.Kind
	signs []sign
	// asked reads candidates: what is shown of them, and behind it what they are compared by.
	shown, asked *query.Query
	behind       []*schema.Leaf
	known        map[schema.UUID]*candidate
	// frequent tells by sign and key whether too many have it.
	frequent map[string]bool
}

func seek(ctx context.Context, e *record.Engine, c record.Call, k *record.Kind, reach record.Reach) (*seeker, error) {
	s := &seeker{e: e, c: c, k: k, signs: signs(k), known: map[schema.UUID]*candidate{}, frequent: map[string]bool{}}
	shown, err := k.SearchTelling(c.Reader(ctx), "")
	if err != nil {
		return nil, err
	}
	c.Confine(shown, reach)
	d := k.Life.Duplicates
	s.behind = slices.Concat(k.Names, []*schema.Leaf{k.Common.ID}, d.SameLeaves, d.PhoneLeaves)
	if d.NameLeaf != nil {
		s.behind = append(s.behind, d.NameLeaf, d.WithinLeaf, d.EmailLeaf)
	}
	asked := *shown
	asked.Leaves, asked.Uncounted = slices.Concat(shown.Leaves, s.behind), true
	s.shown, s.asked = shown, &asked
	return s, nil
}

func (s *seeker) load(ctx context.Context, ids []schema.UUID) error {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id schema.UUID) bool { _, known := s.known[id]; return known })
	for part := range slices.Chunk(ids, record.MostCandidates) {
		q := *s.asked
		among := query.Condition{Path: query.Path{Ref: -1, Leaf: s.k.Common.ID}, Operator: query.In}
		for _, id := range part {
			among.Values = append(among.Values, schema.IDValue(id))
			s.known[id] = nil
		}
		q.Filters, q.Limit = []query.Condition{among}, len(part)
		_, err := s.c.Tenant.Search(ctx, &q, func(values []schema.Value) error {
			id, found := s.candidate(values)
			s.known[id] = found
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *seeker) candidate(values []schema.Value) (schema.UUID, *candidate) {
	own, names := len(s.shown.Leaves), len(s.k.Names)
	behind := slices.Clone(values[own : own+len(s.behind)])
	for i := range behind {
		behind[i].S = string([]byte(behind[i].S)) // which is valid only now
	}
	id := behind[names].UUID()
	text := s.k.AppendTold(nil, id, behind[:names], s.shown, slices.Concat(values[:own], values[own+len(s.behind):]))
	return id, &candidate{text, func(l *schema.Leaf) schema.Value { return behind[slices.Index(s.behind, l)] }}
}

func (s *seeker) tooCommon(ctx context.Context, sign sign, key string) (bool, error) {
	if known, ok := s.frequent[sign.reason+"\x00"+sign.Keys+key]; ok {
		return known, nil
	}
	_, common, err := s.holders(ctx, sign, key)
	return common, err
}

// holders are the records that have a key of a sign, as far as it tells anything, and whether too many have it.
func (s *seeker) holders(ctx context.Context, sign sign, key string) (ids []schema.UUID, common bool, err error) {
	most := MostAlike
	if sign.named {
		most = MostNamed
	}
	ids, err = s.c.Tenant.AlikeTo(ctx, &s.k.Resource, sign.Alike, key, most+1)
	common = len(ids) > most
	s.frequent[sign.reason+"\x00"+sign.Keys+key] = common
	return ids, common, err
}

// inCommon is a sign that two records have, with its first key that they have alike.
type inCommon struct {
	sign
	at  int
	key string
}

// common are the signs by which two records may be the same.
func (s *seeker) common(ctx context.Context, a, b *candidate) (found []inCommon, err error) {
	for at, sign := range s.signs {
		others := sign.keys(b.value)
		for _, key := range sign.keys(a.value) {
			if !slices.Contains(others, key) || sign.named && !near(s.name(a), s.name(b)) {
				continue
			}
			common, err := s.tooCommon(ctx, sign, key)
			if err != nil {
				return nil, err
			}
			if !common {
				found = append(found, inCommon{sign, at, key})
				break
			}
		}
	}
	return found, nil
}

func (s *seeker) name(c *candidate) string {
	l := s.k.Life.Duplicates.NameLeaf
	return query.Key(l, c.value(l).S)
}

// judge gives the pair that two records are, or nil where they are none, may not be read, or come under another sign or key than
// the given one first.
func (s *seeker) judge(ctx context.Context, p store.Pair, by *inCommon) (*Pair, error) {
	a, b := s.known[p[0]], s.known[p[1]]
	if a == nil || b == nil {
		return nil, nil
	}
	found, err := s.common(ctx, a, b)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	if by != nil && (found[0].at != by.at || found[0].key != by.key) {
		return nil, nil
	}
	pair := &Pair{Records: [2][]byte{a.text, b.text}}
	doubt := 1.0
	for _, sign := range found { // some have the same name
		if !slices.Contains(pair.Reasons, sign.reason) {
			pair.Reasons = append(pair.Reasons, sign.reason)
			doubt *= 1 - float64(sign.weight)/100
		}
	}
	pair.Score = int(math.Round(100 * (1 - doubt)))
	return pair, nil
}

// Duplicates answers which records may be the same: it hands pairs to each.
func Duplicates(ctx context.Context, e *record.Engine, c record.Call, k *record.Kind, n *body.Node, each func(Pair)) (record.List, error) {
	reach, err := c.Allow(&k.Resource, record.Read)
	if err != nil {
		return record.List{}, err
	}
	var wrong problem.Fields
	given, err := record.ReadBody(n, DuplicatesBody, &wrong)
	if err != nil {
		return record.List{}, err
	}
	asker, list := query.Asker{Business: c.Tenant.ID(), User: c.User, Own: reach == record.Own}, query.BindTo("duplicates", k.Name)
	var place []byte
	if cursor := given.Get(seeking.Cursor); cursor.Set && len(wrong) == 0 {
		if given.Get(seeking.ID).Set {
			wrong.Add(seeking.Cursor.Path, "not_allowed", "there is one page of the duplicates of a record")
		} else if place, err = e.Cursors().OpenPlace(list, asker, cursor.S); err != nil {
			wrong.Add(seeking.Cursor.Path, "invalid_cursor", err.Error())
		}
	}
	if err := wrong.Err(); err != nil {
		return record.List{}, err
	}
	s, err := seek(ctx, e, c, k, reach)
	if err != nil {
		return record.List{}, err
	}
	limit := record.LimitOf(given.Get(seeking.Limit))
	if id := given.Get(seeking.ID); id.Set {
		return record.List{Total: -1}, s.of(ctx, id.S, limit, each)
	}
	next, err := s.all(ctx, openAlike(place), limit, each)
	if err != nil || next == nil {
		return record.List{Total: -1}, err
	}
	return record.List{Next: e.Cursors().SealPlace(list, asker, next.append(nil)), Total: -1}, nil
}

func (s *seeker) of(ctx context.Context, text string, limit int, each func(Pair)) error {
	id, err := schema.ParseID(s.k.Name, text)
	if err != nil {
		return record.NotFound(&s.k.Resource)
	}
	if err := s.load(ctx, []schema.UUID{id}); err != nil {
		return err
	}
	self := s.known[id]
	if self == nil {
		return s.c.Missing(ctx, &s.k.Resource, id)
	}
	var pairs []store.Pair
	for _, sign := range s.signs {
		for _, key := range sign.keys(self.value) {
			ids, err := s.alike(ctx, sign, key, id, self)
			if err != nil {
				return err
			}
			for _, other := range ids {
				if p := store.PairOf(id, other); other != id && !slices.Contains(pairs, p) {
					pairs = append(pairs, p)
				}
			}
		}
	}
	found, err := s.sift(ctx, pairs, nil)
	if err != nil {
		return err
	}
	slices.SortStableFunc(found, func(a, b sifted) int { return cmp.Compare(b.pair.Score, a.pair.Score) })
	for _, f := range found[:min(len(found), limit)] {
		each(*f.pair)
	}
	return nil
}

// alike are the records that have a key of a sign like a record does, or none where too many have it.
func (s *seeker) alike(ctx context.Context, sign sign, key string, id schema.UUID, self *candidate) ([]schema.UUID, error) {
	ids, common, err := s.holders(ctx, sign, key)
	switch {
	case err != nil || common:
		return nil, err
	case !sign.named:
		return ids, nil
	}
	names, err := s.c.Tenant.KeysOf(ctx, &s.k.Resource, s.k.Life.Duplicates.NameLeaf, ids)
	name := s.name(self)
	ids = slices.DeleteFunc(ids, func(other schema.UUID) bool { return !near(name, names[other]) })
	if len(ids) > MostAlike {
		return nil, err
	}
	return ids, err
}

type sifted struct {
	at   int
	pair *Pair
}

// sift reads records, and leaves of their pairs those that are duplicates by what is given first, or by anything
// where it is nil, and that nobody said are none.
func (s *seeker) sift(ctx context.Context, pairs []store.Pair, by *inCommon) (found []sifted, err error) {
	var ids []schema.UUID
	for _, p := range pairs {
		ids = append(ids, p[0], p[1])
	}
	slices.SortFunc(ids, func(a, b schema.UUID) int { return slices.Compare(a[:], b[:]) })
	if err := s.load(ctx, slices.Compact(ids)); err != nil {
		return nil, err
	}
	not, err := merged.NotTwins(ctx, s.c.Tenant, &s.k.Resource, pairs)
	if err != nil {
		return nil, err
	}
	for i, p := range pairs {
		if not[p] {
			continue
		}
		pair, err := s.judge(ctx, p, by)
		if err != nil {
			return nil, err
		}
		if pair != nil {
			found = append(found, sifted{i, pair})
		}
	}
	return found, nil
}

// alikePlace is where a page of all pairs begins: under a sign behind a key, and so many pairs further on.
type alikePlace struct {
	sign  int
	skip  int
	after string
}

func (p alikePlace) append(dst []byte) []byte {
	dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(p.sign)), uint64(p.skip))
	return append(dst, p.after...)
}

func openAlike(place []byte) (p alikePlace) {
	if len(place) < 2 {
		return p
	}
	sign, a := binary.Uvarint(place)
	skip, b := binary.Uvarint(place[max(a, 0):])
	return alikePlace{int(sign), int(skip), string(place[max(a, 0)+max(b, 0):])}
}

// all finds the next pairs, sign by sign and key by key. It looks through no more than some stretches of keys: where these have few
// pairs, a page has few.
func (s *seeker) all(ctx context.Context, p alikePlace, limit int, each func(Pair)) (next *alikePlace, err error) {
	sent, looked, compared := 0, 0, 0
	for range mostStretches {
		if p.sign >= len(s.signs) {
			return nil, nil
		}
		sign := s.signs[p.sign]
		groups, read, err := s.groups(ctx, sign, p.after)
		if err != nil {
			return nil, err
		}
		whole := read == stretchAlike // then the last group may go on, and is left for the next stretch
		if whole && len(groups) > 1 {
			groups = groups[:len(groups)-1]
		}
		for _, g := range groups {
			if len(g.ids) > 1 {
				looked++
			}
			if n := len(g.ids); sign.named && n <= MostNamed {
				compared += n * n / 2
			}
			if looked > mostGroups || looked > 1 && compared > mostCompared {
				return &p, nil
			}
			pairs, err := s.pairs(ctx, sign, g.ids)
			if err != nil {
				return nil, err
			}
			pairs = pairs[min(p.skip, len(pairs)):]
			found, err := s.sift(ctx, pairs, &inCommon{at: p.sign, key: g.key})
			if err != nil {
				return nil, err
			}
			for _, f := range found {
				if sent == limit {
					return &alikePlace{p.sign, p.skip + f.at, p.after}, nil
				}
				each(*f.pair)
				sent++
			}
			p.after, p.skip = g.key, 0
		}
		if !whole {
			p = alikePlace{sign: p.sign + 1}
		}
	}
	if p.sign >= len(s.signs) {
		return nil, nil
	}
	return &p, nil
}

type group struct {
	key string
	ids []schema.UUID
}

// groups reads the next stretch of keys, and tells how many records that were.
func (s *seeker) groups(ctx context.Context, sign sign, after string) (groups []group, read int, err error) {
	err = s.c.Tenant.AlikeFrom(ctx, &s.k.Resource, sign.Alike, after, stretchAlike, func(key string, id schema.UUID) {
		if last := len(groups) - 1; last < 0 || groups[last].key != key {
			groups = append(groups, group{key: key})
		}
		g := &groups[len(groups)-1]
		g.ids = append(g.ids, id)
		read++
	})
	return groups, read, err
}

// pairs are those of the records that have a key of a sign, in one order; none where too many have it.
func (s *seeker) pairs(ctx context.Context, sign sign, ids []schema.UUID) (pairs []store.Pair, err error) {
	if len(ids) < 2 || len(ids) > MostNamed || !sign.named && len(ids) > MostAlike {
		return nil, nil
	}
	slices.SortFunc(ids, func(a, b schema.UUID) int { return slices.Compare(a[:], b[:]) })
	alike := func(int, int) bool { return true }
	if sign.named {
		names, err := s.c.Tenant.KeysOf(ctx, &s.k.Resource, s.k.Life.Duplicates.NameLeaf, ids)
		if err != nil {
			return nil, err
		}
		letters := make([][]rune, len(ids))
		for i, id := range ids {
			letters[i] = []rune(names[id])
		}
		alike = func(i, j int) bool { return nearly(letters[i], letters[j]) }
	}
	neighbours := make([]int, len(ids))
	var all [][2]int
	for i := range ids {
		for j := i + 1; j < len(ids); j++ {
			if alike(i, j) {
				neighbours[i]++
				neighbours[j]++
				all = append(all, [2]int{i, j})
			}
		}
	}
	for _, p := range all {
		if neighbours[p[0]] < MostAlike && neighbours[p[1]] < MostAlike {
			pairs = append(pairs, store.PairOf(ids[p[0]], ids[p[1]]))
		}
	}
	return pairs, nil
}
