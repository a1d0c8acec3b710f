package query

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash"
	"strings"
	"sync"

	"kith/internal/schema"
)

// Cursors seals and opens cursors with a key that all servers of one database share.
type Cursors struct {
	// macs are ready to be used: making one digests the key, which costs as much as sealing a cursor with it.
	macs sync.Pool
}

// Asker is whom a cursor is given to: nobody else can go on with it, nor they themselves when their reach has changed.
type Asker struct {
	Business, User schema.UUID
	// Own tells that they reach only their own records.
	Own bool
}

// NewCursors takes the key.
func NewCursors(key []byte) *Cursors {
	return &Cursors{macs: sync.Pool{New: func() any { return hmac.New(sha256.New, key) }}}
}

const sealSize = 16

var (
	errAltered = errors.New("is not a cursor of this search: it must be the value of meta.cursor.next of the previous page, unchanged")
	encoding   = base64.RawURLEncoding.Strict()
)

// sign digests what a cursor is bound to: everything that decides which records come in which order.
func (q *Query) sign() {
	h := sha256.New()
	text := func(s string) {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(s)))
		h.Write(size[:])
		h.Write([]byte(s))
	}
	number := func(n int64) {
		var b [8]byte
		binary.BigEndian.PutUint64(b[:], uint64(n))
		h.Write(b[:])
	}
	flag := func(b bool) {
		if b {
			number(1)
		} else {
			number(0)
		}
	}
	path := func(p Path) {
		if p.Ref >= 0 {
			text(q.Refs[p.Ref].Via.Path)
			flag(q.Refs[p.Ref].Own)
		} else {
			text("")
		}
		text(p.Leaf.Path)
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
	h.Sum(q.digest[:0])
}

// Seal makes the cursor of the page that begins behind a position.
func (c *Cursors) Seal(q *Query, asker Asker, p Position) string {
	payload := make([]byte, sealSize, sealSize+64+len(p.Value.S))
	payload = append(payload, p.ID[:]...)
	payload = binary.AppendUvarint(payload, uint64(p.Total)+1)
	if p.Value.Set {
		payload = binary.AppendVarint(payload, p.Value.N)
		payload = append(payload, p.Value.S...)
	}
	seal := c.seal(q, asker, payload[sealSize:])
	copy(payload, seal[:sealSize])
	return encoding.EncodeToString(payload)
}

func (c *Cursors) seal(q *Query, asker Asker, payload []byte) (seal [sha256.Size]byte) {
	mac := c.macs.Get().(hash.Hash)
	defer c.macs.Put(mac)
	mac.Reset()
	mac.Write(asker.Business[:])
	mac.Write(asker.User[:])
	if asker.Own {
		mac.Write([]byte{1})
	} else {
		mac.Write([]byte{0})
	}
	mac.Write(q.digest[:])
	mac.Write(payload)
	mac.Sum(seal[:0])
	return seal
}

// open checks a cursor against the query and reads the position in it.
func (c *Cursors) open(q *Query, asker Asker, cursor string) (*Position, error) {
	raw, err := encoding.DecodeString(cursor)
	// The decoder skips line breaks, and a cursor with one in it is not the one that was given out.
	if err != nil || len(raw) < sealSize+17 || strings.ContainsAny(cursor, "\r\n") {
		return nil, errAltered
	}
	payload := raw[sealSize:]
	seal := c.seal(q, asker, payload)
	if !hmac.Equal(raw[:sealSize], seal[:sealSize]) {
		return nil, errAltered
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
