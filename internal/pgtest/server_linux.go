package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// programs names the folder with PostgreSQL's programs. scripts/with-postgres sets it.
const programs = "KITH_TEST_POSTGRES_BIN"

// Server is a PostgreSQL server of a test's own, which it can stop, kill and hang. It is gone when the test ends.
type Server struct {
	tb     testing.TB
	bin    string
	dir    string
	owner  *syscall.Credential
	port   int
	main   *exec.Cmd
	ended  chan struct{}
	extras []string
}

// NewServer makes a server and starts it, with settings such as "synchronous_commit=off" besides those that make it fast.
func NewServer(tb testing.TB, settings ...string) *Server {
	tb.Helper()
	s := &Server{tb: tb, bin: bin(tb), owner: owner(tb), extras: settings}
	s.folder()
	s.command("initdb", "-D", s.data(), "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions")
	s.port = freePort(tb)
	s.Start()
	return s
}

// Standby stops the server to copy it, starts it again, and starts the copy, which follows it.
func (s *Server) Standby(name string) *Server {
	s.tb.Helper()
	s.Stop()
	copied := &Server{tb: s.tb, bin: s.bin, owner: s.owner, extras: s.extras}
	copied.folder()
	if out, err := exec.Command("cp", "-a", s.data(), copied.data()).CombinedOutput(); err != nil {
		s.tb.Fatalf("copy the server: %v %s", err, out)
	}
	if err := os.WriteFile(filepath.Join(copied.data(), "standby.signal"), nil, 0o600); err != nil {
		s.tb.Fatal(err)
	}
	copied.extras = append(slices.Clone(s.extras), "synchronous_standby_names=",
		fmt.Sprintf("primary_conninfo=host=127.0.0.1 port=%d user=postgres application_name=%s", s.port, name))
	copied.chown()
	copied.port = freePort(s.tb)
	s.Start()
	copied.Start()
	return copied
}

// Address is where the server listens.
func (s *Server) Address() string { return fmt.Sprintf("127.0.0.1:%d", s.port) }

// URL is that of a database of the server.
func (s *Server) URL(database string) string {
	return "postgres://postgres@" + s.Address() + "/" + database + "?sslmode=disable"
}

// Start starts the server, and waits until it lets somebody in.
func (s *Server) Start() {
	s.tb.Helper()
	settings := []string{
		"listen_addresses=127.0.0.1", fmt.Sprintf("port=%d", s.port), "unix_socket_directories=", "fsync=off", "shared_buffers=32MB",
		"max_connections=60", "logging_collector=off",
		"max_locks_per_transaction=256", "wal_receiver_status_interval=1s", "wal_retrieve_retry_interval=200ms",
	}
	args := []string{"-D", s.data()}
	for _, setting := range append(settings, s.extras...) {
		args = append(args, "-c", setting)
	}
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		s.tb.Fatal(err)
	}
	defer log.Close()
	s.main = exec.Command(filepath.Join(s.bin, "postgres"), args...)
	s.main.Dir, s.main.Stdout, s.main.Stderr = s.dir, log, log
	s.main.SysProcAttr = &syscall.SysProcAttr{Credential: s.owner, Setpgid: true}
	if err := s.main.Start(); err != nil {
		s.tb.Fatalf("start PostgreSQL: %v", err)
	}
	s.ended = make(chan struct{})
	go func(main *exec.Cmd, ended chan struct{}) {
		_ = main.Wait()
		close(ended)
	}(s.main, s.ended)
	for deadline := time.Now().Add(stepTimeout); ; time.Sleep(20 * time.Millisecond) {
		err := execute(s.URL("postgres"), "SELECT 1")
		if err == nil {
			return
		}
		select {
		case <-s.ended:
			err = errors.New("it ended")
		default:
		}
		if time.Now().After(deadline) || err.Error() == "it ended" {
			text, _ := os.ReadFile(filepath.Join(s.dir, "log"))
			s.tb.Fatalf("PostgreSQL does not start: %v\n%s", err, text)
		}
	}
}

// Stop stops the server in good order.
func (s *Server) Stop() { s.finish(syscall.SIGINT) }

// Crash has the server drop everything at once, as `pg_ctl -m immediate` does.
func (s *Server) Crash() { s.finish(syscall.SIGQUIT) }

// Kill kills all processes of the server.
func (s *Server) Kill() {
	all := processes(s.main.Process.Pid)
	signal(all, syscall.SIGKILL)
	<-s.ended
	// Its children are nobody's now, and hold its memory until they are gone.
	for _, pid := range all {
		for deadline := time.Now().Add(stepTimeout); runs(pid) && time.Now().Before(deadline); {
			time.Sleep(5 * time.Millisecond)
		}
	}
}

