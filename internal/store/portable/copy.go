package portable

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// A copy goes page by page, table by table. Each page is a transaction of the target, together with the place to go on from: so a copy
// that was killed goes on there. In the end every table of both is added up, and only where they agree the target becomes a database like
// any other.

// copyState is how far a database has been filled from elsewhere.
type copyState struct {
	// From names the database that it is filled from; a restore has none, and cannot go on.
	From string `json:"from"`
	// Table is the one that is being filled, Business whose rows of it where these come one after the other, and After the key of the
	// last row, as the other database has it.
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

// state reads how far a database has been filled, or nil.
func state(o store.Outside) (state *copyState, err error) {
	err = o.Query(room.SQL("SELECT value FROM setting WHERE name = ?", room.Text(room.Incoming)), func(r room.Row) error {
		state = &copyState{}
		return json.Unmarshal([]byte(r.Value(0, room.Bytes).S), state)
	})
	return state, err
}

// putState writes down how far it is.
func putState(o store.Outside, state copyState) error {
	value, err := json.Marshal(state)
	if err != nil {
		return err
	}
	_, err = o.Exec(room.SQL(`
		INSERT INTO setting (name, value)
		VALUES (?, ?)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
		room.Text(room.Incoming), room.Blob(value)))
	return err
}

// endFilling makes a database one like any other.
func endFilling(ctx context.Context, s *store.Store) error {
	return s.Fill(ctx, func(o store.Outside) error {
		_, err := o.Exec(room.SQL("DELETE FROM setting WHERE name = ?", room.Text(room.Incoming)))
		return err
	})
}

// beginFilling makes the tables of a database that is to be filled, and says in it that it is, unless something is in it. What says so
// already is given back.
func beginFilling(ctx context.Context, s *store.Store, from string) (begun *copyState, err error) {
	if err := s.MigrateTo(ctx, s.LayoutNumber()); err != nil {
		return nil, err
	}
	err = s.Fill(ctx, func(o store.Outside) error {
		if begun, err = state(o); err != nil || begun != nil {
			return err
		}
		filled, err := o.Filled()
		if err != nil {
			return err
		}
		if filled != "" {
			return fmt.Errorf("the target has data already: something is in its table %s", filled)
		}
		return putState(o, copyState{From: from})
	})
	return begun, err
}

// identifier is by what a database is known to be the same one again: its own random key.
func identifier(ctx context.Context, s *store.Store) (string, error) {
	key, err := s.Secret(ctx, "cursor")
	sum := sha256.Sum256(key)
	return s.Engine() + " " + hex.EncodeToString(sum[:8]), err
}

// Copy copies everything of a database that is up to date (store.Store.UpToDate) into another one, which is empty, or was left in the
// midst of the same copy. What is written to the source meanwhile is not in the copy.
func Copy(ctx context.Context, from, to *store.Store, tell Telling) (done Copied, err error) {
	name, err := identifier(ctx, from)
	if err != nil {
		return done, err
	}
	to.LeaveUntidy()
	begun, err := beginFilling(ctx, to, name)
	if err != nil {
		return done, err
	}
	if begun != nil && begun.From != name {
		return done, errors.New("the target is an unfinished copy of another database, or an unfinished restore; remove it and begin anew")
	}
	if done.Resumed = begun != nil && begun.Table != ""; begun == nil {
		begun = &copyState{From: name}
	}
	err = depart(ctx, from, nil, func(d *departure) error {
		c := copying{departure: d, ctx: ctx, to: to, state: *begun, tell: tell, arrival: to.Arrive()}
		if c.of, err = d.count(); err != nil {
			return err
		}
		if err := to.Snapshot(ctx, c.arrival.Learn); err != nil {
			return err
		}
		if err := c.run(); err != nil {
			return err
		}
		done.Rows, done.Tables = c.state.Rows, len(from.PortableTables())
		return c.verify()
	})
	if err != nil {
		return done, err
	}
	if err := to.Tidy(ctx); err != nil {
		return done, err
	}
	return done, endFilling(ctx, to)
}

type copying struct {
	*departure
	ctx     context.Context
	arrival *store.Arrival
	to      *store.Store
	state   copyState
	tell    Telling
	// of is how many rows there are.
	of int64
}

// count counts the rows that leave, some of the engine's own among them.
func (d *departure) count() (all int64, err error) {
	for _, t := range d.s.PortableTables() {
		err = d.o.Query(room.SQL("SELECT count(*) FROM "+t.Name), func(r room.Row) error {
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
	for _, t := range c.departure.s.PortableTables() {
		if skipping && t.Name != c.state.Table {
			continue
		}
		for _, r := range c.readings(t) {
			business := ""
			if r.of != nil {
				business = schema.FormatID("business", r.of.ID())
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
		return fmt.Errorf("the copy stopped in %s %s, which the source does not have any more; remove the target and begin anew",
			c.state.Table, c.state.Business)
	}
	return nil
}

// goOn lets a reading go on behind a row.
func (r *reading) goOn(after string) (err error) {
	if after == "" {
		return nil
	}
	key, err := hex.DecodeString(after)
	if err != nil {
		return err
	}
	var kinds []schema.Kind
	for _, name := range r.Primary {
		kinds = append(kinds, r.Columns[r.Column(name)].Kind)
	}
	r.After, err = room.DecodeRow(key, kinds)
	return err
}

// table copies what is left of a reading.
func (c *copying) table(r *reading, business string) error {
	for {
		rows, more, err := c.page(r)
		if err != nil || !more {
			return err
		}
		next := c.state
		next.Table, next.Business, next.Rows = r.Name, business, c.state.Rows+int64(len(rows))
		next.After = hex.EncodeToString(room.AppendRow(nil, r.After))
		err = c.to.Fill(c.ctx, func(o store.Outside) error {
			if err := c.arrival.Write(o, r.Table, rows); err != nil {
				return err
			}
			return putState(o, next)
		})
		if err != nil {
			return err
		}
		c.state = next
		if c.tell != nil {
			c.tell("copied", r.Name, c.state.Rows, c.of)
		}
	}
}

// verify adds up both databases.
func (c *copying) verify() error {
	read := int64(0)
	told := func(table string, rows int) {
		if read += int64(rows); c.tell != nil {
			c.tell("compared", table, read, 2*c.of)
		}
	}
	want, err := c.sums(c.departure.s.PortableTables(), told)
	if err != nil {
		return err
	}
	var got map[string]tableSum
	err = depart(c.ctx, c.to, nil, func(d *departure) (err error) {
		got, err = d.sums(d.s.PortableTables(), told)
		return err
	})
	if err != nil {
		return err
	}
	if wrong := disagree(c.to.PortableTables(), want, got); len(wrong) > 0 {
		return fmt.Errorf("the copy is not the same as its source: %s. Was the source written to between two runs? "+
			"Remove the target, stop the servers of the source, and begin anew", strings.Join(wrong, "; "))
	}
	return nil
}
