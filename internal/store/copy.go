package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kith/internal/schema"
)

// A copy goes page by page, table by table. Each page is a transaction of the target, together with the place to go on from: so a copy that was killed goes on there.
// In the end every table of both is added up, and only where they agree the target becomes a database like any other.

// copyState is how far a database has been filled from elsewhere.
type copyState struct {
	// From names the database that it is filled from; a restore has none, and cannot go on.
	From string `json:"from"`
	// Table is the one that is being filled, Business whose rows of it where these come one after the other, and After the key of the last row, as the other database has it.
	Table    string `json:"table,omitempty"`
	Business string `json:"business,omitempty"`
	After    string `json:"after,omitempty"`
	// Rows is how many have been written.
	Rows int64 `json:"rows"`
}

// Copied is what a copy tells.
type Copied struct {
	Tables  int   `json:"tables"`
	Rows    int64 `json:"rows"`
	Resumed bool  `json:"resumed"`
}

// Telling is told how far something has come that goes through all tables.
type Telling func(what, table string, rows, of int64)

// ErrUnfinished tells that a database is being filled from elsewhere, or was left in the midst of it.
var ErrUnfinished = errors.New("the database is an unfinished copy or restore, and has not all of its rows: run the same kith copy again, or remove it and begin anew")

// refuseUnfinished refuses a database that is being filled.
func (s *Store) refuseUnfinished(ctx context.Context, c conn) error {
	state, err := s.copyState(ctx, c)
	if err == nil && state != nil {
		err = ErrUnfinished
	}
	return err
}

// copyState reads how far the database has been filled, or nil.
func (s *Store) copyState(ctx context.Context, c conn) (state *copyState, err error) {
	err = c.query(ctx, "SELECT value FROM setting WHERE name = "+s.engine.mark(1), []schema.Value{text(incoming)}, func(r row) error {
		state = &copyState{}
		return json.Unmarshal([]byte(r.Value(0, kindBytes).S), state)
	})
	return state, err
}

// putCopyState writes down how far it is.
func (s *Store) putCopyState(ctx context.Context, c conn, state copyState) error {
	value, err := json.Marshal(state)
	if err != nil {
		return err
	}
	sql := "INSERT INTO setting (name, value) VALUES (" + s.engine.mark(1) + ", " + s.engine.mark(2) + ") ON CONFLICT (name) DO UPDATE SET value = excluded.value"
	_, err = c.exec(ctx, sql, []schema.Value{text(incoming), bytesValue(value)})
	return err
}

// endFilling makes a database one like any other.
func (s *Store) endFilling(ctx context.Context) error {
	return s.engine.write(ctx, share{}, func(c conn) error {
		_, err := c.exec(ctx, "DELETE FROM setting WHERE name = "+s.engine.mark(1), []schema.Value{text(incoming)})
		return err
	})
}

// beginFilling makes the tables of a database that is to be filled, and says in it that it is, unless something is in it. What says so already is given back.
func (s *Store) beginFilling(ctx context.Context, from string) (state *copyState, err error) {
	if _, err := s.migrate(ctx); err != nil {
		return nil, err
	}
	err = s.engine.read(ctx, share{}, func(c conn) (err error) {
		state, err = s.copyState(ctx, c)
		return err
	})
	if err != nil || state != nil {
		return state, err
	}
	err = s.engine.write(ctx, share{}, func(c conn) error {
		for _, t := range tables(s.reg) {
			filled := false
			if err := c.query(ctx, "SELECT 1 FROM "+t.name+" LIMIT 1", nil, func(row) error { filled = true; return nil }); err != nil {
				return err
			}
			if filled {
				return fmt.Errorf("the target has data already: something is in its table %s", t.name)
			}
		}
		return s.putCopyState(ctx, c, copyState{From: from})
	})
	return nil, err
}

// name is by what a database is known to be the same one again: its own random key.
func (s *Store) identifier(ctx context.Context) (string, error) {
	key, err := s.Secret(ctx, "cursor")
	sum := sha256.Sum256(key)
	return s.engine.name() + " " + hex.EncodeToString(sum[:8]), err
}

// UpToDate refuses a database that lacks steps which this program knows, or has others.
func (s *Store) UpToDate(ctx context.Context) error {
	all, err := s.Migrations(ctx)
	if err != nil {
		return err
	}
	for _, m := range all {
		if !m.Applied {
			return fmt.Errorf("it has not the layout of this version of kith, %04d %s; run kith migrate on it first", all[len(all)-1].Number, all[len(all)-1].Name)
		}
	}
	return s.engine.read(ctx, share{}, func(c conn) error {
		if err := refuseNewer(ctx, c, all); err != nil {
			return err
		}
		return s.refuseUnfinished(ctx, c)
	})
}

