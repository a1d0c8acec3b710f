package sqlite

import (
	"context"
	"errors"
	"os"

	"github.com/kith-crm/kith/internal/store/engine"
)

func (e *Engine) Gauges() []engine.Gauge {
	all := append(e.Turns.Gauges(cap(e.readers)), e.counts.Gauges()...)
	e.jobs.mu.Lock()
	waiting := engine.Waits(e.jobs.queues)
	e.jobs.mu.Unlock()
	return append(all,
		engine.NewGauge(engine.QueueName, engine.QueueHelp, float64(waiting)),
		engine.NewGauge("kith_sqlite_file_bytes", "The size of the database's file.", fileSize(e.path)),
		engine.NewGauge("kith_sqlite_wal_bytes", "The size of the log beside it, which is brought into the file now and then.",
			fileSize(e.path+"-wal")),
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

// Writable asks for the rights to the database's own files, and writes one beside them: the writer has its queue, and opening the
// database's own anew would end the locks on it.
func (e *Engine) Writable(context.Context, engine.Conn) error {
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
