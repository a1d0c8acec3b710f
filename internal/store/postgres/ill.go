package postgres

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// ErrLost marks what failed because the connection was lost on the way, or was cut by us because nobody answered on it.
var ErrLost = errors.New("the connection to the server was lost")

// Ill tells by what the server says of itself, and by connections that cannot be made or break.
func (e *Engine) Ill(err error) bool {
	var refused *pgconn.ConnectError
	var reported *pgconn.PgError
	var network net.Error
	switch {
	case errors.As(err, &refused): // whatever the reason is: a wrong password is no less in the way than a server that is not there
		return true
	case errors.As(err, &reported):
		return illCodes[reported.Code] || illClasses[reported.Code[:min(2, len(reported.Code))]] || lostWithin(reported) ||
			reported.SeverityUnlocalized == "FATAL" || reported.SeverityUnlocalized == "PANIC"
	case errors.As(err, &network), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed):
		return true
	}
	for _, lost := range []error{ErrLost, ErrDown, ErrCut, pgconn.ErrConnClosed, context.DeadlineExceeded} {
		if errors.Is(err, lost) {
			return true
		}
	}
	return false
}

// lostWithin tells that the coordinator of a cluster lost a machine, or itself, while it waited: Citus reports some of that as internal
// errors, with a text alone.
func lostWithin(reported *pgconn.PgError) bool {
	if reported.Code != internalError {
		return false
	}
	return slices.ContainsFunc(lostTexts, func(text string) bool { return strings.Contains(reported.Message, text) })
}

// internalError is the code of errors that the server has no code for.
const internalError = "XX000"

// lostTexts are what Citus says, and what it passes on of its own connections. It translates neither.
var lostTexts = []string{
	"postmaster was shut down, exiting",
	"server closed the connection unexpectedly",
	"could not receive data from server",
	"could not send data to server",
	"SSL connection has been closed unexpectedly",
	"no connection to the server",
	"connection not open",
	"could not commit transaction for shard",
	"failure on connection marked as essential",
	"could not establish",
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
}

// Corrupt tells whether the server found its data (XX001) or an index (XX002) damaged.
func (e *Engine) Corrupt(err error) bool {
	var reported *pgconn.PgError
	return errors.As(err, &reported) && (reported.Code == "XX001" || reported.Code == "XX002")
}