// CopyTo copies everything of a database that is UpToDate into another one, which is empty, or was left in the midst of the same copy. What is written to the source meanwhile is not in the copy.
func (s *Store) CopyTo(ctx context.Context, to *Store, tell Telling) (done Copied, err error) {
	from, err := s.identifier(ctx)
	if err != nil {
		return done, err
	}
	to.LeaveUntidy()
	state, err := to.beginFilling(ctx, from)
	if err != nil {
		return done, err
	}
	if state != nil && state.From != from {
		return done, errors.New("the target is an unfinished copy of another database, or an unfinished restore; remove it and begin anew")
	}
	if done.Resumed = state != nil && state.Table != ""; state == nil {
		state = &copyState{From: from}
	}
	err = s.depart(ctx, nil, func(d *departure) error {
		c := copying{departure: d, to: to, state: *state, tell: tell, arrival: to.arrive()}
		if c.of, err = d.count(); err != nil {
			return err
		}
		if err := to.engine.read(ctx, share{}, func(c2 conn) error { return c.learn(ctx, c2) }); err != nil {
			return err
		}
		if err := c.run(); err != nil {
			return err
		}
		done.Rows, done.Tables = c.state.Rows, len(portable(s.reg))
		return c.verify()
	})
	if err != nil {
		return done, err
	}
	if err := to.Tidy(ctx); err != nil {
		return done, err
	}
	return done, to.endFilling(ctx)
}

type copying struct {
	*departure
	*arrival
	to    *Store
	state copyState
	tell  Telling
	// of is how many rows there are.
	of int64
}

// count counts the rows that leave, some of the engine's own among them.
func (d *departure) count() (all int64, err error) {
	for _, t := range portable(d.s.reg) {
		err = d.c.query(d.ctx, "SELECT count(*) FROM "+t.name, nil, func(r row) error {
			all += r.Value(0, schema.Integer).N
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	return all, nil
}

func (c *copying) run() error {
	skipping := c.state.Table != ""
	for _, t := range portable(c.departure.s.reg) {
		if skipping && t.name != c.state.Table {
			continue
		}
		for _, r := range c.readings(t) {
			business := ""
			if r.of != nil {
				business = schema.FormatID("business", r.of.id)
			}
			if skipping && business != c.state.Business {
				continue
			}
			if skipping {
				if err := r.goOn(c.state.After); err != nil {
					return err
				}
				skipping = false
			}
			if err := c.table(r, business); err != nil {
				return err
			}
		}
	}
	if skipping {
		return fmt.Errorf("the copy stopped in %s %s, which the source does not have any more; remove the target and begin anew", c.state.Table, c.state.Business)
	}
	return nil
}

// goOn lets a reading go on behind a row.
func (r *tableReading) goOn(after string) (err error) {
	if after == "" {
		return nil
	}
	key, err := hex.DecodeString(after)
	if err != nil {
		return err
	}
	var kinds []schema.Kind
	for _, name := range r.primary {
		kinds = append(kinds, r.columns[slices.IndexFunc(r.columns, func(c column) bool { return c.name == name })].kind)
	}
	r.after, err = decodeRow(key, kinds)
	return err
}

// table copies what is left of a reading.
func (c *copying) table(r *tableReading, business string) error {
	for {
		rows, more, err := c.page(r)
		if err != nil || !more {
			return err
		}
		next := c.state
		next.Table, next.Business, next.After, next.Rows = r.name, business, hex.EncodeToString(appendRow(nil, r.after)), c.state.Rows+int64(len(rows))
		err = c.to.engine.write(c.ctx, share{}, func(conn conn) error {
			err := c.write(c.ctx, conn, r.table, rows)
			if err == nil {
				err = c.to.putCopyState(c.ctx, conn, next)
			}
			return settledError(err)
		})
		if err != nil {
			return err
		}
		c.state = next
		if c.tell != nil {
			c.tell("copied", r.name, c.state.Rows, c.of)
		}
	}
}

// settledError is an error that no engine takes for a reason to try again: what was read to be written has been used.
func settledError(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(err.Error())
}

// verify adds up both databases.
func (c *copying) verify() error {
	read := int64(0)
	told := func(table string, rows int) {
		if read += int64(rows); c.tell != nil {
			c.tell("compared", table, read, 2*c.of)
		}
	}
	want, err := c.sums(told)
	if err != nil {
		return err
	}
	var got map[string]tableSum
	err = c.to.depart(c.ctx, nil, func(d *departure) (err error) {
		got, err = d.sums(told)
		return err
	})
	if err != nil {
		return err
	}
	if wrong := disagree(c.to.reg, want, got); len(wrong) > 0 {
		return fmt.Errorf("the copy is not the same as its source: %s. Was the source written to between two runs? Remove the target, stop the servers of the source, and begin anew", strings.Join(wrong, "; "))
	}
	return nil
}
