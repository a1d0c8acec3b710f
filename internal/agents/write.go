package agents

import (
	"encoding/json"
	"net/http"
	"slices"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
)

// writing is a write on its way: of one record by the call that is for one, of several by a batch that does all or none.
type writing struct {
	*call
	kind *record.Kind
	// did is the word for what was done.
	did string
	// ids are those that the caller named; what is created has none yet.
	ids []string
	// operations are the write as those of a batch, and one makes it where there is one record.
	operations []body.Node
	one        func() (answered, error)
	// field gives the name that a field of the API's problem has among the arguments.
	field func(string) string
	// besides are the fields that are told beside the telling ones, because they were written.
	besides []string
}

// mostAtOnce is how many records a call may write, as a batch may.
const mostAtOnce = 100

// keyHeader is how the API is told of a key.
const keyHeader = "Idempotency-Key"

// write asks the API for a write: under the key, of the version, or only tried, as the caller says.
func (c *call) write(method, path string, n *body.Node) (answered, error) {
	header := map[string]string{}
	if key := c.text(keyArg.name); key != "" {
		header[keyHeader] = key
	}
	if version := c.text(versionArg.name); version != "" {
		header["If-Match"] = `"` + version + `"`
	}
	if c.dry() {
		path += "?dry_run=true"
	}
	return c.ask(method, path, n, header)
}

func (c *call) dry() bool { return c.truth(dryArg.name) }

func (w *writing) do(argument string) (body.Node, error) {
	if n := len(w.operations); n == 0 || n > mostAtOnce {
		return body.Node{}, problem.Wrong(argument, "out_of_range", "must have 1 to 100 items")
	}
	one := w.one
	if len(w.operations) > 1 {
		batch := node(member("atomic", truth(true)), member("operations", list(w.operations)))
		one = func() (answered, error) { return w.write(http.MethodPost, w.kind.Plural+"/batch", &batch) }
	}
	a, err := one()
	if err != nil {
		return body.Node{}, rename(err, func(field string) string {
			if field == keyHeader {
				return keyArg.name
			}
			return w.field(field)
		})
	}
	return w.tell(a)
}

// tell says what was done, to which records, and how it is undone. Where that would be too much, the ids are told alone: it was
// done, and must not look as if it had failed.
func (w *writing) tell(a answered) (body.Node, error) {
	ids, err := w.written(a)
	if err != nil {
		return body.Node{}, err
	}
	records, beside := w.records(a.node)
	out := w.say(a, ids, records, beside)
	if len(body.Append(nil, out)) > mostAnswer {
		out = w.say(a, ids, nil, nil)
	}
	return out, nil
}

// written are the ids of what was written. They are read apart from the rest, which may be more than is read otherwise.
func (w *writing) written(a answered) ([]string, error) {
	if w.ids != nil || len(a.text) == 0 {
		return w.ids, nil
	}
	type record struct {
		ID string `json:"id"`
	}
	var told struct {
		record
		Data []struct {
			Record record `json:"record"`
		} `json:"data"`
	}
	if err := json.Unmarshal(a.text, &told); err != nil {
		return nil, err
	}
	if len(w.operations) == 1 {
		return []string{told.ID}, nil
	}
	ids := make([]string, len(told.Data))
	for i, d := range told.Data {
		ids[i] = d.Record.ID
	}
	return ids, nil
}

// records are what was written, in brief, and what an action tells beside the record.
func (w *writing) records(n body.Node) (records []body.Node, beside []body.Member) {
	each := func(record body.Node) {
		told := brief(w.kind, record, w.besides)
		if w.dry() && w.ids == nil { // it will have another id
			told.Members = slices.DeleteFunc(told.Members, func(m body.Member) bool { return m.Name == "id" || m.Name == "version" })
		}
		records = append(records, told)
	}
	switch data, _ := n.Get("data"); {
	case n.Kind != body.Object: // nothing is told of what was deleted
	case len(w.operations) > 1:
		for _, result := range data.Items {
			if record, ok := result.Get("record"); ok {
				each(record)
			}
		}
	default:
		record, inside := n.Get("record")
		if !inside {
			each(n)
			break
		}
		each(record)
		for _, m := range n.Members {
			if b, ok := bare(m.Value, longestText); ok && m.Name != "record" {
				beside = append(beside, member(m.Name, b))
			}
		}
	}
	return records, beside
}

func (w *writing) say(a answered, ids []string, records []body.Node, beside []body.Member) body.Node {
	word := "done"
	if w.dry() {
		word = "would_be"
	}
	out := node(append([]body.Member{member(word, text(w.did))}, beside...)...)
	if len(records) > 0 {
		out.Members = append(out.Members, member("records", list(records)))
	} else if w.ids != nil || !w.dry() {
		out.Members = append(out.Members, member("ids", texts(ids)))
	}
	if a.header.Get("Idempotent-Replayed") != "" {
		out.Members = append(out.Members, member("replayed", truth(true)))
	}
	if back, ok := undo(a); ok && !w.dry() {
		out.Members = append(out.Members, back)
	}
	return out
}

// undo names the request by which a write is taken back. That of a replay did nothing.
func undo(a answered) (body.Member, bool) {
	id := a.header.Get("X-Request-Id")
	return member(undoTool, text(id)), id != "" && a.header.Get("Idempotent-Replayed") == ""
}

// undoTool is the tool that takes a write back, and the member of an answer that names what to give it.
const undoTool = "undo"

// takeBack takes back what a request did.
func (c *call) takeBack() (body.Node, error) {
	asked := node(c.passed("request_id")...)
	a, err := c.write(http.MethodPost, "undo", &asked)
	if err != nil {
		return body.Node{}, err
	}
	out := node()
	if meta, ok := a.node.Get("meta"); ok {
		for _, m := range meta.Members {
			if m.Name != "request_id" {
				out.Members = append(out.Members, m)
			}
		}
		if data, _ := a.node.Get("data"); len(data.Items) > 0 {
			told, _ := bare(list(data.Items[:min(len(data.Items), mostLeft)]), longestText)
			out.Members = append(out.Members, member("why", told))
		}
	} else { // so much that it is a job
		out, _ = bare(a.node, longestText)
	}
	if redo, ok := undo(a); ok && !c.dry() {
		out.Members = append(out.Members, redo)
	}
	return out, nil
}

// mostLeft is of how many changes that stay it is told why.
const mostLeft = 10
