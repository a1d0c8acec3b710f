package openapi

import (
	"bytes"
	"encoding/json"
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
func (o Object) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			out.WriteByte(',')
		}
		name, err := marshal(m.Name)
		if err != nil {
			return nil, err
		}
		value, err := marshal(m.Value)
		if err != nil {
			return nil, err
		}
		out.Write(name)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// marshal renders a value as it is meant to be read: < and & stay what they are.
func marshal(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
