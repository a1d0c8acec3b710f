package work

import (
	"bytes"
	"slices"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
)

// CutAnswer takes out of an answer all but the ids and versions of records that were removed for good, and tells whether there was any.
// What is left of an answer that tells more than a record is what says how it went.
func CutAnswer(tx *store.Tx, text []byte) (rest []byte, cut bool, err error) {
	var ids []schema.UUID
	for _, part := range bytes.Split(text, []byte(`"id":"`))[1:] { // no text has this in it: its quotes would be escaped
		end := bytes.IndexByte(part, '"')
		if _, id, err := schema.RecordOf(string(part[:max(end, 0)])); err == nil {
			ids = append(ids, id)
		}
	}
	erased, err := queue.Erased(tx, ids)
	if err != nil || len(erased) == 0 {
		return text, false, err
	}
	n, err := body.Parse(text)
	if err != nil || n == nil {
		return []byte("{}"), true, nil // it has more values than a body may have; better nothing than everything
	}
	left, cut := cutNode(*n, erased)
	return body.Append(nil, left), cut, nil
}

// keptOf are what stays of a record that was cut, as of one that may not be read, and keptBeside what stays of an object that it is
// part of.
var (
	keptOf     = []string{"id", "version"}
	keptBeside = []string{"status", "record"}
)

func cutNode(n body.Node, erased []schema.UUID) (left body.Node, cut bool) {
	left = n
	if n.Kind == body.Object {
		if text, ok := n.Get("id"); ok {
			if _, id, err := schema.RecordOf(text.Text); err == nil && slices.Contains(erased, id) {
				left.Members = slices.DeleteFunc(slices.Clone(n.Members),
					func(m body.Member) bool { return !slices.Contains(keptOf, m.Name) })
				return left, true
			}
		}
	}
	left.Items, left.Members = slices.Clone(n.Items), slices.Clone(n.Members)
	for i := range left.Items {
		var inner bool
		left.Items[i], inner = cutNode(left.Items[i], erased)
		cut = cut || inner
	}
	beside := false
	for i := range left.Members {
		var inner bool
		m := &left.Members[i]
		m.Value, inner = cutNode(m.Value, erased)
		cut, beside = cut || inner, beside || inner && m.Name == "record"
	}
	if beside {
		left.Members = slices.DeleteFunc(left.Members, func(m body.Member) bool { return !slices.Contains(keptBeside, m.Name) })
	}
	return left, cut
}
