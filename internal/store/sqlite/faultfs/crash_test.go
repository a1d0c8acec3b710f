package faultfs_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	"github.com/kith-crm/kith/internal/store/sqlite/faultfs"
	"github.com/kith-crm/kith/internal/testworld"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// seedVariable has a test do again what has failed, by what it has printed.
const seedVariable = "KITH_TEST_SEED"

// replayed gives the numbers of the seed that is to be done again, which begins with a name. others tells that it is another test's.
func replayed(t *testing.T, name string, count int) (numbers []int, others bool) {
	t.Helper()
	seed := os.Getenv(seedVariable)
	if seed == "" {
		return nil, false
	}
	parts := strings.Split(seed, "/")
	if parts[0] != name {
		return nil, true
	}
	for _, part := range parts[1:] {
		n, err := strconv.Atoi(part)
		if err != nil {
			t.Fatalf("%s=%s: %v", seedVariable, seed, err)
		}
		numbers = append(numbers, n)
	}
	if len(numbers) != count {
		t.Fatalf("%s=%s has %d numbers, and a %s has %d", seedVariable, seed, len(numbers), name, count)
	}
	return numbers, false
}

// campaign is what was recorded of a world, and what follows from that.
type campaign struct {
	record  *faultfs.Record
	acks    []ack
	refused []ack
	token   string
	commits []int
	// states are the contents of the database after commits.
	states map[int]uint64
	// whole are the states whose database was checked as a whole, and found right.
	whole map[uint64]bool
}

// begun counts the runs. Each begins a day later than the one before, far from today: ids of one process rise, whatever the clock says.
var begun int

// recorded runs a world by a clock and by chances of its own, so that the same seed has the same run.
func recorded(t *testing.T, seed int, run func(t *testing.T, w *world)) *campaign {
	t.Helper()
	begun++
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // who comes first would be up to chance
	cryptotest.SetGlobalRandom(t, uint64(seed))
	folder, w := t.TempDir(), &world{}
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2050, 1, begun, 0, 0, 0, 0, time.UTC)))
		w.path, w.fs = filepath.Join(folder, "kith.db"), faultfs.Watch(t, folder)
		run(t, w)
	})
	if t.Failed() {
		t.FailNow()
	}
	return newCampaign(w.fs.Record(), w)
}

func newCampaign(record *faultfs.Record, w *world) *campaign {
	return &campaign{
		record: record, acks: w.acks, refused: w.refused, token: w.token, commits: record.Commits(),
		states: map[int]uint64{}, whole: map[uint64]bool{},
	}
}

var hashSeed = maphash.MakeSeed()

// recovered has SQLite alone bring a database into order, and gives all of its pages.
func recovered(folder string) ([]byte, error) {
	path := filepath.Join(folder, "kith.db")
	if info, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		if wal, err := os.Stat(path + "-wal"); err != nil || wal.Size() == 0 {
			return nil, nil
		}
	}
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		return nil, err
	}
	// This reads the first page, for which it looks whether there is a log. Its last connection brings that into the database.
	err = errors.Join(sqlitex.ExecuteTransient(c, "PRAGMA schema_version", nil), c.Close())
	if err != nil {
		return nil, err
	}
	if log, err := os.Stat(path + "-wal"); err == nil && log.Size() > 0 {
		return nil, errors.New("its log cannot be brought into it")
	}
	return os.ReadFile(path)
}

// state is the database after a commit.
func (c *campaign) state(t *testing.T, commit int) uint64 {
	t.Helper()
	state, known := c.states[commit]
	if !known {
		folder := t.TempDir()
		err := c.record.Kill(commit).Write(folder)
		content := []byte(nil)
		if err == nil {
			content, err = recovered(folder)
		}
		if err != nil {
			t.Fatalf("after %d calls, and nothing lost: %v", commit, err)
		}
		state = maphash.Bytes(hashSeed, content)
		c.states[commit] = state
		os.RemoveAll(folder)
	}
	return state
}

