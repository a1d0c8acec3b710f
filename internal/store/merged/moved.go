package merged

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/internal/room"
	"github.com/kith-crm/kith/internal/store/layout"
)

// Reference is a declared field by which records refer to others.
type Reference struct {
	Resource *schema.Resource
	Leaf     *schema.Leaf
}

// states are the conditions that a record is live and that it is deleted, with how the indexes are called that find it by a reference.
var states = []struct {
	condition string
	index     func(*schema.Leaf) string
}{{"deleted_at IS NULL", layout.FilterIndex}, {"deleted_at IS NOT NULL", layout.BinIndex}}

// CountReferences counts the records, live and deleted, that refer to one by some fields, up to most for each of both, and about
// how many bytes they have. All is asked at once.
func CountReferences(tx *store.Tx, all []Reference, to schema.UUID, most int) (n, bytes int, err error) {
	var questions []room.Statement
	for _, ref := range all {
		weight := "0"
		for _, l := range ref.Resource.Leaves {
			if l.Member == "" && (l.Kind == schema.LongText || l.Kind == schema.List || l.Kind == schema.Document) {
				weight += " + coalesce({weight t." + l.Column.Name + "}, 0)"
			}
		}
		for _, state := range states {
			questions = append(questions, room.SQL(`
				SELECT count(*), CAST(coalesce(sum(s.weight), 0) AS bigint) FROM (SELECT `+weight+` AS weight
				FROM `+ref.Resource.Plural+` t {indexed `+ref.Resource.Name+`_`+state.index(ref.Leaf)+`}
				WHERE t.business_id = {business} AND t.`+ref.Leaf.Column.Name+` = ? AND t.`+state.condition+`
				LIMIT `+strconv.Itoa(most)+`) s`, schema.IDValue(to)))
		}
	}
	for i, question := range questions {
		if i < len(questions)-1 {
			question.Way = room.Ask
		}
		err := tx.Query(question, func(r room.Row) error {
			n, bytes = n+int(room.FirstInt(r)), bytes+int(r.Value(1, schema.Integer).N)
			return nil
		})
		if err != nil {
			return 0, 0, err
		}
	}
	tx.Weight += bytes
	return n, bytes, nil
}

// AddedReference is a reference by a field that the business added: of which record, and what the field is called in its document.
type AddedReference struct {
	Resource, Member string
	RecordID         schema.UUID
}

// AddedReferences lists the references by added fields to a record, at most so many.
func AddedReferences(tx *store.Tx, to schema.UUID, most int) (all []AddedReference, err error) {
	err = tx.Query(room.SQL(`
		SELECT t.resource, t.member, t.record_id FROM added_reference t
		WHERE t.business_id = {business} AND t.target_id = ?
		ORDER BY t.resource, t.record_id, t.member LIMIT `+strconv.Itoa(most), schema.IDValue(to)),
		func(r room.Row) error {
			all = append(all, AddedReference{room.TextAt(r, 0), room.TextAt(r, 1), r.Value(2, schema.ID).UUID()})
			return nil
		})
	return all, err
}

// Those reads records by their ids, be they live or deleted, in the order of these, and keeps others from changing them. What is
// not there is left out.
func Those(tx *store.Tx, res *schema.Resource, ids []schema.UUID) ([]*schema.Record, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	st := room.SQL("WHERE t.business_id = {business} AND {among t.id} ORDER BY t.id {lock}")
	st.Among = values(ids)
	return tx.Records(res, st)
}

// GoingWith reads the records, live or deleted, that go with one by a leaf, the newest first, at most so many.
func GoingWith(tx *store.Tx, ref Reference, of store.End, live bool, most int) ([]*schema.Record, error) {
	state := states[0]
	if !live {
		state = states[1]
	}
	id := query.Key(ref.Leaf, schema.FormatID(of.Resource, of.ID))
	return tx.Records(ref.Resource, room.SQL(`
		{indexed `+ref.Resource.Name+`_`+state.index(ref.Leaf)+`}
		WHERE t.business_id = {business} AND t.`+ref.Leaf.Key+` = ? AND t.`+state.condition+`
		ORDER BY t.created_at DESC, t.id DESC LIMIT `+strconv.Itoa(most), room.Text(id)))
}

func values(ids []schema.UUID) []schema.Value {
	values := make([]schema.Value, len(ids))
	for i, id := range ids {
		values[i] = schema.IDValue(id)
	}
	return values
}

