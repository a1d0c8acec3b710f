// Package body reads a JSON request body strictly into a small tree. It rejects what is not JSON, and keeps
// what is JSON but suspicious (duplicate keys) so that validation can name it beside the other wrong fields.
package body

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"kith/internal/problem"
)

// MaxDepth is how deep arrays and objects may nest. No document of ours comes near it.
const MaxDepth = 32

// Kind is the JSON type of a node.
type Kind byte

// The JSON types.
const (
	Null   Kind = 'n'
	Bool   Kind = 'b'
	Number Kind = '0'
	String Kind = '"'
	Array  Kind = '['
	Object Kind = '{'
)

// Node is one JSON value. Text holds a string's content, a number's literal, or "true" and "false".
type Node struct {
	Kind    Kind
	Text    string
	Items   []Node
	Members []Member
}

// Member is one key of an object with its value.
type Member struct {
	Name string
	// Again is true when the same key stood earlier in the same object.
	Again bool
	Value Node
}

// Get finds a key of an object.
func (n Node) Get(name string) (Node, bool) {
	for _, m := range n.Members {
		if m.Name == name {
			return m.Value, true
		}
	}
	return Node{}, false
}

// Name says in words what the node is, for error messages.
func (k Kind) Name() string {
	switch k {
	case Null:
		return "null"
	case Bool:
		return "a boolean"
	case Number:
		return "a number"
	case String:
		return "a string"
	case Array:
		return "an array"
	default:
		return "an object"
	}
}

// Parse reads exactly one JSON value. An empty or blank text gives a nil node and no error.
func Parse(text []byte) (*Node, error) {
	if len(bytes.TrimLeft(text, " \t\r\n")) == 0 {
		return nil, nil
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true))
	n, err := parse(dec)
	if err != nil {
		return nil, malformed(err, dec)
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, problem.New(problem.MalformedJSON, "The body holds more than one JSON value.")
	}
	return &n, nil
}

var errTooDeep = errors.New("too deep")

func parse(dec *jsontext.Decoder) (Node, error) {
	tok, err := dec.ReadToken()
	if err != nil {
		return Node{}, err
	}
	switch kind := tok.Kind(); kind {
	case 'n':
		return Node{Kind: Null}, nil
	case 't', 'f':
		return Node{Kind: Bool, Text: tok.String()}, nil
	case '0', '"':
		return Node{Kind: Kind(kind), Text: tok.String()}, nil
	case '[':
		if dec.StackDepth() > MaxDepth {
			return Node{}, errTooDeep
		}
		n := Node{Kind: Array}
		for dec.PeekKind() != ']' {
			item, err := parse(dec)
			if err != nil {
				return Node{}, err
			}
			n.Items = append(n.Items, item)
		}
		_, err := dec.ReadToken()
		return n, err
	default:
		if dec.StackDepth() > MaxDepth {
			return Node{}, errTooDeep
		}
		n := Node{Kind: Object}
		var seen map[string]bool // only for large objects, where looking back would cost the square of their size
		for dec.PeekKind() != '}' {
			name, err := dec.ReadToken()
			if err != nil {
				return Node{}, err
			}
			m := Member{Name: name.String()}
			if seen == nil && len(n.Members) >= 32 {
				seen = make(map[string]bool, 64)
				for _, earlier := range n.Members {
					seen[earlier.Name] = true
				}
			}
			if seen != nil {
				m.Again = seen[m.Name]
				seen[m.Name] = true
			} else {
				_, m.Again = n.Get(m.Name)
			}
			if m.Value, err = parse(dec); err != nil {
				return Node{}, err
			}
			n.Members = append(n.Members, m)
		}
		_, err := dec.ReadToken()
		return n, err
	}
}

func malformed(err error, dec *jsontext.Decoder) error {
	if errors.Is(err, errTooDeep) {
		return problem.New(problem.MalformedJSON, "The body nests deeper than %d levels.", MaxDepth)
	}
	at := dec.InputOffset()
	reason := "it is cut off"
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		at, reason = syntax.ByteOffset, syntax.Err.Error()
		if errors.Is(err, io.ErrUnexpectedEOF) {
			reason = "it is cut off"
		}
	}
	return problem.New(problem.MalformedJSON, "The body is not valid JSON: %s, at byte %s.", reason, strconv.FormatInt(at, 10))
}

// Object makes sure that the body is an object; an absent body is an empty object.
func (n *Node) Object() (Node, error) {
	if n == nil {
		return Node{Kind: Object}, nil
	}
	if n.Kind != Object {
		var wrong problem.Fields
		wrong.Add("body", "wrong_type", "the body must be a JSON object, not "+n.Kind.Name())
		return Node{}, wrong.Err()
	}
	return *n, nil
}

// Merge applies a JSON merge patch (RFC 7396) to an object.
func Merge(target, patch Node) Node {
	if patch.Kind != Object {
		return patch
	}
	merged := Node{Kind: Object}
	if target.Kind == Object {
		merged.Members = append(merged.Members, target.Members...)
	}
	for _, m := range patch.Members {
		at := -1
		for i := range merged.Members {
			if merged.Members[i].Name == m.Name {
				at = i
			}
		}
		switch {
		case m.Value.Kind == Null && at >= 0:
			merged.Members = append(merged.Members[:at:at], merged.Members[at+1:]...)
		case m.Value.Kind == Null:
		case at >= 0:
			merged.Members[at].Value = Merge(merged.Members[at].Value, m.Value)
		default:
			m.Value = Merge(Node{}, m.Value)
			merged.Members = append(merged.Members, m)
		}
	}
	return merged
}
