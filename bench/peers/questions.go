package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"kith/internal/bench"
	"kith/internal/schema"
)

const records = "/api/collections/contacts/records"

// fields are PocketBase's names of kith's fields, where they differ.
var fields = map[string]string{"created_at": "created", "updated_at": "updated", "owner_id": "owner"}

func field(name string) string {
	if other, ok := fields[name]; ok {
		return other
	}
	return name
}

// page is what is read of an answer of kith's: a list, or one contact.
type page struct {
	ID   string
	Data []struct {
		ID        string    `json:"id"`
		CreatedAt time.Time `json:"created_at"`
	}
	Meta struct{ Total *int }
}

// search is kith's search body, as far as it is measured.
type search struct {
	Filters []struct {
		Field, Operator string
		Value           any
		Values          []any
	}
	Text   string `json:"search_text"`
	Order  string `json:"order_by"`
	Cursor string
}

func (*pocketBase) Ways() []string { return []string{"PocketBase", "with total"} }

// Ask puts a request of kith's API as requests to PocketBase's.
func (p *pocketBase) Ask(asked *http.Request, answer []byte) ([]bench.Question, error) {
	q := bench.Question{Method: asked.Method, Path: records, Token: p.token}
	body, err := io.ReadAll(asked.Body)
	if err != nil {
		return nil, err
	}
	switch path := strings.TrimPrefix(asked.URL.Path, "/v1/contacts"); path {
	case "/search":
		q.Method = http.MethodGet
		return lists(q, body, answer)
	case "":
		var contact map[string]any
		if err := json.Unmarshal(body, &contact); err != nil {
			return nil, err
		}
		contact["business"] = businessID(1)
		contact["name"] = fmt.Sprint(contact["first_name"], " ", contact["last_name"]) // which kith derives
		q.Body, err = json.Marshal(contact)
		return []bench.Question{q}, err
	default:
		q.Path += "/" + idOf(path[1:])
		if len(body) > 0 {
			q.Body = body
		}
		return []bench.Question{q}, nil
	}
}

// lists asks for a list without its total, which is faster, and with it.
func lists(q bench.Question, body, answer []byte) ([]bench.Question, error) {
	var s search
	if err := json.Unmarshal(body, &s); err != nil {
		return nil, err
	}
	var found page
	if err := json.Unmarshal(answer, &found); err != nil {
		return nil, err
	}
	if len(found.Data) == 0 {
		return nil, nil // PocketBase slows searches down that find nothing, so that nobody learns from their timing
	}
	filter, err := s.filter(found)
	if err != nil {
		return nil, err
	}
	order := field(s.Order)
	if order == "" {
		order = "created"
	}
	query := url.Values{"perPage": {"25"}, "sort": {"-" + order + ",-id"}, "filter": {filter}}
	counted := q
	counted.Path += "?" + query.Encode()
	query.Set("skipTotal", "1")
	q.Path += "?" + query.Encode()
	if s.Cursor != "" {
		return []bench.Question{q}, nil // a count would be of what follows, not the total
	}
	return []bench.Question{q, counted}, nil
}

// filter says the search in PocketBase's language. The business is there although the rule has it, because the rule alone uses no index.
func (s search) filter(found page) (string, error) {
	terms := []string{fmt.Sprintf("business = %q", businessID(1))}
	for _, f := range s.Filters {
		switch f.Operator {
		case "eq": // the owner
			terms = append(terms, fmt.Sprintf("%s = %q", field(f.Field), idOf(fmt.Sprint(f.Value))))
		case "between":
			terms = append(terms, fmt.Sprintf("%s >= %v && %[1]s <= %[3]v", f.Field, f.Values[0], f.Values[1]))
		case "contains":
			terms = append(terms, fmt.Sprintf("%s ~ %q", f.Field, f.Value))
		default:
			return "", fmt.Errorf("no such operator here: %s", f.Operator)
		}
	}
	for _, word := range strings.Fields(s.Text) {
		terms = append(terms, contains(word))
	}
	if s.Cursor != "" { // a sealed position; the page after it begins with this record
		terms = append(terms, fmt.Sprintf("created <= %q && (created < %[1]q || id <= %q)", date(found.Data[0].CreatedAt), idOf(found.Data[0].ID)))
	}
	return strings.Join(terms, " && "), nil
}

// contains finds a word in the fields that search_text looks in: a short one at the beginning of a word, others anywhere. SQLite knows the
// case of ASCII letters only, so the word begins as names do.
func contains(word string) string {
	first, size := utf8.DecodeRuneInString(word)
	word = string(unicode.ToUpper(first)) + word[size:]
	patterns := []string{word}
	if utf8.RuneCountInString(word) < 3 {
		patterns = []string{word + "%", "% " + word + "%"}
	}
	var either []string
	for _, field := range []string{"name", "email", "phone", "job_title", "city"} {
		for _, pattern := range patterns {
			either = append(either, fmt.Sprintf("%s ~ %q", field, pattern))
		}
	}
	return "(" + strings.Join(either, " || ") + ")"
}

// idOf is PocketBase's id for an id of kith's. What is none stays as it is and will be missed.
func idOf(text string) string {
	prefix, _, _ := strings.Cut(text, "_")
	id, err := schema.ParseID(prefix, text)
	if err != nil {
		return text
	}
	return shortID(id)
}

// Same compares ids in their order, and totals where both have one. By name it is only how many: PocketBase sorts names by their bytes, Öberg
// behind Weber. The same search in another order shows that both find the same.
func (*pocketBase) Same(q bench.Question, answer, theirs []byte) error {
	var own page
	var other struct {
		ID         string
		Items      []struct{ ID string }
		TotalItems int
	}
	if err := errors.Join(json.Unmarshal(answer, &own), json.Unmarshal(theirs, &other)); err != nil {
		return err
	}
	expected, found := make([]string, len(own.Data)), make([]string, len(other.Items))
	for i, r := range own.Data {
		expected[i] = idOf(r.ID)
	}
	for i, r := range other.Items {
		found[i] = r.ID
	}
	if own.ID != "" {
		expected, found = []string{idOf(own.ID)}, []string{other.ID}
	}
	byName := strings.Contains(q.Path, "sort=-name")
	if len(expected) != len(found) || !byName && !slices.Equal(expected, found) {
		return fmt.Errorf("kith finds %v, PocketBase %v", expected, found)
	}
	if total := own.Meta.Total; total != nil && other.TotalItems > 0 && *total != other.TotalItems {
		return fmt.Errorf("kith counts %d, PocketBase %d", *total, other.TotalItems)
	}
	return nil
}
