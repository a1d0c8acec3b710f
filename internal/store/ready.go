package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/migrations"
)

// Ready tells whether the database answers, has every step that this program knows, and can be written. It waits for nobody's turn:
// a server with much to do is ready. What is wrong is a problem that anybody may read, and its cause for the log.
func (s *Store) Ready(ctx context.Context) (unready *problem.Problem, cause error) {
	say := func(detail string, cause error) (*problem.Problem, error) {
		return problem.New(problem.ServiceUnavailable, "%s", detail), cause
	}
	steps, err := migrations.Of(s.engine.Name())
	if err != nil {
		return say("The program has no migrations.", err)
	}
	if damage := s.corruption.Load(); damage != nil && time.Since(damage.at) < damageLasts {
		return say("The database is damaged: something in it could not be read. Check it with kith check, and restore a backup.", damage)
	}
	var readOnly error
	if err := s.Ping(ctx); err != nil { // at once where it is known to be gone, and on a connection for nothing else
		return say("The database does not answer.", err)
	}
	err = s.readCredentials(ctx, schema.UUID{}, func(c engine.Conn) error {
		if err := migrations.MarkApplied(ctx, c, steps); err != nil {
			return err
		}
		readOnly = s.engine.Writable(ctx, c)
		return nil
	})
	if err != nil {
		return say("The database does not answer.", err)
	}
	if i := slices.IndexFunc(steps, func(m migrations.Step) bool { return !m.Applied }); i >= 0 {
		return say("The database is not migrated.", fmt.Errorf("the database lacks migration %04d %s", steps[i].Number, steps[i].Name))
	}
	if readOnly != nil {
		return say("The database cannot be written.", readOnly)
	}
	return nil, nil
}
