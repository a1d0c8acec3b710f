package schema

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"time"
)

// Value is one typed value. Which of its parts counts is told by the kind: N holds booleans (0, 1), integers, the bits of
// a number, decimals in ten-thousandths, days and microseconds since 1970; S holds texts, the 16 bytes of an id, and lists
// and objects as JSON. A value that is not Set is absent.
type Value struct {
	Kind Kind
	Set  bool
	N    int64
	S    string
}

// Absent is the absent value of a kind.
func Absent(k Kind) Value { return Value{Kind: k} }

// TextValue makes a value of a textual kind; an empty text is absent.
func TextValue(k Kind, s string) Value { return Value{Kind: k, Set: s != "", S: s} }

// IntValue makes a value of a kind that counts in N.
func IntValue(k Kind, n int64) Value { return Value{Kind: k, Set: true, N: n} }

// BoolValue makes a truth value.
func BoolValue(b bool) Value {
	if b {
		return IntValue(Bool, 1)
	}
	return IntValue(Bool, 0)
}

// FloatValue makes a number. Minus zero is zero: no engine tells them apart.
func FloatValue(f float64) Value {
	if f == 0 {
		f = 0
	}
	return IntValue(Number, int64(math.Float64bits(f)))
}

// Float reads a number.
func (v Value) Float() float64 { return math.Float64frombits(uint64(v.N)) }

// True reads a truth value.
func (v Value) True() bool { return v.Set && v.N != 0 }

// TimeValue makes an instant, cut to microseconds.
func TimeValue(t time.Time) Value { return IntValue(Time, t.UnixMicro()) }

// Time reads an instant.
func (v Value) Time() time.Time { return time.UnixMicro(v.N).UTC() }

// DateValue makes the calendar day of an instant, UTC.
func DateValue(t time.Time) Value {
	const day = 86400
	seconds := t.Unix()
	return IntValue(Date, (seconds-(seconds%day+day)%day)/day)
}

// IDValue makes an id; the zero id is absent.
func IDValue(id UUID) Value {
	if id == (UUID{}) {
		return Absent(ID)
	}
	return Value{Kind: ID, Set: true, S: string(id[:])}
}

// UUID reads an id.
func (v Value) UUID() UUID {
	var id UUID
	copy(id[:], v.S)
	return id
}

// Record is one record, or one item of a list: a value for each leaf of its shape.
type Record struct {
	*Shape
	Values []Value
	// Once is what is answered a single time and never stored, or nil.
	Once *Secret
}

// Secret is a field that a record shows only when it was made, such as a token.
type Secret struct{ Name, Value string }

// NewRecord makes a record with all values absent.
func NewRecord(s *Shape) *Record {
	r := &Record{Shape: s, Values: make([]Value, len(s.Leaves))}
	for i, l := range s.Leaves {
		r.Values[i].Kind = l.Kind
	}
	return r
}

// Clone copies a record.
func (r *Record) Clone() *Record {
	return &Record{Shape: r.Shape, Values: slices.Clone(r.Values)}
}

// Get reads the value of a leaf.
func (r *Record) Get(l *Leaf) Value { return r.Values[r.Index(l)] }

// Put sets the value of a leaf.
func (r *Record) Put(l *Leaf, v Value) { r.Values[r.Index(l)] = v }

// Text reads a textual value, empty where absent.
func (r *Record) Text(l *Leaf) string { return r.Values[r.Index(l)].S }

// PutText sets a textual value; an empty text is absent.
func (r *Record) PutText(l *Leaf, text string) { r.Values[r.Index(l)] = TextValue(l.Kind, text) }

// ID gives the record's id.
func (r *Record) ID() UUID { return r.Get(r.Common.ID).UUID() }

// Version gives the record's version.
func (r *Record) Version() int64 { return r.Get(r.Common.Version).N }

// Weight counts the bytes of its texts.
func (r *Record) Weight() (bytes int) {
	for _, v := range r.Values {
		bytes += len(v.S)
	}
	return bytes
}

