// Package body reads a JSON request body strictly into a small tree. It rejects what is not JSON, and keeps
// what is JSON but suspicious (duplicate keys) so that validation can name it beside the other wrong fields.
package body

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/schema"
)

// Limits of a body, so that reading one takes little memory whatever is in it. No document of ours comes near them.
const (
	// MaxDepth is how deep arrays and objects may nest.
	MaxDepth = 32
	// MaxValues is how many values a body may have in all: each takes some 100 bytes of memory, and two bytes of JSON.
	MaxValues = 50_000
	// MaxKeys is how many keys one object may have.
	MaxKeys = 500
)

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
func (k Kind) Name() string { return kindNames[k] }

var kindNames = map[Kind]string{
	Null: "null", Bool: "a boolean", Number: "a number", String: "a string", Array: "an array", Object: "an object",
}

// Parse reads exactly one JSON value. An empty or blank text gives a nil node and no error.
func Parse(text []byte) (*Node, error) {
	if len(bytes.TrimLeft(text, " \t\r\n")) == 0 {
		return nil, nil
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true))
	left := MaxValues
	n, err := parse(dec, &left)
	if err != nil {
		return nil, malformed(err, dec, text)
	}
	end := dec.InputOffset()
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, problem.New(problem.MalformedJSON, "The body goes on after its JSON value, which ends %s.", place(text, end))
	}
	return &n, nil
}

var (
	errTooDeep = errors.New("too deep")
	errTooMany = errors.New("too many values")
)

// manyKeys is an object with too many keys, and where in the body it is.
type manyKeys struct{ path string }

func (e manyKeys) Error() string { return "too many keys in " + e.path }

// inside puts the place of an error into the key or item that it is inside of.
func inside(err error, place string) error {
	if e, ok := err.(manyKeys); ok {
		if e.path != "" && e.path[0] != '[' {
			place += "."
		}
		return manyKeys{place + e.path}
	}
	return err
}

// parse reads one value; left is how many more there may be.
func parse(dec *jsontext.Decoder, left *int) (Node, error) {
	if *left--; *left < 0 {
		return Node{}, errTooMany
	}
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
			item, err := parse(dec, left)
			if err != nil {
				return Node{}, inside(err, "["+strconv.Itoa(len(n.Items))+"]")
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
			if len(n.Members) == MaxKeys {
				return Node{}, manyKeys{}
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
			if m.Value, err = parse(dec, left); err != nil {
				return Node{}, inside(err, m.Name)
			}
			n.Members = append(n.Members, m)
		}
		_, err := dec.ReadToken()
		return n, err
	}
}

func malformed(err error, dec *jsontext.Decoder, text []byte) error {
	if e, ok := err.(manyKeys); ok {
		var wrong problem.Fields
		wrong.Add(cmp.Or(e.path, "body"), "too_many", "must have at most "+strconv.Itoa(MaxKeys)+" keys")
		return wrong.Err()
	}
	if errors.Is(err, errTooMany) {
		return problem.New(problem.PayloadTooLarge, "The body has more than %d values.", MaxValues)
	}
	if errors.Is(err, errTooDeep) {
		return problem.New(problem.MalformedJSON, "The body nests deeper than %d levels.", MaxDepth)
	}
	at := dec.InputOffset()
	reason := "it is cut off"
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		at = syntax.ByteOffset
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			reason, at = slip(text, at, syntax.Err.Error())
		}
	}
	return problem.New(problem.MalformedJSON, "The body is not valid JSON: %s, %s.", reason, place(text, at))
}

// slip says in plain words what people most often get wrong, and where that is; anything else is as the parser says it.
func slip(text []byte, at int64, otherwise string) (reason string, where int64) {
	if at >= int64(len(text)) {
		return otherwise, at
	}
	const space = " \t\r\n"
	before, after := bytes.TrimRight(text[:at], space), bytes.TrimLeft(text[at+1:], space)
	follows := func(before []byte, any string) bool {
		return len(before) > 0 && strings.IndexByte(any, before[len(before)-1]) >= 0
	}
	word := at // where a word without quotes begins: the parser may have taken it for null or true at first
	for word > 0 && isLetter(text[word-1]) {
		word--
	}
	switch {
	case text[at] == ',' && len(after) > 0 && (after[0] == '}' || after[0] == ']'):
		return "there is a comma with nothing after it", at
	case text[at] == ',' && follows(before, "{[,"):
		return "there is a comma with nothing before it", at
	case text[at] == '\'':
		return "keys and texts stand in double quotes", at
	case (word < at || isLetter(text[at])) && follows(bytes.TrimRight(text[:word], space), "{"):
		return "keys stand in double quotes", word
	case text[at] == '/' && at+1 < int64(len(text)) && (text[at+1] == '/' || text[at+1] == '*'):
		return "JSON has no comments", at
	}
	return otherwise, at
}

func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }

// place says where in the body something is.
func place(text []byte, at int64) string {
	before := text[:min(at, int64(len(text)))]
	line := bytes.Count(before, []byte{'\n'}) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Sprintf("at line %d, column %d (byte %d)", line, column, at)
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

// Append renders a node as JSON, without white space.
func Append(dst []byte, n Node) []byte {
	switch n.Kind {
	case String:
		return schema.AppendString(dst, n.Text)
	case Array:
		dst = append(dst, '[')
		for i, item := range n.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = Append(dst, item)
		}
		return append(dst, ']')
	case Object:
		dst = append(dst, '{')
		for i, m := range n.Members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(schema.AppendString(dst, m.Name), ':')
			dst = Append(dst, m.Value)
		}
		return append(dst, '}')
	case Bool, Number:
		return append(dst, n.Text...)
	default:
		return append(dst, "null"...)
	}
}

// Merge applies a JSON merge patch (RFC 7396) to an object.
func Merge(target, patch Node) Node {
	if patch.Kind != Object {
		return patch
	}
	merged := Node{Kind: Object}
	at := map[string]int{}
	if target.Kind == Object {
		merged.Members = append(merged.Members, target.Members...)
		for i, m := range target.Members {
			at[m.Name] = i
		}
	}
	for _, m := range patch.Members {
		i, there := at[m.Name]
		switch {
		case m.Value.Kind == Null && there:
			merged.Members[i].Value = Node{}
		case m.Value.Kind == Null:
		case there:
			merged.Members[i].Value = Merge(merged.Members[i].Value, m.Value)
		default:
			m.Value = Merge(Node{}, m.Value)
			at[m.Name] = len(merged.Members)
			merged.Members = append(merged.Members, m)
		}
	}
	merged.Members = slices.DeleteFunc(merged.Members, func(m Member) bool { return m.Value.Kind == 0 })
	return merged
}
