package openapi

import (
	"bytes"
	"encoding/json"

	"github.com/kith-crm/kith/internal/schema"
)

// Object is a JSON object whose members keep their order, so that fields stand in the document as they are declared.
type Object []Member

// Member is one key of an Object with its value: an Object, a list, or what encoding/json renders.
type Member struct {
	Name  string
	Value any
}

// object makes an Object of names and values by turns.
func object(pairs ...any) Object {
	var o Object
	for i := 0; i < len(pairs); i += 2 {
		o = append(o, Member{pairs[i].(string), pairs[i+1]})
	}
	return o
}

// with gives the object with one more member.
func (o Object) with(name string, value any) Object {
	return append(o[:len(o):len(o)], Member{name, value})
}

// get gives the value of a member, or nil.
func (o Object) get(name string) any {
	for _, m := range o {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}

// MarshalJSON renders the members in their order.
func (o Object) MarshalJSON() ([]byte, error) { return appendJSON(nil, o) }

// appendJSON renders a value as it is meant to be read: < and & stay what they are. Objects are rendered in place, because
// encoding/json reads again what an object in it has rendered, and so everything as often as it lies deep.
func appendJSON(dst []byte, v any) (_ []byte, err error) {
	switch x := v.(type) {
	case Object:
		dst = append(dst, '{')
		for i, m := range x {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(schema.AppendString(dst, m.Name), ':')
			if dst, err = appendJSON(dst, m.Value); err != nil {
				return nil, err
			}
		}
		return append(dst, '}'), nil
	case []Object:
		return appendList(dst, x)
	case []string:
		return appendList(dst, x)
	case string:
		return schema.AppendString(dst, x), nil
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return append(dst, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...), nil
}

func appendList[T any](dst []byte, items []T) (_ []byte, err error) {
	dst = append(dst, '[')
	for i, item := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendJSON(dst, item); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}