// crash crashes the machine after so many calls, with what the disk holds then by luck, and tells what is wrong with that. The database
// must be to the byte as one of its transactions has left it: the last that was acknowledged, or one that came after it.
func (c *campaign) crash(t *testing.T, calls, luck int, whole bool) (wrong []string) {
	t.Helper()
	left := c.record.Crash(calls, rand.New(rand.NewPCG(uint64(calls), uint64(luck))))
	folder := t.TempDir()
	defer os.RemoveAll(folder)
	if err := left.Write(folder); err != nil {
		t.Fatal(err)
	}
	content, err := recovered(folder)
	if err != nil {
		return []string{"SQLite cannot open it: " + err.Error()}
	}
	state := maphash.Bytes(hashSeed, content)
	acks := c.acks[:sort.Search(len(c.acks), func(i int) bool { return c.acks[i].calls > calls })]
	from := 0
	if len(acks) > 0 {
		last := acks[len(acks)-1]
		from = last.calls
		if last.mark != "" && !bytes.Contains(content, []byte(last.mark)) {
			wrong = append(wrong, fmt.Sprintf("it lacks %q of %s, which was acknowledged", last.mark, last.what))
		}
	}
	first := max(0, sort.SearchInts(c.commits, from+1)-1)
	possible := c.commits[first:sort.SearchInts(c.commits, calls+1)]
	if !slices.ContainsFunc(possible, func(commit int) bool { return c.state(t, commit) == state }) {
		wrong = append(wrong, fmt.Sprintf("it is as after none of the transactions that end with the calls %v", possible))
	}
	if whole && !c.whole[state] && len(wrong) == 0 {
		if err := errors.Join(os.RemoveAll(folder), os.Mkdir(folder, 0o700), left.Write(folder)); err != nil {
			t.Fatal(err)
		}
		open := append(slices.Clone(c.acks[len(acks):min(len(acks)+1, len(c.acks))]), c.refused...)
		wrong = checked(t, folder, c.token, acks, open)
		c.whole[state] = len(wrong) == 0
	}
	return wrong
}

// acknowledgedTooSoon are the writes that were acknowledged before a transaction of theirs was complete, and those that had several, so
// that a crash between them would leave one by half.
func (c *campaign) acknowledgedTooSoon() (wrong []string) {
	for _, k := range c.acks {
		switch n := sort.SearchInts(c.commits, k.calls+1) - sort.SearchInts(c.commits, k.from+1); {
		case n == 0 && !k.again:
			wrong = append(wrong, fmt.Sprintf("%s was acknowledged after %d calls, before it was committed", k.what, k.calls))
		case n > 1 && k.one:
			wrong = append(wrong, fmt.Sprintf("%s has %d transactions up to call %d", k.what, n, k.calls))
		}
	}
	return wrong
}

// point is where a machine crashes, and by which luck.
type point struct{ calls, luck int }

// points are so many of a record by a seed, in order.
func (c *campaign) points(seed, count int) []point {
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	all := make([]point, count)
	for n := range all {
		all[n] = point{random.IntN(len(c.record.Ops) + 1), random.IntN(1 << 30)}
	}
	slices.SortFunc(all, func(a, b point) int { return a.calls - b.calls })
	return all
}

// worlds are the runs that are recorded.
var worlds = map[string]func(t *testing.T, w *world){
	"everything": everything,
	"fresh":      func(t *testing.T, w *world) { w.opened(t); w.business(t); w.close(t) },
	"upgrade":    func(t *testing.T, w *world) { w.begin(t, upgraded(t)); w.opened(t); w.close(t) },
}

func everything(t *testing.T, w *world) {
	w.begin(t, migratedFile(t))
	w.opened(t)
	w.business(t)
	w.everyPath(t)
}

