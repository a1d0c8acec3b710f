package client

import (
	"context"
	"encoding/json"
)

// AcrossQuery says what to look for in several resources at once.
type AcrossQuery struct {
	// Text are the words to find; there must be some.
	Text string `json:"search_text"`
	// Resources are where to look, by their names, such as contact; in all that may be read when not given.
	Resources []string `json:"resources,omitempty"`
	// Limit is how many records are answered at most, up to 100; 25 when not given.
	Limit int `json:"limit,omitzero"`
}

// Hits are what a search across resources found, the best first.
type Hits struct {
	Hits []Hit
	// HasMore tells that more was found than the limit. There are no further pages: a longer text finds less.
	HasMore bool
}

// Hit is a record that a search across resources found.
type Hit struct {
	// Resource is that of the record, such as contact, and ID is its id, which that resource's Get takes.
	Resource string
	ID       string
	// Name is what people know the record by; it is empty where it has nothing of the kind.
	Name string
	// Record has, besides these, three fields that tell most of such a record; see Telling of a [ResourceSchema].
	Record json.RawMessage
}

// Decode reads what was answered of the record into what matches its resource, such as a [Contact]. All else of it stays empty.
func (h *Hit) Decode(record any) error { return json.Unmarshal(h.Record, record) }

// UnmarshalJSON reads a hit.
func (h *Hit) UnmarshalJSON(text []byte) error {
	var in struct {
		Resource string          `json:"resource"`
		Record   json.RawMessage `json:"record"`
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	var known struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	if err := json.Unmarshal(in.Record, &known); err != nil {
		return err
	}
	*h = Hit{Resource: in.Resource, ID: known.ID, Name: known.Name, Record: in.Record}
	return nil
}

// Search finds words in several resources at once, the best first: a value that is the text itself, then the beginning of a word,
// then any other place. To search one resource with filters and page by page, see its own Search, such as [Contacts.Search].
func (c *Client) Search(ctx context.Context, q AcrossQuery) (*Hits, error) {
	in, err := read[Hit](ctx, c.core, live, q)
	if err != nil {
		return nil, err
	}
	return &Hits{Hits: in.Data, HasMore: in.Meta.HasMore}, nil
}

// OneSearch is one of several searches that are asked at once.
type OneSearch struct {
	// Resource is where to look, by its name, such as contact.
	Resource string `json:"resource"`
	// Query says what to search for there.
	Query Query `json:"search"`
}

// SearchBatch asks up to ten searches in one request, and gives the first page of each, in their order, with the records as they were
// answered. The first search that is refused is the error.
func (c *Client) SearchBatch(ctx context.Context, searches ...OneSearch) ([]Page[json.RawMessage], error) {
	in := struct {
		Searches []OneSearch `json:"searches"`
	}{append([]OneSearch{}, searches...)} // none is an empty list
	answered, err := read[list[json.RawMessage]](ctx, c.core, "/search/batch", in)
	if err != nil {
		return nil, err
	}
	pages := make([]Page[json.RawMessage], len(answered.Data))
	for i, one := range answered.Data {
		pages[i] = one.page()
	}
	return pages, nil
}