// Moved is a record whose reference a merge, or its reverse, made lead elsewhere.
type Moved struct {
	ID schema.UUID
	// Own tells that it is the acting user's own.
	Own bool
}

// MoveReferences lets the records that refer to one by a field, live and deleted, refer to another one, all but some, and remembers
// which these were. Nothing of a record that is kept beside it depends on such a reference, so they are changed without being read.
func MoveReferences(tx *store.Tx, ref Reference, from, to schema.UUID, but ...schema.UUID) (moved []Moved, err error) {
	for _, state := range states {
		which := room.SQL(state.condition)
		if len(but) > 0 {
			which.Text, which.Among = which.Text+" AND NOT {among id}", values(but)
		}
		found, err := redirect(tx, ref, from, to, "{indexed "+ref.Resource.Name+"_"+state.index(ref.Leaf)+"}", which)
		if err != nil {
			return nil, err
		}
		moved = append(moved, found...)
	}
	ids := make([]schema.UUID, len(moved))
	for i, m := range moved {
		ids[i] = m.ID
	}
	return moved, Remember(tx, from, ref.Resource, ref.Leaf.Path, ids...)
}

// MoveBack lets the records whose reference a merge moved refer to what they referred to, unless they refer to something else by
// now: those are left.
func MoveBack(tx *store.Tx, ref Reference, other, survivor schema.UUID) (left []Moved, err error) {
	column, field := "t."+ref.Leaf.Column.Name, room.Text(ref.Leaf.Path)
	moved := "m.business_id = {business} AND m.other_id = ? AND m.resource = '" + ref.Resource.Name + "' AND m.field = ?"
	err = tx.Query(room.SQL(`
		SELECT t.id, `+owners("t.", ref.Resource)+` FROM merged_reference m
		JOIN `+ref.Resource.Plural+` t ON t.business_id = {business} AND t.id = m.record_id
		WHERE `+moved+` AND (`+column+` IS NULL OR `+column+` <> ?)
		ORDER BY t.id`, schema.IDValue(other), field, schema.IDValue(survivor)),
		func(r room.Row) error {
			left = append(left, Moved{room.FirstID(r), isOwn(tx, r, 1, ref.Resource)})
			return nil
		})
	if err != nil {
		return nil, err
	}
	_, err = redirect(tx, ref, survivor, other, "",
		room.SQL("id IN (SELECT m.record_id FROM merged_reference m WHERE "+moved+")", schema.IDValue(other), field))
	return left, err
}