// migratedFile is a database of today's layout with nothing in it.
func migratedFile(t *testing.T) []byte {
	t.Helper()
	file, err := os.ReadFile(strings.TrimPrefix(testworld.Database(t, "sqlite"), "sqlite:"))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// upgraded is a database as an early release has left it.
func upgraded(t *testing.T) []byte {
	t.Helper()
	file, err := os.Open("../../../../cmd/kith/testdata/upgrade/0005.sqlite.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	in, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// After a crash at any time the database is whole, every write that was acknowledged is there, and none is there by half.
func TestCrashesLoseNothing(t *testing.T) {
	for name, run := range worlds {
		t.Run(name, func(t *testing.T) {
			again, others := replayed(t, name, 3)
			if others {
				t.Skip("the seed is another test's")
			}
			if again != nil {
				recorded(t, again[0], run).holds(t, name, again[0], []point{{again[1], again[2]}}, 1)
				return
			}
			for seed := 1; seed <= recordings; seed++ {
				c := theSound
				if seed != 1 || name != "everything" || c == nil {
					c = recorded(t, seed, run)
				}
				if seed == 1 && name == "everything" {
					theSound = c
				}
				for _, wrong := range c.acknowledgedTooSoon() {
					t.Error(wrong)
				}
				c.holds(t, name, seed, c.campaignPoints(seed), wholeEvery)
			}
		})
	}
}

// holds crashes at some points, and tells the seeds of those that show something wrong.
func (c *campaign) holds(t *testing.T, name string, seed int, points []point, wholeEvery int) {
	t.Helper()
	for n, p := range points {
		if wrong := c.crash(t, p.calls, p.luck, n%wholeEvery == 0); len(wrong) > 0 {
			t.Errorf("make replay SEED=%s/%d/%d/%d\n%s", name, seed, p.calls, p.luck, strings.Join(wrong, "\n"))
		}
	}
	t.Logf("%d calls, %d acknowledged writes, %d crashes, %d states checked as a whole", len(c.record.Ops), len(c.acks), len(points),
		len(c.whole))
}

// sound is the run of everything with the first seed, which is recorded once.
func sound(t *testing.T) *campaign {
	t.Helper()
	if theSound == nil {
		theSound = recorded(t, 1, everything)
	}
	return theSound
}

var theSound *campaign

// The same seed has the same run, call by call: or it would not show again what it has shown.
func TestSeedsRepeat(t *testing.T) {
	first, second := sound(t), recorded(t, 1, everything)
	for n, op := range first.record.Ops[:min(len(first.record.Ops), len(second.record.Ops))] {
		if op.String() != second.record.Ops[n].String() {
			t.Fatalf("call %d is %v, and then %v", n, op, second.record.Ops[n])
		}
	}
	if a, b := len(first.record.Ops), len(second.record.Ops); a != b {
		t.Errorf("%d calls, and then %d", a, b)
	}
}

// The crashes are only worth something if they find what is wrong. Each fault is found by a seed that does not change.
func TestPlantedFaultsAreFound(t *testing.T) {
	sound := sound(t)
	syncOf := func(file string) func(faultfs.Op) bool {
		return func(op faultfs.Op) bool { return op.Kind == faultfs.Sync && strings.HasSuffix(op.File, file) }
	}
	for name, plant := range map[string]func(c *campaign){
		"a disk that syncs nothing, as with synchronous=OFF": func(c *campaign) { c.record = c.record.Without(syncOf("")) },
		"a log that is not synced, as with synchronous=NORMAL": func(c *campaign) {
			c.record = c.record.Without(syncOf("-wal"))
		},
		"a log that begins anew before the database is synced": func(c *campaign) {
			c.record = c.record.Without(syncOf(".db"))
		},
		"syncs that fail and do not tell": func(c *campaign) {
			c.record = c.record.Without(func(faultfs.Op) bool { return false })
			for n := range c.record.Ops {
				if op := &c.record.Ops[n]; op.Kind == faultfs.Sync {
					op.Kind = faultfs.FailedSync
				}
			}
		},
		"answers that do not wait for the disk": func(c *campaign) {
			for n, k := range c.acks {
				for c.record.Ops[c.acks[n].calls-1].Kind == faultfs.Sync && c.acks[n].calls > k.from {
					c.acks[n].calls--
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := *sound
			c.acks = slices.Clone(c.acks)
			plant(&c)
			for n, p := range c.points(1, 200) {
				if wrong := c.crash(t, p.calls, p.luck, false); len(wrong) > 0 {
					t.Logf("crash %d: %s", n+1, wrong[0])
					return
				}
			}
			t.Error("it is not found")
		})
	}
	t.Run("answers before the transaction", func(t *testing.T) {
		c := *sound
		c.acks = slices.Clone(c.acks)
		c.acks[3].calls = c.acks[3].from
		if wrong := c.acknowledgedTooSoon(); len(wrong) != 1 {
			t.Error(wrong)
		}
	})
	t.Run("a write of two transactions", func(t *testing.T) {
		c := *sound
		c.acks = slices.Clone(c.acks)
		c.acks[3].from = c.acks[2].from
		if wrong := c.acknowledgedTooSoon(); len(wrong) != 1 {
			t.Error(wrong)
		}
	})
}
