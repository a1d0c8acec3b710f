package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// fields is a record or the body of an action, as a client would send it.
type fields map[string]any

// story plays a year of the demo business through the engine, day by day, so that every record, every move and every entry of the change
// log is as if users had made it then.
type story struct {
	ctx    context.Context
	engine *record.Engine
	tx     *store.Tx
	admin  *record.Principal
	rng    *rand.Rand
	now    time.Time
	today  time.Time
	hash   string // of everybody's password
	events []event

	sellers    []string // ids of the users who own records
	stages     map[string]string
	lifecycle  map[string]string
	reasons    map[string]string
	pipelines  map[string]string
	products   []product
	companies  []*firm
	dealNumber int
}

type event struct {
	at   time.Time
	user string
	run  func() error
}

// on plans what a user does some days ago, or today before now. What would be later has not happened yet and is left out.
func (s *story) on(daysAgo int, user string, run func() error) {
	hours := s.rng.IntN(10 * 3600) // of a day's work, in seconds
	at := s.today.AddDate(0, 0, -daysAgo).Add(time.Duration(7*3600+hours) * time.Second)
	if daysAgo == 0 {
		at = s.today.Add(s.now.Sub(s.today) / (10 * 3600) * time.Duration(hours)) // as far into what there is of the day
	}
	if daysAgo >= 0 {
		s.events = append(s.events, event{at, user, run})
	}
}

// play lets everything that was planned happen in the order of time. What an event plans itself must lie on a later day.
func (s *story) play() error {
	for len(s.events) > 0 {
		first := 0
		for i, e := range s.events {
			if e.at.Before(s.events[first].at) {
				first = i
			}
		}
		e := s.events[first]
		s.events = slices.Delete(s.events, first, first+1)
		if err := s.as(e.at, e.user, e.run); err != nil {
			return err
		}
	}
	return nil
}

// as runs something at a time in the name of a user.
func (s *story) as(at time.Time, user string, run func() error) error {
	who := s.admin.User
	if user != "" {
		id, err := schema.ParseID("user", user)
		if err != nil {
			return fmt.Errorf("user %q: %w", user, err)
		}
		who = id
	}
	s.tx.At(at, store.Actor{User: who})
	before := s.admin.User
	s.admin.User = who
	defer func() { s.admin.User = before }()
	return run()
}

// do runs an operation as a client would ask for it, with nothing where there is nothing to say.
func (s *story) do(kind, name, id string, f fields) (*schema.Record, error) {
	op := record.Operation{Kind: record.KindOf(kind), Name: name, ID: id}
	if f != nil {
		text, err := json.Marshal(f)
		if err != nil {
			return nil, err
		}
		if op.Body, err = body.Parse(text); err != nil {
			return nil, err
		}
	}
	rec, err := s.engine.Do(s.ctx, record.Call{Principal: s.admin, Tx: s.tx}, op)
	if err != nil {
		return nil, fmt.Errorf("%s %s %v: %w", name, kind, f, err)
	}
	return rec, nil
}

// add creates a record and gives its id.
func (s *story) add(kind string, f fields) (string, error) {
	rec, err := s.do(kind, record.Create, "", f)
	if err != nil {
		return "", err
	}
	return schema.FormatID(kind, rec.ID()), nil
}

// act runs an action.
func (s *story) act(kind, id, action string, f fields) error {
	_, err := s.do(kind, action, id, f)
	return err
}

func (s *story) patch(kind, id string, f fields) error { return s.act(kind, id, record.Update, f) }

func (s *story) remove(kind, id string) error { return s.act(kind, id, record.Remove, nil) }

// day renders a date some days ago; a negative number is a day to come.
func (s *story) day(daysAgo int) string {
	return s.today.AddDate(0, 0, -daysAgo).Format(time.DateOnly)
}

// hour renders a time on a day some days ago; a negative number is a day to come.
func (s *story) hour(daysAgo, hour int) string {
	return s.today.AddDate(0, 0, -daysAgo).Add(time.Duration(hour) * time.Hour).Format(time.RFC3339)
}

// past renders a time on a day some days ago, and on today one that is over.
func (s *story) past(daysAgo, hour int) string {
	if at := s.today.Add(time.Duration(hour) * time.Hour); daysAgo == 0 && at.After(s.tx.Now) {
		return s.tx.Now.Format(time.RFC3339)
	}
	return s.hour(daysAgo, hour)
}

// settings notes the ids of what every business starts with.
func (s *story) settings() error {
	s.stages, s.pipelines = map[string]string{}, map[string]string{}
	pipelines, err := s.tx.Find(&record.KindOf("pipeline").Resource, 10)
	if err != nil {
		return err
	}
	for _, p := range pipelines {
		var stages []struct{ ID, Name string }
		if err := json.Unmarshal([]byte(p.Text(crm.Pipelines.Stages)), &stages); err != nil {
			return fmt.Errorf("read stages: %w", err)
		}
		s.pipelines[p.Text(crm.Pipelines.Name)] = schema.FormatID("pipeline", p.ID())
		for _, stage := range stages {
			s.stages[p.Text(crm.Pipelines.Name)+"/"+stage.Name] = stage.ID
		}
	}
	if s.lifecycle, err = s.idsByName(crm.LifecycleStage, crm.LifecycleStages.Name); err != nil {
		return err
	}
	s.reasons, err = s.idsByName(crm.LossReason, crm.LossReasons.Name)
	return err
}

func (s *story) idsByName(k *record.Kind, name *schema.Leaf) (map[string]string, error) {
	ids := map[string]string{}
	found, err := s.tx.Find(&k.Resource, 20)
	for _, rec := range found {
		ids[rec.Text(name)] = schema.FormatID(k.Name, rec.ID())
	}
	return ids, err
}
