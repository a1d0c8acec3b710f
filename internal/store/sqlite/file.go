package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Path gives the file that a database address names, where it names one.
func Path(url string) (path string, sqlite bool) {
	path, sqlite = strings.CutPrefix(url, "sqlite:")
	path = strings.TrimPrefix(path, "//")
	return path, sqlite && path != ""
}

// NoFile tells whether url names an SQLite file that is not there yet, or in which nothing is. Opening it would make it.
func NoFile(url string) (path string, missing bool) {
	path, sqlite := Path(url)
	if !sqlite {
		return "", false
	}
	info, err := os.Stat(path)
	return path, errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() && info.Size() == 0
}

// KeyFile is where the secret key of a database is that is a file: beside it.
func KeyFile(url string) (path string, file bool) {
	path, file = Path(url)
	return path + ".key", file
}

// makeFolder makes the folder of a database file, for its owner only.
func makeFolder(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make the folder of the database: %w", err)
	}
	return nil
}

// makeFile makes the file of a database for its owner only: whoever reads it reads every business. SQLite gives the files that it makes
// beside it the same rights. A file that is there is not opened, for closing it would end the locks that this process has on it.
func makeFile(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("make the database: %w", err)
	}
	return file.Close()
}

// Tighten takes the right to read or write an SQLite database from everybody but its owner, and names the files that were open to others.
func Tighten(url string) (tightened []string, err error) {
	path, sqlite := Path(url)
	if !sqlite || runtime.GOOS == "windows" { // where files have lists of who may do what, and inherit them from their folder
		return nil, nil
	}
	for _, file := range []string{path, path + "-wal", path + "-shm"} {
		info, failed := os.Stat(file)
		if errors.Is(failed, fs.ErrNotExist) {
			continue
		}
		if failed == nil && info.Mode().Perm()&0o077 == 0 {
			continue
		}
		if failed == nil {
			failed = os.Chmod(file, info.Mode().Perm()&0o700)
		}
		if failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		tightened = append(tightened, file)
	}
	return tightened, err
}
