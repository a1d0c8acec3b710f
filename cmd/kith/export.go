package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/exchange"
	"github.com/kith-crm/kith/internal/operator"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// export writes the records of a business, those of one resource or all, into a file for other programs.
func export(ctx context.Context, c *invocation) error {
	c.operand = "FILE"
	business := c.flags.String("business", "", "the business, business_…")
	resource := c.text("resource", "", "only the records of this resource, such as contact; without it the whole business as a zip",
		orEmpty(among(record.Registry.Names())))
	format := c.text("format", "", "with --resource: csv, jsonl or xlsx; what FILE ends in when not given, else csv",
		orEmpty(among(query.Formats)))
	search := c.text("search", "", `with --resource: a search body that says which records, such as {"search_text":"coffee"}`,
		orEmpty(isObject))
	c.jsonFlag()
	if err := c.parse("business"); err != nil {
		return err
	}
	path := c.given[c.operand]
	switch {
	case c.json && path == standard:
		return c.misused("--json and the file cannot both go to standard output")
	case *resource == "" && (*format != "" || *search != ""):
		return c.misused("--format and --search need --resource; the whole business is a zip of jsonl")
	}
	kind := record.KindOf(*resource)
	asked, err := exportBody(*search, *format, path)
	if err != nil {
		return err
	}
	t, err := c.tenant(ctx, *business)
	if err != nil {
		return err
	}
	c.engine.Store().LeaveUntidy()
	who, err := operator.Acting(ctx, c.engine, t, schema.UUID{})
	if err != nil {
		return err
	}
	bar, call := newProgress(c.errs), record.Call{Principal: who}
	var bytes, records int64
	write := func(to io.Writer) error {
		defer bar.clear()
		send := func(text []byte) error {
			bytes += int64(len(text))
			bar.at("bytes written", bytes, 0)
			_, err := to.Write(text)
			return err
		}
		if kind == nil {
			return exchange.WriteArchive(ctx, c.engine, call, nil, send)
		}
		x, err := exchange.PlanExport(ctx, c.engine, call, kind, asked)
		if err != nil {
			return err
		}
		records, err = x.Run(ctx, send)
		return err
	}
	if path == standard {
		return write(c.out)
	}
	if err := writeWhole(path, write); err != nil {
		return err
	}
	told := fmt.Sprintf("%d bytes were written.", bytes)
	if kind != nil {
		told = fmt.Sprintf("%s, %s", counted(records, "record"), told)
	}
	return c.print(struct {
		Records int64 `json:"records,omitzero"`
		Bytes   int64 `json:"bytes"`
	}{records, bytes}, told)
}

// isObject is the rule of texts that are the body of a request.
func isObject(text string) string {
	n, err := body.Parse([]byte(text))
	if err != nil || n == nil || n.Kind != body.Object {
		return "must be a JSON object"
	}
	return ""
}

// exportBody is what an export is asked for by: a search body, with a format that is named or what the file ends in.
func exportBody(search, format, path string) (*body.Node, error) {
	if ending := strings.TrimPrefix(filepath.Ext(path), "."); format == "" && slices.Contains(query.Formats, ending) {
		format = ending
	}
	if search == "" {
		search = "{}"
	}
	n, err := body.Parse([]byte(search))
	if err != nil {
		return nil, err
	}
	if format != "" {
		text := append(schema.AppendString([]byte(`{"format":`), format), '}')
		with, err := body.Parse(text)
		if err != nil {
			return nil, err
		}
		n.Members = append(n.Members, with.Members...)
	}
	return n, nil
}
