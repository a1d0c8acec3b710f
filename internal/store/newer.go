package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// refuseNewer refuses a database that has steps which this program does not know: it may have been told to keep what this program
// would lose. A program that runs already while a newer one migrates goes on, because steps only add.
func refuseNewer(ctx context.Context, c engine.Conn, known []Migration) error {
	var newer []string
	err := c.Query(ctx, "SELECT number, name FROM migration ORDER BY number", nil, func(r engine.Row) error {
		number := r.Value(0, schema.Integer).N
		if !slices.ContainsFunc(known, func(m Migration) bool { return m.Number == number }) {
			newer = append(newer, fmt.Sprintf("%04d %s", number, r.Value(1, schema.Text).S))
		}
		return nil
	})
	if err != nil || len(newer) == 0 {
		return err
	}
	last := known[len(known)-1]
	return fmt.Errorf("the database belongs to a newer kith: it has %s, and this program knows migrations up to %04d %s. Start the newer "+
		"program, or restore a backup from before the upgrade",
		strings.Join(newer, ", "), last.Number, last.Name)
}