// Live tells whether the record is not deleted.
func (r *Record) Live() bool { return !r.Get(r.Common.DeletedAt).Set }

// UUID is the 16 bytes of an id, in time order (version 7).
type UUID [16]byte

var clock struct {
	sync.Mutex
	last uint64
}

// NewID mints an id. Ids made by one process rise strictly.
func NewID(now time.Time) UUID {
	clock.Lock()
	clock.last = max(stampOf(now), clock.last+1)
	stamp := clock.last
	clock.Unlock()
	return mint(stamp)
}

// NewIDAfter mints an id that comes after another one, and is of the given time where that is later.
func NewIDAfter(last UUID, now time.Time) UUID { return mint(max(stampOf(now), last.stamp()+1)) }

// A stamp is the time of an id: the milliseconds, and 12 bits of fractions of one, which also count on where the time stands still
// (RFC 9562, method 3). Each microsecond has a stamp of its own.
func stampOf(at time.Time) uint64 {
	micros := uint64(at.UnixMicro())
	return micros/1000<<12 | micros%1000<<12/1000
}

func (id UUID) stamp() uint64 {
	head := binary.BigEndian.Uint64(id[:8])
	return head>>16<<12 | head&0xfff
}

func mint(stamp uint64) UUID {
	var id UUID
	rand.Read(id[8:]) // it never fails
	binary.BigEndian.PutUint64(id[:8], stamp>>12<<16|0x7000|stamp&0xfff)
	id[8] = id[8]&0x3f | 0x80
	return id
}

// Time is the first microsecond whose own ids do not come before the id.
func (id UUID) Time() time.Time {
	stamp := id.stamp()
	return time.UnixMicro(int64(stamp>>12*1000 + (stamp&0xfff*1000+0xfff)>>12)).UTC()
}

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

// AppendID renders an id in TypeID form: the prefix, an underscore, and the 128 bits in base 32, which sorts as the bytes do.
func AppendID(dst []byte, prefix string, id string) []byte {
	hi, lo := binary.BigEndian.Uint64([]byte(id[:8])), binary.BigEndian.Uint64([]byte(id[8:16]))
	var digits [26]byte
	for i := 25; i > 13; i-- {
		digits[i] = alphabet[lo&31]
		lo >>= 5
	}
	digits[13] = alphabet[(lo|hi<<4)&31] // the four bits that are left and the first of the other half
	hi >>= 1
	for i := 12; i >= 0; i-- {
		digits[i] = alphabet[hi&31]
		hi >>= 5
	}
	dst = append(append(dst, prefix...), '_')
	return append(dst, digits[:]...)
}

// FormatID renders an id with its prefix.
func FormatID(prefix string, id UUID) string {
	var room [64]byte
	return string(AppendID(room[:0], prefix, string(id[:])))
}

var errBadID = errors.New("not an id")

// ParseID reads an id in TypeID form with the given prefix.
func ParseID(prefix, text string) (UUID, error) {
	var id UUID
	rest, ok := strings.CutPrefix(text, prefix+"_")
	if !ok || len(rest) != 26 || rest[0] > '7' {
		return id, errBadID
	}
	var hi, lo uint64
	for i := 0; i < len(rest); i++ {
		d := strings.IndexByte(alphabet, rest[i])
		if d < 0 {
			return id, errBadID
		}
		hi = hi<<5 | lo>>59
		lo = lo<<5 | uint64(d)
	}
	if hi|lo == 0 {
		return id, errBadID // it would read as no id at all
	}
	binary.BigEndian.PutUint64(id[:8], hi)
	binary.BigEndian.PutUint64(id[8:], lo)
	return id, nil
}

// RecordOf reads an id together with the resource that it names: contact_01… is of a contact.
func RecordOf(text string) (resource string, id UUID, err error) {
	at := strings.LastIndexByte(text, '_')
	if at < 0 {
		return "", id, errBadID
	}
	id, err = ParseID(text[:at], text)
	return text[:at], id, err
}
