// Oldlogins makes every log-in in a SQLite database look as if its password was given long ago, so that the browser test sees what
// a browser sees that was left open.
package main

import (
	"fmt"
	"os"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

func main() {
	if err := age(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func age(file string) error {
	c, err := sqlite.OpenConn(file, sqlite.OpenReadWrite)
	if err != nil {
		return err
	}
	defer c.Close()
	return sqlitex.ExecuteTransient(c, "UPDATE session SET confirmed_at = 0", nil)
}
