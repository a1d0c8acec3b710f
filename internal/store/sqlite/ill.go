package sqlite

import (
	"context"

	"zombiezen.com/go/sqlite"

	"github.com/kith-crm/kith/internal/store/engine"
)

// Ping reads the file: a statement without a table would be answered even where that is gone.
func (e *Engine) Ping(ctx context.Context) error {
	return readOn(ctx, e.healthProbe, 0, func(c engine.Conn) error {
		return c.Query(ctx, "SELECT count(*) FROM sqlite_schema", nil, func(engine.Row) error { return nil })
	})
}

// Ill tells by SQLite's codes. Most come from the file or the disk: it is full, cannot be opened, read or written, or another process
// has locked it for too long.
func (e *Engine) Ill(err error) bool {
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultFull, sqlite.ResultReadOnly, sqlite.ResultIOErr, sqlite.ResultCantOpen, sqlite.ResultPerm, sqlite.ResultBusy,
		sqlite.ResultLocked, sqlite.ResultProtocol, sqlite.ResultNoMem, sqlite.ResultNoLFS:
		return true
	}
	return false
}

// Corrupt tells whether SQLite found its file damaged.
func (e *Engine) Corrupt(err error) bool {
	code := sqlite.ErrCode(err).ToPrimary()
	return code == sqlite.ResultCorrupt || code == sqlite.ResultNotADB
}
