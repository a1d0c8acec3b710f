package query

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/schema"
)

// Cursors seals and opens cursors with a key that all servers of one database share.
type Cursors struct {
	key []byte
}

// Asker is whom a cursor is given to: nobody else can go on with it, nor they themselves when their reach has changed.
type Asker struct {
	Business, User schema.UUID
	// Own tells that they reach only their own records.
	Own bool
}

// NewCursors takes the key.
func NewCursors(key []byte) *Cursors {
	return &Cursors{key}
}

const sealSize = 16

var (
	errAltered = errors.New("is not a cursor of this search: it must be the value of meta.cursor.next of the previous page, unchanged")
	encoding   = base64.RawURLEncoding.Strict()
)

// Binding is what a cursor is bound to: a digest of everything that decides which records come in which order.
type Binding [sha256.Size]byte

// BindTo makes the binding of a list that is no search, from the words that tell what it is a list of.
func BindTo(words ...string) (b Binding) {
	h := sha256.New()
	for _, word := range words {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(word))))
		h.Write([]byte(word))
	}
	h.Sum(b[:0])
	return b
}

// sign digests what a cursor of the search is bound to.
func (q *Query) sign() {
	h := sha256.New()
	number := func(n int64) {
		var b [8]byte
		binary.BigEndian.PutUint64(b[:], uint64(n))
		h.Write(b[:])
	}
	text := func(s string) {
		number(int64(len(s)))
		h.Write([]byte(s))
	}
	flag := func(b bool) {
		if b {
			number(1)
		} else {
			number(0)
		}
	}
	path := func(p Path) {
		leaf := func(l *schema.Leaf) {
			text(l.Path)
			if l.Member != "" { // another field of the same name may have come in its place
				text(l.Member)
			}
		}
		if p.Ref >= 0 {
			leaf(q.Refs[p.Ref].Via)
			flag(q.Refs[p.Ref].Own)
		} else {
			text("")
		}
		leaf(p.Leaf)
	}
	text(q.Resource.Name)
	flag(q.Bin)
	flag(q.Desc)
	path(q.Order)
	number(int64(len(q.Words)))
	for _, w := range q.Words {
		text(w)
	}
	number(int64(len(q.Filters)))
	for _, f := range q.Filters {
		path(f.Path)
		text(string(f.Operator))
		number(int64(len(f.Values)))
		for _, v := range f.Values {
			number(v.N)
			text(v.S)
		}
	}
	if q.asked != 0 {
		number(q.asked)
	}
	h.Sum(q.digest[:0])
}

// Seal makes the cursor of the page that begins behind a position.
func (c *Cursors) Seal(q *Query, asker Asker, p Position) string {
	place := make([]byte, 0, 64+len(p.Value.S))
	if q.asked != 0 {
		place = binary.BigEndian.AppendUint64(place, uint64(q.asked))
	}
	place = append(place, p.ID[:]...)
	place = binary.AppendUvarint(place, uint64(p.Total)+1)
	if p.Value.Set {
		place = binary.AppendVarint(place, p.Value.N)
		place = append(place, p.Value.S...)
	}
	return c.SealPlace(q.digest, asker, place)
}

// SealPlace makes the cursor of the page that begins behind a place, which whoever made the list can read again. Everybody who has
// the cursor can read it, too.
func (c *Cursors) SealPlace(b Binding, asker Asker, place []byte) string {
	seal := c.seal(b, asker, place)
	return encoding.EncodeToString(append(seal[:sealSize:sealSize], place...))
}

// OpenPlace reads the place out of a cursor that was given out for the same list, to the same asker.
func (c *Cursors) OpenPlace(b Binding, asker Asker, cursor string) ([]byte, error) {
	raw, err := encoding.DecodeString(cursor)
	// The decoder skips line breaks, and a cursor with one in it is not the one that was given out.
	if err != nil || len(raw) < sealSize || strings.ContainsAny(cursor, "\r\n") {
		return nil, errAltered
	}
	place := raw[sealSize:]
	if seal := c.seal(b, asker, place); !hmac.Equal(raw[:sealSize], seal[:sealSize]) {
		return nil, errAltered
	}
	return place, nil
}

func (c *Cursors) seal(b Binding, asker Asker, place []byte) (seal [sha256.Size]byte) {
	mac := hmac.New(sha256.New, c.key)
	mac.Write(asker.Business[:])
	mac.Write(asker.User[:])
	if asker.Own {
		mac.Write([]byte{1})
	} else {
		mac.Write([]byte{0})
	}
	mac.Write(b[:])
	mac.Write(place)
	mac.Sum(seal[:0])
	return seal
}

// firstAsked is the moment that a cursor says the value tokens of its search were read by. Only open tells whether that is true:
// what it was not made for reads as another query, which it does not fit.
func firstAsked(cursor string) (time.Time, bool) {
	raw, err := encoding.DecodeString(cursor)
	if err != nil || len(raw) < sealSize+8 {
		return time.Time{}, false
	}
	at := time.UnixMicro(int64(binary.BigEndian.Uint64(raw[sealSize:]))).UTC()
	return at, at.Year() >= 1970 && at.Year() < 9000
}

// open checks a cursor against the query and reads the position in it.
func (c *Cursors) open(q *Query, asker Asker, cursor string) (*Position, error) {
	payload, err := c.OpenPlace(q.digest, asker, cursor)
	if err != nil || len(payload) < 17 {
		return nil, errAltered
	}
	if q.asked != 0 { // the seal has shown that the query was read by the moment in front
		payload = payload[8:]
	}
	p := &Position{Value: schema.Absent(q.Order.Leaf.SortKind())}
	copy(p.ID[:], payload)
	payload = payload[16:]
	total, n := binary.Uvarint(payload)
	if n <= 0 {
		return nil, errAltered
	}
	p.Total = int64(total) - 1
	if payload = payload[n:]; len(payload) > 0 {
		number, n := binary.Varint(payload)
		if n <= 0 {
			return nil, errAltered
		}
		p.Value.Set, p.Value.N, p.Value.S = true, number, string(payload[n:])
	}
	return p, nil
}
