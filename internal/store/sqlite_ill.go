package store

import (
	"context"

	"zombiezen.com/go/sqlite"
)

// ping reads the file: a statement without a table would be answered even where that is gone.
func (e *sqliteEngine) ping(ctx context.Context) error {
	return readOn(ctx, e.healthProbe, 0, func(c conn) error {
		return c.query(ctx, "SELECT count(*) FROM sqlite_schema", nil, func(row) error { return nil })
	})
}

// ill tells by SQLite's codes. Most come from the file or the disk: it is full, cannot be opened, read or written, or another process
// has locked it for too long.
func (e *sqliteEngine) ill(err error) bool {
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultFull, sqlite.ResultReadOnly, sqlite.ResultIOErr, sqlite.ResultCantOpen, sqlite.ResultPerm, sqlite.ResultBusy,
		sqlite.ResultLocked, sqlite.ResultProtocol, sqlite.ResultNoMem, sqlite.ResultNoLFS:
		return true
	}
	return false
}

// corrupt tells whether SQLite found its file damaged.
func (e *sqliteEngine) corrupt(err error) bool {
	code := sqlite.ErrCode(err).ToPrimary()
	return code == sqlite.ResultCorrupt || code == sqlite.ResultNotADB
}
