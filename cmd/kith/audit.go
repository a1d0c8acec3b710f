package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// auditHead prints where the audit log of a business ends, to be kept where nobody who can change the database can change it.
func auditHead(ctx context.Context, c *invocation) error {
	business := c.flags.String("business", "", "the business, business_…")
	c.jsonFlag()
	if err := c.parse("business"); err != nil {
		return err
	}
	engine, t, err := c.tenant(ctx, *business)
	if err != nil {
		return err
	}
	defer engine.Store().Close()
	head, err := t.AuditHead(ctx)
	if err != nil {
		return err
	}
	return c.print(struct {
		Seq  int64  `json:"seq"`
		Hash string `json:"hash"`
	}{head.Seq, head.Hash}, fmt.Sprintf("%d:%s", head.Seq, head.Hash))
}

// auditCheck follows the chain of the audit log of a business, or of all.
func auditCheck(ctx context.Context, c *invocation) error {
	business := c.flags.String("business", "", "the business, business_…; all when not given")
	known := c.text("known", "", "what kith audit head printed once, NUMBER:HASH, for --business: the log must still lead through it",
		orEmpty(isAuditHead))
	c.jsonFlag()
	if err := c.parse(); err != nil {
		return err
	}
	if *known != "" && *business == "" {
		return c.misused("--known is about one business; name it with --business")
	}
	var heads []store.AuditHead
	if seq, hash, ok := strings.Cut(*known, ":"); ok {
		n, err := strconv.ParseInt(seq, 10, 64)
		if err != nil {
			return err
		}
		heads = append(heads, store.AuditHead{Seq: n, Hash: hash})
	}
	engine, tenants, err := c.tenants(ctx, *business)
	if err != nil {
		return err
	}
	defer engine.Store().Close()
	type row struct {
		Business  string   `json:"business_id"`
		Seq       int64    `json:"seq"`
		Hash      string   `json:"hash"`
		Forgotten int64    `json:"forgotten_addresses"`
		Wrong     []string `json:"wrong"`
	}
	rows, lines, broken := []row{}, []string{}, 0
	for _, t := range tenants {
		found, err := t.CheckAudit(ctx, heads...)
		if err != nil {
			return err
		}
		r := row{schema.FormatID("business", t.ID()), found.Seq, found.Hash, found.Forgotten, append([]string{}, found.Wrong...)}
		rows = append(rows, r)
		if len(found.Wrong) > 0 {
			broken++
		}
		state := "whole"
		if len(found.Wrong) > 0 {
			state = strings.Join(found.Wrong, "; ")
		}
		lines = append(lines, fmt.Sprintf("%s  %d lines  %s", r.Business, r.Seq, state))
	}
	if err := c.print(rows, lines...); err != nil {
		return err
	}
	if broken > 0 {
		return fmt.Errorf("the audit log of %d of %d businesses is not whole", broken, len(tenants))
	}
	return nil
}

// isAuditHead is the rule of what auditHead prints.
func isAuditHead(text string) string {
	seq, hash, _ := strings.Cut(text, ":")
	if n, err := strconv.ParseInt(seq, 10, 64); err != nil || n < 0 || len(hash) != 64 || strings.Trim(hash, "0123456789abcdef") != "" {
		return "must be NUMBER:HASH, as kith audit head prints it"
	}
	return ""
}

// tenants opens the database and one business, or all where none is named.
func (c *invocation) tenants(ctx context.Context, id string) (engine *record.Engine, all []store.Tenant, err error) {
	if id != "" {
		e, t, err := c.tenant(ctx, id)
		return e, []store.Tenant{t}, err
	}
	e, err := c.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	businesses, err := e.Store().Businesses(ctx)
	for i := 0; i < len(businesses) && err == nil; i++ {
		var t store.Tenant
		t, err = e.Store().Tenant(ctx, businesses[i].ID)
		all = append(all, t)
	}
	if err != nil {
		return nil, nil, errors.Join(err, e.Store().Close())
	}
	return e, all, nil
}