// redirect changes a reference of the records that a condition chooses, with an entry in the log for each.
func redirect(tx *store.Tx, ref Reference, from, to schema.UUID, index string, which room.Statement) (moved []Moved, err error) {
	res, column := ref.Resource, ref.Leaf.Column.Name
	st := room.SQL(`
		UPDATE `+res.Plural+` `+index+` SET `+column+` = ?, updated_at = ?, updated_by = ?, version = version + 1
		WHERE business_id = {business} AND `+column+` = ? AND `+which.Text+`
		RETURNING id, version, `+owners("", res),
		schema.IDValue(to), schema.TimeValue(tx.Now), schema.IDValue(tx.Actor.User), schema.IDValue(from))
	st.Args, st.Among = append(st.Args, which.Args...), which.Among
	versions := map[schema.UUID]int64{}
	err = tx.Query(st, func(r room.Row) error {
		m := Moved{room.FirstID(r), isOwn(tx, r, 2, res)}
		moved, versions[m.ID] = append(moved, m), r.Value(1, schema.Integer).N
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(moved, func(a, b Moved) int { return slices.Compare(a.ID[:], b.ID[:]) })
	doc := schema.AppendString([]byte{'{'}, ref.Leaf.Path)
	doc = schema.AppendValue(append(doc, `:{"from":`...), ref.Leaf, schema.IDValue(from))
	doc = append(schema.AppendValue(append(doc, `,"to":`...), ref.Leaf, schema.IDValue(to)), "}}"...)
	for _, m := range moved {
		tx.LogRewritten(res, m.ID, versions[m.ID], doc)
	}
	return moved, nil
}

// owners lists the columns that tell whose own a record is.
func owners(alias string, res *schema.Resource) string {
	var columns []string
	for _, l := range res.Owners {
		columns = append(columns, alias+l.Column.Name)
	}
	return strings.Join(columns, ", ")
}

// isOwn reads from a row whether a record is the acting user's own.
func isOwn(tx *store.Tx, r room.Row, at int, res *schema.Resource) bool {
	for i := range res.Owners {
		if v := r.Value(at+i, schema.ID); v.Set && v.UUID() == tx.Actor.User {
			return true
		}
	}
	return false
}

// Remember remembers of which records a merge moved a reference.
func Remember(tx *store.Tx, other schema.UUID, res *schema.Resource, field string, ids ...schema.UUID) error {
	if len(ids) == 0 {
		return nil
	}
	return tx.AddRows(room.Rows{
		Table: "merged_reference", Columns: []string{"other_id", "resource", "field", "record_id"}, N: len(ids),
		Fill: func(i int, row []schema.Value) []schema.Value {
			return append(row, schema.IDValue(other), room.Text(res.Name), room.Text(field), schema.IDValue(ids[i]))
		},
	})
}

// RememberAlso remembers of one more record that a merge moved its reference, unless it is remembered already.
func RememberAlso(tx *store.Tx, other schema.UUID, res *schema.Resource, field string, id schema.UUID) error {
	_, err := tx.Exec(room.SQL(`
		INSERT INTO merged_reference (business_id, other_id, resource, field, record_id)
		VALUES ({business}, ?, '`+res.Name+`', ?, ?)
		ON CONFLICT (business_id, other_id, resource, field, record_id) DO NOTHING`,
		schema.IDValue(other), room.Text(field), schema.IDValue(id)))
	return err
}

// ForgetMoved forgets that merges moved a reference of a record, those that were made behind a place of the change log: what it led
// to then is no longer what it has.
func ForgetMoved(tx *store.Tx, ref Reference, field string, id schema.UUID, after int64) error {
	_, err := tx.Exec(room.SQL(`
		DELETE FROM merged_reference
		WHERE business_id = {business} AND record_id = ? AND resource = '`+ref.Resource.Name+`' AND field = ?
		AND other_id IN (SELECT m.other_id FROM merged m
			WHERE m.business_id = {business} AND m.resource = '`+ref.Leaf.Target.Name+`'
			AND m.other_id = merged_reference.other_id AND m.at_seq > ?)`,
		schema.IDValue(id), room.Text(field), room.Integer(after)))
	return err
}

// MovedFields lists the fields, by resource, of which a merge moved references.
func MovedFields(tx *store.Tx, other schema.UUID) (fields [][2]string, err error) {
	err = tx.Query(room.SQL(`
		SELECT DISTINCT t.resource, t.field FROM merged_reference t
		WHERE t.business_id = {business} AND t.other_id = ?
		ORDER BY 1, 2`, schema.IDValue(other)),
		func(r room.Row) error {
			fields = append(fields, [2]string{room.TextAt(r, 0), room.TextAt(r, 1)})
			return nil
		})
	return fields, err
}

// MovedSurvivors lists those records of which a merge moved a reference that others were merged into.
func MovedSurvivors(tx *store.Tx, other schema.UUID, res *schema.Resource, field string) ([]schema.UUID, error) {
	return list(tx, room.SQL(`
		SELECT DISTINCT m.survivor_id FROM merged_reference t
		JOIN merged m ON m.business_id = {business} AND m.resource = '`+res.Name+`' AND m.survivor_id = t.record_id
		WHERE t.business_id = {business} AND t.other_id = ? AND t.resource = '`+res.Name+`' AND t.field = ?
		ORDER BY 1`, schema.IDValue(other), room.Text(field)))
}

// MovedRecords lists the records of which a merge moved a reference.
func MovedRecords(tx *store.Tx, other schema.UUID, res *schema.Resource, field string) ([]schema.UUID, error) {
	return list(tx, room.SQL(`
		SELECT t.record_id FROM merged_reference t
		WHERE t.business_id = {business} AND t.other_id = ? AND t.resource = '`+res.Name+`' AND t.field = ?
		ORDER BY t.record_id`, schema.IDValue(other), room.Text(field)))
}

// list reads ids.
func list(tx *store.Tx, st room.Statement) (ids []schema.UUID, err error) {
	err = tx.Query(st, room.Collect(&ids, room.FirstID))
	return ids, err
}
