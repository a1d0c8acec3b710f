package store

import (
	"context"
	"errors"
	"os"
)

func (e *sqliteEngine) gauges() []Gauge {
	all := append(e.turns.gauges(cap(e.readers)), e.counts.gauges()...)
	e.jobs.mu.Lock()
	waiting := waits(e.jobs.queues)
	e.jobs.mu.Unlock()
	return append(all,
		Gauge{queueName, queueHelp, false, float64(waiting)},
		Gauge{"kith_sqlite_file_bytes", "The size of the database's file.", false, fileSize(e.path)},
		Gauge{
			"kith_sqlite_wal_bytes", "The size of the log beside it, which is brought into the file now and then.", false,
			fileSize(e.path + "-wal"),
		},
	)
}

// fileSize is 0 for a file that is not there.
func fileSize(path string) float64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return float64(info.Size())
}

// writable asks for the rights to the database's own files, and writes one beside them: the writer has its queue, and opening the
// database's own anew would end the locks on it.
func (e *sqliteEngine) writable(context.Context, conn) error {
	if err := errors.Join(mayWrite(e.path), mayWrite(e.path+"-wal")); err != nil {
		return err
	}
	name := e.path + "-ready"
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer os.Remove(name)
	_, err = file.Write(make([]byte, 4096))
	return errors.Join(err, file.Sync(), file.Close())
}
