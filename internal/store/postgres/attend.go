package postgres

import (
	"fmt"
	"time"

	"github.com/kith-crm/kith/internal/store/engine"
)

// A write can wait for what its own time does not count: for the turn of its business, and for the end of its transaction, which
// waits for a disk or a standby. Whoever asked for it waits for neither longer than this says, and is told what is known.

// commitTime is how long the end of a transaction may take until nobody waits for it any more.
const commitTime = 5 * time.Second

// attend waits for a write, for as long as it makes sense. What the operator does is waited for in any case.
func (e *Engine) attend(j job) error {
	if j.Limit == 0 {
		return <-j.done
	}
	look := time.NewTicker(time.Second)
	defer look.Stop()
	for {
		select {
		case err := <-j.done:
			return err
		case <-look.C:
			if err := e.overdue(j); err != nil {
				return err
			}
		}
	}
}

// overdue leaves a write that makes no progress, and tells why.
func (e *Engine) overdue(j job) error {
	switch j.at() {
	case jobWaits:
		stuck := e.stuck.Load()
		why := error(engine.ErrWaited)
		switch waited := time.Since(j.since); {
		case stuck > 0 && waited > commitTime:
			why = fmt.Errorf("%w: %d transactions before this one do not come to their end", ErrDown, stuck)
		case waited <= engine.LongestWait:
			return nil
		}
		if j.step(jobWaits, jobLeft) {
			e.groups.leave(j)
			return why
		}
	case jobEnds:
		if time.Since(time.Unix(0, j.progress.since.Load())) > commitTime && j.step(jobEnds, jobLeft) {
			return fmt.Errorf("%w: no answer within %v; does a synchronous standby answer?", engine.ErrUnsettled, commitTime)
		}
	}
	return nil
}
