package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/kith-crm/kith/internal/bench"
	"github.com/kith-crm/kith/internal/schema"
)

// fields are PocketBase's names of kith's fields, where they differ.
var fields = map[string]string{
	"created_at": "created", "updated_at": "updated", "owner_id": "owner", "lifecycle_stage_id": "lifecycle_stage",
	"pipeline_id": "pipeline", "stage_id": "stage",
}

func field(name string) string {
	if other, ok := fields[name]; ok {
		return other
	}
	return name
}

// page is what is read of an answer of kith's: a list, or one record.
type page struct {
	ID   string
	Data []struct{ ID string }
	Meta struct{ Total *int }
}

// search is kith's search body, as far as it is measured.
type search struct {
	Filters   []filter
	Text      string `json:"search_text"`
	Order     string `json:"order_by"`
	Direction string `json:"sort_direction"`
	Cursor    string
	Total     bool
}

type filter struct {
	Field, Operator string
	Value           any
	Values          []any
}

func (*pocketBase) Ways() []string { return []string{"PocketBase", "with total"} }

// Ask puts a request of kith's API as requests to PocketBase's.
func (p *pocketBase) Ask(asked *http.Request, before []byte) ([]bench.Question, error) {
	collection, rest, _ := strings.Cut(strings.TrimPrefix(asked.URL.Path, "/v1/"), "/")
	q := bench.Question{Method: asked.Method, Path: "/api/collections/" + collection + "/records", Token: p.token}
	body, err := io.ReadAll(asked.Body)
	if err != nil {
		return nil, err
	}
	switch rest {
	case "search":
		q.Method = http.MethodGet
		return lists(q, body, before)
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
		q.Path += "/" + idOf(rest)
		if len(body) > 0 {
			q.Body = body
		}
		return []bench.Question{q}, nil
	}
}

// lists asks for a list without its total, which is faster, and with it.
func lists(q bench.Question, body, before []byte) ([]bench.Question, error) {
	var s search
	in := json.NewDecoder(bytes.NewReader(body))
	in.UseNumber() // as they were written
	in.DisallowUnknownFields()
	if err := in.Decode(&s); err != nil {
		return nil, err
	}
	order := field(s.Order)
	if order == "" {
		order = "created"
	}
	filter, err := s.filter(before, order)
	if err != nil {
		return nil, err
	}
	sort := "-" + order + ",-id"
	if s.Direction == "asc" {
		sort = order + ",id"
	}
	query := url.Values{"perPage": {"25"}, "sort": {sort}, "filter": {filter}}
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
func (s search) filter(before []byte, order string) (string, error) {
	terms := []string{fmt.Sprintf("business = %q", businessID(1))}
	for _, f := range s.Filters {
		term, err := f.term()
		if err != nil {
			return "", err
		}
		terms = append(terms, term)
	}
	for _, word := range strings.Fields(s.Text) {
		terms = append(terms, contains(word))
	}
	if s.Cursor != "" { // a sealed position: behind this record
		var record map[string]any
		if err := json.Unmarshal(before, &record); err != nil {
			return "", err
		}
		names := map[string]string{"created": "created_at", "updated": "updated_at"}
		terms = append(terms, fmt.Sprintf("%s <= %s && (%[1]s < %[2]s || id < %[3]s)", order, literal(record[names[order]]),
			literal(record["id"])))
	}
	return strings.Join(terms, " && "), nil
}

// term says one condition.
func (f filter) term() (string, error) {
	name := field(f.Field)
	switch f.Operator {
	case "eq":
		return fmt.Sprintf("%s = %s", name, literal(f.Value)), nil
	case "gte":
		return fmt.Sprintf("%s >= %s", name, literal(f.Value)), nil
	case "between":
		return fmt.Sprintf("%s >= %s && %[1]s <= %[3]s", name, literal(f.Values[0]), literal(f.Values[1])), nil
	case "contains":
		return fmt.Sprintf("%s ~ %q", name, f.Value), nil
	case "starts_with":
		return fmt.Sprintf("%s ~ %q", name, fmt.Sprint(f.Value, "%")), nil
	case "in": // of which there is no shorter way to say it
		var either []string
		for _, v := range f.Values {
			either = append(either, fmt.Sprintf("%s = %s", name, literal(v)))
		}
		return "(" + strings.Join(either, " || ") + ")", nil
	}
	return "", fmt.Errorf("no such operator here: %s", f.Operator)
}

// literal writes a value of kith's. Numbers and amounts stand as they are; ids and times have another form.
func literal(v any) string {
	text := fmt.Sprint(v)
	if _, number := v.(json.Number); number {
		return text
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return fmt.Sprintf("%q", date(t))
	}
	if strings.Trim(text, "0123456789.") == "" {
		return text
	}
	return fmt.Sprintf("%q", idOf(text))
}

// contains finds a word in the fields that search_text looks in: a short one at the beginning of a word, others anywhere.
func contains(word string) string {
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
	end := strings.LastIndexByte(text, '_')
	if end < 0 {
		return text
	}
	id, err := schema.ParseID(text[:end], text)
	if err != nil {
		return text
	}
	return shortID(id)
}

// Same compares ids in their order, and totals where both have one.
func (*pocketBase) Same(_ bench.Question, answer, theirs []byte) error {
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
	if len(expected) == 0 {
		return errors.New("kith finds nothing, and PocketBase slows such searches down on purpose")
	}
	if !slices.Equal(expected, found) {
		return fmt.Errorf("kith finds %v, PocketBase %v", expected, found)
	}
	if total := own.Meta.Total; total != nil && other.TotalItems > 0 && *total != other.TotalItems {
		return fmt.Errorf("kith counts %d, PocketBase %d", *total, other.TotalItems)
	}
	return nil
}
