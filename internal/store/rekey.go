package store

import (
	"context"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// defaultRekeyBatch is how many rows are in memory at a time while keys are written anew.
const defaultRekeyBatch = 1000

// rekey writes the keys of addresses, phone numbers and codes anew, which were once folded like all other texts. Addresses and codes become
// finer by it, so no two records that both exist can meet in a unique value.
func (s *Store) rekey(ctx context.Context, c engine.Conn) error {
	for _, res := range s.reg.Resources {
		if err := s.rekeyRecords(ctx, c, res, query.Key); err != nil {
			return err
		}
	}
	return s.rekeyIdentities(ctx, c, query.Fold, query.FoldCase)
}

// rekeyRecords gives every record of a resource, in every business, the keys of its leaves that are not compared as all texts are.
func (s *Store) rekeyRecords(ctx context.Context, c engine.Conn, res *schema.Resource, key func(*schema.Leaf, string) string) error {
	var leaves []*schema.Leaf
	var columns, sets []string
	for _, l := range res.Leaves {
		if l.Key == "" || l.Format.Comparison() == schema.ByLetters {
			continue
		}
		leaves = append(leaves, l)
		columns = append(columns, "t."+l.Column.Name, "t."+l.Key)
		sets = append(sets, l.Key+" = "+s.engine.Mark(len(leaves)+2))
	}
	if len(leaves) == 0 {
		return nil
	}
	selected := "SELECT t.business_id, t.id, " + strings.Join(columns, ", ") + " FROM " + res.Plural + " t"
	update := "UPDATE " + res.Plural + " SET " + strings.Join(sets, ", ") +
		" WHERE business_id = " + s.engine.Mark(1) + " AND id = " + s.engine.Mark(2)
	return s.batches(ctx, c, selected, [2]string{"t.business_id", "t.id"}, [2]schema.Kind{engine.KindTenant, schema.ID},
		func(r engine.Row) ([][]schema.Value, error) {
			var keys []schema.Value
			changed := false
			for i, l := range leaves {
				v, old := r.Value(2+2*i, l.Kind), r.Value(3+2*i, schema.Text)
				k := schema.Absent(schema.Text)
				if v.Set {
					k = schema.Value{Kind: schema.Text, Set: true, S: key(l, v.S)}
				}
				changed = changed || k != old
				keys = append(keys, k)
			}
			if !changed {
				return nil, nil
			}
			return [][]schema.Value{keys}, nil
		}, update)
}

// rekeyIdentities brings the addresses that can log in from one key to another. An identity that does not belong to its user's address is
// left as it is.
func (s *Store) rekeyIdentities(ctx context.Context, c engine.Conn, from, to func(string) string) error {
	selected := "SELECT i.email_key, i.business_id, u.email FROM identity i" +
		" JOIN users u ON u.business_id = i.business_id AND u.id = i.user_id"
	update := "UPDATE identity SET email_key = " + s.engine.Mark(3) +
		" WHERE email_key = " + s.engine.Mark(1) + " AND business_id = " + s.engine.Mark(2)
	return s.batches(ctx, c, selected, [2]string{"i.email_key", "i.business_id"}, [2]schema.Kind{schema.Text, engine.KindTenant},
		func(r engine.Row) ([][]schema.Value, error) {
			old, email := r.Value(0, schema.Text).S, r.Value(2, schema.Text).S
			if from(email) != old || to(email) == old {
				return nil, nil
			}
			return [][]schema.Value{{text(to(email))}}, nil
		}, update)
}

// batches reads rows in the order of two columns, the first two that are selected, and runs a statement with those two and each of what
// change gives for the row.
func (s *Store) batches(ctx context.Context, c engine.Conn, selected string, columns [2]string, kinds [2]schema.Kind,
	change func(engine.Row) ([][]schema.Value, error), statement string,
) error {
	order := " ORDER BY " + columns[0] + ", " + columns[1] + " LIMIT " + s.engine.Mark(1)
	limit := schema.IntValue(schema.Integer, int64(s.rekeyBatch))
	sql, args := selected+order, []schema.Value{limit}
	for {
		var last []schema.Value
		var runs [][]schema.Value
		rows := 0
		err := c.Query(ctx, sql, args, func(r engine.Row) error {
			rows++
			last = []schema.Value{r.Value(0, kinds[0]), r.Value(1, kinds[1])}
			changes, err := change(r)
			for _, values := range changes {
				runs = append(runs, append(last[:2:2], slices.Clone(values)...))
			}
			return err
		})
		if err != nil {
			return err
		}
		for _, values := range runs {
			if _, err := c.Exec(ctx, statement, values); err != nil {
				return err
			}
		}
		if rows < s.rekeyBatch {
			return nil
		}
		sql = selected + " WHERE (" + columns[0] + ", " + columns[1] + ") > (" + s.engine.Mark(2) + ", " + s.engine.Mark(3) + ")" + order
		args = append([]schema.Value{limit}, last...)
	}
}
