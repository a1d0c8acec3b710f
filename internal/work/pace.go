package work

import (
	"context"
	"time"

	"github.com/kith-crm/kith/internal/record"
)

const (
	// jobRest is how many times as long as a step took the worker rests at most where others used the database meanwhile, and
	// jobYield how long for each time that they did.
	jobRest  = 6
	jobYield = 25 * time.Millisecond
)

// giveWay rests after so long a work, if others used the database meanwhile.
func giveWay(ctx context.Context, worked time.Duration, seen record.Bystanders) {
	if others := seen.Others(); others > 0 {
		record.Pause(ctx, min(jobRest*worked, time.Duration(others)*jobYield))
	}
}

// paceStretch is how long something works without looking whether others are there.
const paceStretch = 5 * time.Millisecond

// Pace has long work outside of jobs, such as the reading of a file, rest where others use the database meanwhile, as the steps of
// a job do: what is in a file is a stranger's to choose, and a workbook full of cells takes a processor for a minute and more.
type Pace struct {
	e     *record.Engine
	ctx   context.Context
	since time.Time
	seen  record.Bystanders
}

// NewPace is the pace of work for which somebody waits until the context ends.
func NewPace(ctx context.Context, e *record.Engine) *Pace { return &Pace{e: e, ctx: ctx} }

// Begin says that work begins.
func (p *Pace) Begin() { p.since, p.seen = time.Now(), p.e.Background.Look() }

// Rest makes a pause, if one is due. It fails where nobody waits for the work any more.
func (p *Pace) Rest() error {
	if p.since.IsZero() {
		p.Begin()
	}
	worked := time.Since(p.since)
	if worked < paceStretch {
		return p.ctx.Err()
	}
	giveWay(p.ctx, worked, p.seen)
	p.Begin()
	return p.ctx.Err()
}
