package layout

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/kith-crm/kith/internal/schema"
)

// FoldDocument writes the added values of a record into its document. Members that the record's shape does not know stay as they
// are. old is nil for a new record.
func FoldDocument(old, rec *schema.Record) error {
	document, added := rec.Document()
	if document == nil {
		return nil
	}
	var members map[string]json.RawMessage
	for _, l := range added {
		v := rec.Get(l)
		if old != nil && old.Get(l) == v || old == nil && !v.Set && !rec.Get(document).Set {
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
			setMember(members, l.Key, KeyOf(l, v))
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
	members[name] = schema.AppendMember(nil, v)
}

// UnfoldDocument reads the added values of a record from its document.
func UnfoldDocument(rec *schema.Record) error {
	document, added := rec.Document()
	for _, l := range added {
		rec.Put(l, schema.Absent(l.Kind))
	}
	if document == nil || !rec.Get(document).Set || len(added) == 0 {
		return nil
	}
	err := schema.ScanDocument(rec.Get(document).S, func(name, raw string) error {
		i := slices.IndexFunc(added, func(l *schema.Leaf) bool { return l.Member == name })
		if i < 0 {
			return nil
		}
		v, err := schema.MemberValue(added[i].Kind, raw)
		rec.Put(added[i], v)
		return err
	})
	if err != nil {
		return fmt.Errorf("the document %s of %s: %w", document.Path, rec.Whose, err)
	}
	return nil
}

// OwnLeaves are the leaves that have a column to themselves.
func OwnLeaves(s *schema.Shape) []*schema.Leaf {
	if _, added := s.Document(); len(added) > 0 {
		return s.Leaves[:added[0].Index]
	}
	return s.Leaves
}
