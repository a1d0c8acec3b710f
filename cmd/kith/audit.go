package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// auditHead prints where the audit log of a business ends, to be kept where nobody who can change the database can change it.
func auditHead(ctx context.Context, c *invocation) error {
	t, err := c.inBusiness(ctx)
	if err != nil {
		return err
	}
	head, err := t.AuditHead(ctx)
	if err != nil {
		return err
	}
	return c.print(map[string]any{"seq": head.Seq, "hash": head.Hash}, fmt.Sprintf("%d:%s", head.Seq, head.Hash))
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
	tenants, err := c.tenants(ctx, *business)
	if err != nil {
		return err
	}
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
		state := "whole"
		if len(found.Wrong) > 0 {
			broken++
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
