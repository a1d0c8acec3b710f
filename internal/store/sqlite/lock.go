package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Serving is the right to serve a database, which one server at a time has on an SQLite file: servers tell each other nothing of
// what they remember, so each would go on answering from what the other has changed. Other commands do not ask for it. The system
// takes it back when the process ends, however that ends.
type Serving struct{ file *os.File }

// errHeld tells that another process has the lock.
var errHeld = errors.New("the lock is held")

// Serve takes the right to serve the database. On PostgreSQL any number of servers have it.
func Serve(url string) (*Serving, error) {
	path, sqlite := Path(url)
	if !sqlite {
		return &Serving{}, nil
	}
	if err := makeFolder(path); err != nil {
		return nil, err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // one database has one lock, whatever it is called
	}
	// The lock is a file of its own: on some systems SQLite's own locks on the database would be in its way. It stays when the
	// server stops, for whoever removed it could not know whether somebody was just about to take it.
	file, err := lockFile(path + ".lock")
	if errors.Is(err, errHeld) {
		return nil, fmt.Errorf("another server serves the database %s already%s; one SQLite file has one server", path,
			holder(path+".lock"))
	}
	if err != nil {
		return nil, fmt.Errorf("lock the database: %w", err)
	}
	s := &Serving{file: file}
	return s, s.note(fmt.Sprintf("process %d", os.Getpid()))
}

// At notes the address of the server, so that a second one can tell where the first is.
func (s *Serving) At(address string) error {
	return s.note(fmt.Sprintf("process %d at %s", os.Getpid(), address))
}

func (s *Serving) note(text string) error {
	if s.file == nil {
		return nil
	}
	if err := s.file.Truncate(0); err != nil {
		return err
	}
	_, err := s.file.WriteAt([]byte(text+"\n"), 0)
	return err
}

// End gives the right back.
func (s *Serving) End() error {
	if s.file == nil {
		return nil
	}
	return errors.Join(s.note(""), s.file.Close())
}

// holder tells who has a lock, where that is known.
func holder(lock string) string {
	text, err := os.ReadFile(lock)
	note := strings.TrimSpace(string(text))
	if err != nil || note == "" || len(note) > 200 {
		return ""
	}
	return " (" + note + ")"
}
