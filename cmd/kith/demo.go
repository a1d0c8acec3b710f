package main

import (
	"context"
	"fmt"
	"time"

	"github.com/kith-crm/kith/internal/demo"
	"github.com/kith-crm/kith/internal/record"
)

// makeDemo makes the demo business, and with --contacts as many contacts as wanted in it and in others beside it.
func makeDemo(ctx context.Context, c *invocation) error {
	contacts := c.number("contacts", 0, 0, 100_000_000, "fill the database up to this many contacts in all; 0 makes only the demo business")
	businesses := c.number("businesses", 1, 1, 1_000_000,
		"how many businesses share the --contacts: the second gets half as many as the first, the third a third, and so on")
	c.jsonFlag()
	if err := c.parse(); err != nil {
		return err
	}
	switch {
	case *contacts == 0 && *businesses > 1:
		return c.misused("--businesses needs --contacts: how many contacts they are to share")
	case *contacts > 0 && *businesses > *contacts:
		return c.misused("--businesses must not be more than --contacts")
	}
	engine, err := c.openOrMake(ctx)
	if err != nil {
		return err
	}
	now := time.Now()
	account, created, err := demo.Make(ctx, engine, now)
	if err != nil {
		return err
	}
	if *contacts > 0 {
		if err := c.fill(ctx, engine, *contacts, *businesses, now); err != nil {
			return err
		}
	}
	greeting := "The demo business " + demo.Name + " is there already; here is a fresh token, and the one before has ended."
	if created {
		greeting = "Made the demo business " + demo.Name + "."
	}
	return c.print(account,
		greeting, "",
		"  business  "+account.BusinessID,
		"  email     "+account.Email,
		"  password  "+account.Password,
		"  token     "+account.Token, "",
		"Serve it with kith serve and the same --db.")
}

// fill adds contacts, and tells how far it is now and then: it can take a while.
func (c *invocation) fill(ctx context.Context, engine *record.Engine, contacts, businesses int, now time.Time) error {
	told := time.Now()
	done, err := demo.Fill(ctx, engine, contacts, businesses, now, func(have int) {
		if time.Since(told) > 3*time.Second {
			told = time.Now()
			fmt.Fprintf(c.errs, "%d of %d contacts\n", have, contacts)
		}
	})
	if err != nil {
		return fmt.Errorf("%w (%d contacts are there; run the command again to go on)", err, done.Contacts)
	}
	if done.Made == 0 {
		fmt.Fprintf(c.errs, "nothing to add: %d contacts in %d businesses are there already\n", done.Contacts, done.Businesses)
		return nil
	}
	fmt.Fprintf(c.errs, "%d contacts in %d businesses, %d of them new, in %v\n", done.Contacts, done.Businesses, done.Made,
		time.Since(now).Round(time.Millisecond))
	return nil
}
