package store

import (
	"context"
	"errors"
	"io"
	"net"

	"github.com/jackc/pgx/v5/pgconn"
)

// errLost marks what failed because the connection was lost on the way, or was cut by us because nobody answered on it.
var errLost = errors.New("the connection to the server was lost")

// ill tells by what the server says of itself, and by connections that cannot be made or break.
func (e *postgresEngine) ill(err error) bool {
	var refused *pgconn.ConnectError
	var reported *pgconn.PgError
	var network net.Error
	switch {
	case errors.As(err, &refused): // whatever the reason is: a wrong password is no less in the way than a server that is not there
		return true
	case errors.As(err, &reported):
		return illCodes[reported.Code] || illClasses[reported.Code[:min(2, len(reported.Code))]] || reported.SeverityUnlocalized == "FATAL" || reported.SeverityUnlocalized == "PANIC"
	case errors.As(err, &network), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed):
		return true
	}
	for _, lost := range []error{errLost, errDown, errCut, pgconn.ErrConnClosed, context.DeadlineExceeded} {
		if errors.Is(err, lost) {
			return true
		}
	}
	return false
}

// illClasses are the classes of codes in which the server says that it cannot work.
var illClasses = map[string]bool{
	"08": true, // connections, also those that the server has itself to others
	"28": true, // not let in
	"53": true, // out of disk, memory or connections
	"58": true, // what is below the server failed
	"F0": true, // its configuration
}

// illCodes are single codes with the same meaning.
var illCodes = map[string]bool{
	"25006": true, // it is read-only, as a standby is
	"3D000": true, // the database is not there
	"42501": true, // the role was denied what it needs
	"57P01": true, // it is shutting down
	"57P02": true, // another of its processes crashed
	"57P03": true, // it is starting
	"57P04": true, // the database was dropped
	"57P05": true, // it ended an idle connection
	"XX001": true, // data are damaged
	"XX002": true, // an index is damaged
}
