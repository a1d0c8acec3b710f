package store

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"kith/internal/schema"
)

// Leaves that a business adds share a document, a JSON object: each has a member with its value and, where it is compared in another form, one with
// that. Values are kept as the engines keep them in columns: decimals, dates and times as whole numbers, ids in hexadecimal, lists as the text of their
// JSON. So both engines compare members as they compare columns.

// foldDocument writes the added values of a record into its document. Members that the record's shape does not know stay as they are. old is nil for
// a new record.
func foldDocument(old, rec *schema.Record) error {
	document, added := rec.Document()
	if document == nil {
		return nil
	}
	var members map[string]json.RawMessage
	for _, l := range added {
		v := rec.Get(l)
		if old != nil && old.Get(l) == v || old == nil && !v.Set {
			continue
		}
		if members == nil {
			members = map[string]json.RawMessage{}
			if kept := rec.Get(document); kept.Set {
				if err := json.Unmarshal([]byte(kept.S), &members); err != nil {
					return fmt.Errorf("the document %s of %s: %w", document.Path, rec.Whose, err)
				}
			}
		}
		setMember(members, l.Member, v)
		if l.Key != "" {
			setMember(members, l.Key, key(l, v))
		}
	}
	if members == nil {
		return nil
	}
	text := []byte{'{'}
	for i, name := range slices.Sorted(maps.Keys(members)) {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(schema.AppendString(text, name), ':')
		text = append(text, members[name]...)
	}
	rec.Put(document, schema.Value{Kind: schema.Document, Set: len(members) > 0, S: string(append(text, '}'))})
	if len(members) == 0 {
		rec.Put(document, schema.Absent(schema.Document))
	}
	return nil
}

func setMember(members map[string]json.RawMessage, name string, v schema.Value) {
	if !v.Set {
		delete(members, name)
		return
	}
	var text []byte
	switch {
	case v.Kind == schema.Number:
		text = strconv.AppendFloat(nil, v.Float(), 'g', -1, 64)
	case v.Kind == schema.ID:
		text = schema.AppendString(nil, hex.EncodeToString([]byte(v.S)))
	case countsInN(v.Kind):
		text = strconv.AppendInt(nil, v.N, 10)
	default:
		text = schema.AppendString(nil, v.S)
	}
	members[name] = text
}

// unfoldDocument reads the added values of a record from its document.
func unfoldDocument(rec *schema.Record) error {
	document, added := rec.Document()
	for _, l := range added {
		rec.Put(l, schema.Absent(l.Kind))
	}
	if document == nil || !rec.Get(document).Set || len(added) == 0 {
		return nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(rec.Get(document).S), &members); err != nil {
		return fmt.Errorf("the document %s of %s: %w", document.Path, rec.Whose, err)
	}
	for _, l := range added {
		raw, ok := members[l.Member]
		if !ok {
			continue
		}
		v, err := memberValue(l.Kind, raw)
		if err != nil {
			return fmt.Errorf("%s of %s: %w", l.Path, rec.Whose, err)
		}
		rec.Put(l, v)
	}
	return nil
}

func memberValue(k schema.Kind, raw json.RawMessage) (schema.Value, error) {
	if k == schema.Number {
		f, err := strconv.ParseFloat(string(raw), 64)
		if err == nil && math.IsInf(f, 0) {
			err = strconv.ErrRange
		}
		return schema.FloatValue(f), err
	}
	if countsInN(k) {
		n, err := strconv.ParseInt(string(raw), 10, 64)
		return schema.IntValue(k, n), err
	}
	v := schema.Value{Kind: k, Set: true}
	if err := json.Unmarshal(raw, &v.S); err != nil {
		return v, err
	}
	if k == schema.ID {
		id, err := hex.DecodeString(v.S)
		v.S = string(id)
		return v, err
	}
	return v, nil
}

// ownLeaves are the leaves that have a column to themselves.
func ownLeaves(s *schema.Shape) []*schema.Leaf {
	if _, added := s.Document(); len(added) > 0 {
		return s.Leaves[:added[0].Index]
	}
	return s.Leaves
}
