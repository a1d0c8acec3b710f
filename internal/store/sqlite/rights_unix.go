//go:build unix

package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// mayWrite tells why a file cannot be written, or nothing, where it is not there either. The file is not opened for it: that would
// end SQLite's locks on it.
func mayWrite(path string) error {
	const write = 2
	err := syscall.Access(path, write)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return &os.PathError{Op: "write", Path: path, Err: err}
}
