package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/mail"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/kith-crm/kith/internal/bench"
	"github.com/kith-crm/kith/internal/demo"
	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store/sqlite"
)

// mailRules are the rules of the options for mail.
func mailRules(server, from *string) (serverRule, fromRule func() string) {
	const anyone = "kith@localhost"
	serverRule = func() string {
		if *server == "" {
			return ""
		}
		if _, err := oauth.NewMail(*server, anyone); err != nil {
			return err.Error()
		}
		return ""
	}
	fromRule = func() string {
		if _, err := mail.ParseAddress(*from); err != nil {
			return "must be an e-mail address, such as kith@example.com"
		}
		return ""
	}
	return serverRule, fromRule
}

// ports is how many ports are tried where any will do.
const ports = 100

// listen takes the address. Where any port will do, it takes the first free one from that of the address on.
func listen(addr string, anyPort bool) (net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	first, err := strconv.Atoi(port)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", addr)
	for next := first + 1; anyPort && taken(err) && next < first+ports; next++ {
		listener, err = net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(next)))
	}
	switch {
	case taken(err) && anyPort:
		return nil, fmt.Errorf("the ports %d to %d are all taken; choose an address with --addr (or KITH_ADDR)", first, first+ports-1)
	case taken(err):
		return nil, fmt.Errorf("another program listens on %s already; choose another address with --addr (or KITH_ADDR)", addr)
	case err != nil:
		var inner *os.SyscallError
		if errors.As(err, &inner) {
			err = inner.Err
		}
		return nil, fmt.Errorf("cannot listen on %s: %w", addr, err)
	}
	return listener, nil
}

// taken tells whether an address could not be had because another program has it. Windows has a number of its own for that.
func taken(err error) bool {
	return errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, syscall.Errno(10048))
}

// openToServe opens the database for a server at an address: the only one, where it is an SQLite file. end closes it again.
func (c *invocation) openToServe(ctx context.Context, log *slog.Logger, address string) (engine *record.Engine, end func(), err error) {
	serving, err := sqlite.Serve(c.db)
	if err != nil {
		return nil, nil, err
	}
	tightened, err := sqlite.Tighten(c.db)
	if err != nil {
		log.Warn("the database can be read by others, and that could not be changed", "error", err)
	}
	for _, file := range tightened {
		log.Warn("a file of the database could be read by others; now only its owner can", "file", file)
	}
	if engine, err = c.openWith(ctx, nil); err == nil {
		if err = serving.At(address); err != nil {
			err = errors.Join(err, engine.Store().Close())
		}
	}
	if err != nil {
		return nil, nil, errors.Join(err, serving.End())
	}
	return engine, func() {
		if err := errors.Join(engine.Store().Close(), serving.End()); err != nil {
			log.Error("close the database", "error", err)
		}
	}, nil
}

// greet tells that the server is there: people on a terminal in words, programs in the log.
func (c *invocation) greet(ctx context.Context, engine *record.Engine, log *slog.Logger, at *front, origin string) error {
	for _, remark := range engine.Store().Remarks() {
		log.Warn(remark)
	}
	b := thisBuild()
	if !onTerminal(c.errs) {
		log.Info(bench.Serving, "address", at.address(), "database", engine.Store().Engine(), "at", whole(c.db), "version", b.Version,
			"commit", b.Commit, "go", b.Go)
		return nil
	}
	url := at.reachable()
	if origin == "" {
		origin = url
	}
	settled, err := engine.Store().AnyBusiness(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.errs, "kith %s serves %s\n  database  %s\n", b.Version, url, whole(c.db))
	if !settled {
		fmt.Fprintf(c.errs, "  set-up    there is no business yet; make the first one at %s/setup\n", origin)
	} else {
		fmt.Fprintf(c.errs, "  pages     %s\n", origin)
	}
	fmt.Fprintf(c.errs, "Ctrl-C stops it. What happens is logged here; --log-level warn leaves the requests out.\n")
	return nil
}

// showDemo prints how to use the demo business, as it can be pasted.
func (c *invocation) showDemo(account demo.Account, url string) error {
	_, err := fmt.Fprintf(c.out, `
Open %s in a browser and log in:

  email     %s
  password  %s

To try the API, paste these two lines into another terminal, and go on as in README.md:

URL=%s
TOKEN=%s

`, url, account.Email, account.Password, url, account.Token)
	return err
}

// whole is a database's address, with the whole path of a file and without a password.
func whole(db string) string {
	if path, sqlite := strings.CutPrefix(db, "sqlite:"); sqlite {
		if path, err := filepath.Abs(strings.TrimPrefix(path, "//")); err == nil {
			return "sqlite:" + path
		}
	}
	return shown(db)
}

// onTerminal tells whether what is written there is read by a person at once.
func onTerminal(out any) bool {
	file, ok := out.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
