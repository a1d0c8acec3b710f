package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// What a check ends with.
const (
	exitWrong     = 1
	exitUnchecked = 2
)

// check holds everything that follows from something else to what it follows from.
func check(ctx context.Context, c *invocation) error {
	repair := c.flags.Bool("repair", false, "mend what can be made anew from the records: indexes, counts, keys")
	business := c.flags.String("business", "", "check this business alone")
	c.jsonFlag()
	if err := c.parse(); err != nil {
		return err
	}
	if err := c.check(ctx, *repair, *business); err != nil {
		var told *exit
		if errors.As(err, &told) || errors.Is(err, errUsage) {
			return err
		}
		return &exit{exitUnchecked, fmt.Errorf("the database could not be checked: %w", err)}
	}
	return nil
}

// cause is what the database said of its damage.
func cause(err error) string {
	text := err.Error()
	if at := strings.LastIndex(text, store.ErrCorrupt.Error()+": "); at >= 0 {
		text = text[at+len(store.ErrCorrupt.Error())+2:]
	}
	return text
}

// fault is one line of what a check tells.
type fault struct {
	Business string `json:"business_id,omitempty"`
	Resource string `json:"resource,omitempty"`
	ID       string `json:"id,omitempty"`
	What     string `json:"what"`
	Mended   bool   `json:"mended"`
	// damage tells that the database itself could not be read.
	damage bool
}

func newFault(f store.Fault) fault {
	told := fault{Business: schema.FormatID("business", f.Business), Resource: f.Resource, What: f.What, Mended: f.Mended}
	if f.ID != (schema.UUID{}) {
		prefix := f.Resource
		if prefix == "" {
			prefix = "record"
		}
		told.ID = schema.FormatID(prefix, f.ID)
	}
	return told
}

func (f fault) line(repair bool) string {
	line := ""
	for _, part := range []string{f.Business, f.Resource, f.ID} {
		if part != "" {
			line += part + " "
		}
	}
	line += f.What
	switch {
	case f.Mended:
		line += " (mended)"
	case repair:
		line += " (cannot be mended)"
	}
	return line
}

func (c *invocation) check(ctx context.Context, repair bool, business string) error {
	tenants, err := c.tenants(ctx, business)
	if err != nil {
		return err
	}
	s := c.engine.Store()
	s.LeaveUntidy()
	of := int64(0)
	for _, t := range tenants {
		n, err := t.Records(ctx)
		if err != nil && !errors.Is(err, store.ErrCorrupt) { // which the check itself tells of
			return err
		}
		of += n
	}
	bar := newProgress(c.errs)
	faults, left, records, broken := []fault{}, 0, int64(0), false
	var one sync.Mutex
	found := func(f fault) {
		one.Lock()
		defer one.Unlock()
		if !f.Mended {
			left++
		}
		broken = broken || f.damage
		if c.json {
			faults = append(faults, f)
			return
		}
		bar.clear()
		fmt.Fprintln(c.out, f.line(repair))
	}
	// The file is looked through beside its businesses. What is damaged is told, and everything else is checked all the same.
	file := make(chan error, 1)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		err := s.CheckFile(ctx, func(what string) { found(fault{What: what, damage: true}) })
		if errors.Is(err, store.ErrCorrupt) {
			found(fault{damage: true, What: "the database is damaged, and cannot be looked through to its end: " + cause(err)})
			err = nil
		}
		file <- err
	}()
	for _, t := range tenants {
		err := t.Check(ctx, store.Checking{
			Rules: record.CheckRules(), Repair: repair,
			Found:  func(f store.Fault) { found(newFault(f)) },
			Looked: func(n int64) { records += n; bar.at("records checked", records, of) },
		})
		switch {
		case errors.Is(err, store.ErrNotFound): // it was there a moment ago
			err = nil
		case errors.Is(err, store.ErrCorrupt):
			found(fault{
				damage: true, Business: schema.FormatID("business", t.ID()),
				What: "it cannot be read to its end, because the database is damaged: " + cause(err),
			})
			err = nil
		}
		if err != nil {
			stop()
			<-file
			return fmt.Errorf("%s: %w", schema.FormatID("business", t.ID()), err)
		}
	}
	if err := <-file; err != nil {
		return err
	}
	bar.clear()
	summary := fmt.Sprintf("%d businesses with %d records were checked; ", len(tenants), records)
	switch {
	case left == 0:
		summary += "everything is as it should be."
	case broken:
		summary += fmt.Sprintf("there are %d faults, and the database is damaged: keep a copy of it, and restore a backup.", left)
	case repair:
		summary += fmt.Sprintf("%d faults are left.", left)
	default:
		summary += fmt.Sprintf("there are %d faults. --repair mends those that can be.", left)
	}
	err = c.print(struct {
		Businesses int     `json:"businesses"`
		Records    int64   `json:"records"`
		Left       int     `json:"faults_left"`
		Faults     []fault `json:"faults"`
	}{len(tenants), records, left, faults}, summary)
	if err == nil && left > 0 {
		err = &exit{code: exitWrong}
	}
	return err
}