func (s *Server) finish(signal syscall.Signal) {
	s.tb.Helper()
	if err := s.main.Process.Signal(signal); err != nil {
		s.tb.Fatal(err)
	}
	select {
	case <-s.ended:
	case <-time.After(stepTimeout):
		s.tb.Fatal("PostgreSQL does not stop")
	}
}

// Hang stops every process of the server where it is: connections to it are still taken, and nothing is answered.
func (s *Server) Hang() { signal(processes(s.main.Process.Pid), syscall.SIGSTOP) }

// Resume lets the server go on.
func (s *Server) Resume() {
	all := processes(s.main.Process.Pid)
	slices.Reverse(all)
	signal(all, syscall.SIGCONT)
}

// Promote makes a standby the one to write to.
func (s *Server) Promote() {
	s.tb.Helper()
	if err := execute(s.URL("postgres"), "SELECT pg_promote(true, 30)"); err != nil {
		s.tb.Fatalf("promote the standby: %v", err)
	}
}

// Ask gives what a statement answers, as one text.
func (s *Server) Ask(sql string) (text string) {
	s.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), stepTimeout)
	defer cancel()
	c, err := pgx.Connect(ctx, s.URL("postgres"))
	if err == nil {
		defer c.Close(ctx)
		err = c.QueryRow(ctx, sql).Scan(&text)
	}
	if err != nil {
		s.tb.Fatalf("%s: %v", sql, err)
	}
	return text
}

// Do runs a statement.
func (s *Server) Do(sql string) {
	s.tb.Helper()
	if err := execute(s.URL("postgres"), sql); err != nil {
		s.tb.Fatalf("%s: %v", sql, err)
	}
}

// processes are a server and its children, the first in front.
func processes(server int) []int {
	all := []int{server}
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err == nil && stat(pid, 1) == strconv.Itoa(server) {
			all = append(all, pid)
		}
	}
	return all
}

// signal sends a signal to processes, of which some may have ended by themselves.
func signal(all []int, what syscall.Signal) {
	for _, pid := range all {
		_ = syscall.Kill(pid, what)
	}
}

// stat gives a field behind the name of a process: 0 is its state, 1 its parent.
func stat(pid, field int) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	of := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(of) <= field {
		return ""
	}
	return of[field]
}

// runs tells whether a process is there, and more than a zombie.
func runs(pid int) bool { return syscall.Kill(pid, 0) == nil && stat(pid, 0) != "Z" }

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// folder makes a folder that the server's user can get to.
func (s *Server) folder() {
	s.tb.Helper()
	dir, err := os.MkdirTemp("/tmp", "kith-pg")
	if err != nil {
		s.tb.Fatal(err)
	}
	s.dir = dir
	s.tb.Cleanup(func() {
		if s.main != nil {
			s.Kill()
		}
		_ = os.RemoveAll(dir)
	})
	s.chown()
}

func (s *Server) chown() {
	if s.owner == nil {
		return
	}
	err := filepath.WalkDir(s.dir, func(path string, _ os.DirEntry, err error) error {
		if err == nil {
			err = os.Lchown(path, int(s.owner.Uid), int(s.owner.Gid))
		}
		return err
	})
	if err != nil {
		s.tb.Fatal(err)
	}
}

func (s *Server) command(name string, args ...string) {
	s.tb.Helper()
	c := exec.Command(filepath.Join(s.bin, name), args...)
	c.Dir, c.SysProcAttr = s.dir, &syscall.SysProcAttr{Credential: s.owner}
	if out, err := c.CombinedOutput(); err != nil {
		s.tb.Fatalf("%s: %v %s", name, err, out)
	}
}

// bin is the folder with PostgreSQL's programs.
func bin(tb testing.TB) string {
	tb.Helper()
	folders, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	slices.SortFunc(folders, func(a, b string) int { // the newest release first
		release := func(folder string) int { n, _ := strconv.Atoi(filepath.Base(filepath.Dir(folder))); return n }
		return release(b) - release(a)
	})
	if path, err := exec.LookPath("postgres"); err == nil {
		folders = append(folders, filepath.Dir(path))
	}
	for _, folder := range append([]string{os.Getenv(programs)}, folders...) {
		if _, err := os.Stat(filepath.Join(folder, "initdb")); folder != "" && err == nil {
			return folder
		}
	}
	tb.Fatal("this test starts PostgreSQL servers of its own, " +
		"and finds no initdb: run it with `make test`, or set " + programs + " to the folder of PostgreSQL's programs")
	return ""
}

// owner is whom the server runs as: root may not.
func owner(tb testing.TB) *syscall.Credential {
	tb.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			uid, _ := strconv.ParseUint(u.Uid, 10, 32)
			gid, _ := strconv.ParseUint(u.Gid, 10, 32)
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		}
	}
	tb.Fatal("as root, PostgreSQL needs a user postgres or nobody to run as")
	return nil
}

func freePort(tb testing.TB) int {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
