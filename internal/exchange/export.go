package exchange

import (
	"bytes"
	"context"
	"time"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/tabular"
)

// ExportFeature is the feature permission that taking records out as files needs.
const ExportFeature = "export"

// AllowExport decides whether a principal may take records out as files; which, their scopes and role decide as for searches.
func AllowExport(p *record.Principal) error {
	return p.AllowFeature(ExportFeature, "taking records out")
}

// Export is a file of records that somebody may have and has asked for well.
type Export struct {
	*query.Export
	call  record.Call
	kind  *record.Kind
	reach record.Reach
	// Still tells who asks by now, before each step: what they may do can end while the file is on its way. It may be nil.
	Still func() (*record.Principal, error)
	// tell has the audit log tell of the export, before any of it is sent.
	tell func(context.Context) error
}

// PlanExport checks the body that asks for a file.
func PlanExport(ctx context.Context, e *record.Engine, c record.Call, k *record.Kind, n *body.Node) (*Export, error) {
	reach, err := mayExport(c.Principal, k)
	if err != nil {
		return nil, err
	}
	object, err := n.Object()
	if err != nil {
		return nil, err
	}
	x, err := query.CheckExport(object, c.Resource(k), c.Reader(ctx))
	if err != nil {
		return nil, err
	}
	c.Confine(x.Query, reach)
	tell := func(ctx context.Context) error { return tellExport(ctx, c, k.Name) }
	return &Export{Export: x, call: c, kind: k, reach: reach, tell: tell}, nil
}

// tellExport has the audit log tell that records were taken out.
func tellExport(ctx context.Context, c record.Call, resource string) error {
	return c.Tenant.Audit(ctx, c.By(), store.AuditEntry{Action: record.Exported, Resource: resource})
}

func mayExport(p *record.Principal, k *record.Kind) (record.Reach, error) {
	if err := AllowExport(p); err != nil {
		return record.None, err
	}
	return p.Allow(&k.Resource, record.Read)
}

// Steps of an export: how many records the first has, and any at most and at least. Those between have as many as are read in about
// the time of exportTime, so that no connection is held for longer however the records are found.
const (
	firstExported = 100
	leastExported = 20
	mostExported  = 1000
	exportTime    = 100 * time.Millisecond
)

// Run reads the records step after step, and hands what each makes of the file to send, which may keep nothing of it. No connection
// and no transaction is held while it sends. Each record is as it is when its step is read; because steps go on behind the last
// record, in an order that does not change (created_at, id) each record that matches all the time comes once. The audit log tells
// of the export before any of it is sent.
func (x *Export) Run(ctx context.Context, send func([]byte) error) (records int64, err error) {
	var out bytes.Buffer
	w, err := tabular.NewWriter(x.Export, &out)
	if err != nil {
		return 0, err
	}
	told := false
	for size := firstExported; ; {
		if x.Limit = size; x.Most > 0 {
			x.Limit = int(min(int64(size), int64(x.Most)-records))
		}
		begun := time.Now()
		page, err := x.call.Tenant.Search(ctx, x.Query, func(values []schema.Value) error {
			records++
			return w.Row(values)
		})
		if err != nil {
			return records, err
		}
		size = nextStep(size, time.Since(begun))
		if !told {
			told = true
			if err := x.tell(ctx); err != nil {
				return 0, err
			}
		}
		last := !page.More || x.Most > 0 && records >= int64(x.Most)
		if last {
			if err := w.Close(); err != nil {
				return records, err
			}
		}
		if err := send(out.Bytes()); err != nil || last {
			return records, err
		}
		if out.Reset(); out.Cap() > 1<<20 {
			out = bytes.Buffer{}
		}
		after := page.Last
		x.After = &after
		if err := x.stillMay(); err != nil {
			return records, err
		}
	}
}

// nextStep is how many records the next step has, after one of a size that took so long.
func nextStep(size int, took time.Duration) int {
	switch {
	case took < exportTime/2:
		size *= 2
	case took > exportTime:
		size /= 2
	}
	return min(max(size, leastExported), mostExported)
}

// stillMay asks again whether the records may be read, as far as they were when the export began.
func (x *Export) stillMay() error {
	if x.Still == nil {
		return nil
	}
	who, err := x.Still()
	if err != nil {
		return err
	}
	reach, err := mayExport(who, x.kind)
	if err == nil && reach != x.reach {
		err = problem.New(problem.ForbiddenByRole, "The role reaches no longer as far as it did when the export began.")
	}
	return err
}
