// Package bench measures kith over real HTTP, beside its floor: a bare handler that runs the same SQL on the same driver. It compares
// within one run, because only ratios hold from machine to machine.
package bench

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"kith/internal/crm"
	"kith/internal/schema"
	"kith/internal/store"
)

// Options are what can be asked of a run.
type Options struct {
	// Program is the kith to measure.
	Program string
	// Postgres is the server in which Run makes a database of its own; it uses a temporary SQLite file when empty.
	Postgres    string
	Contacts    int
	Businesses  int
	Connections int
	// Each is how long an operation is measured, Mix how long the mix runs.
	Each, Mix time.Duration
	// Growth are the numbers of contacts at which RunGrowth measures.
	Growth []int
	// Only runs the operations whose name contains it.
	Only string
	// JSON is where the results are written, or empty.
	JSON string
	Out  io.Writer
	// Peer is another product to measure beside kith, or nil.
	Peer Peer
}

// Flags declares the options that every run takes.
func (o *Options) Flags(flags *flag.FlagSet) {
	flags.IntVar(&o.Contacts, "contacts", 200_000, "how many contacts to load")
	flags.IntVar(&o.Businesses, "businesses", 20, "over how many businesses; the largest gets three tenths")
	flags.IntVar(&o.Connections, "connections", 16, "how many keep-alive connections to drive")
	flags.DurationVar(&o.Each, "each", 6*time.Second, "how long to measure an operation")
	flags.StringVar(&o.Only, "only", "", "run only operations whose name contains this")
	flags.StringVar(&o.JSON, "out", "", "write the results to this JSON file")
}

// Row is one line of the table.
type Row struct {
	Operation  string  `json:"operation"`
	PerSecond  float64 `json:"requests_per_second"`
	P50Ms      float64 `json:"p50_ms"`
	P99Ms      float64 `json:"p99_ms"`
	CPUMs      float64 `json:"cpu_ms_per_request"`
	RSSMB      float64 `json:"rss_mb"`
	Allocs     float64 `json:"allocations_per_request"`
	Floor      float64 `json:"floor_requests_per_second,omitempty"`
	OfFloor    float64 `json:"share_of_floor,omitempty"`
	Unloaded   float64 `json:"unloaded_p99_ms,omitempty"`
	AnswerSize int64   `json:"answer_bytes"`
	// Beside is, for the 1,000th page, the first page in the same turns.
	Beside float64 `json:"first_page_requests_per_second,omitempty"`
	// Peer has a row for each way in which the peer was asked.
	Peer []PeerRow `json:"peer,omitempty"`
}

// Result is all of a run.
type Result struct {
	Date       time.Time `json:"date"`
	Go         string    `json:"go"`
	Cores      int       `json:"cores"`
	Database   string    `json:"database"`
	Contacts   int       `json:"contacts"`
	Businesses int       `json:"businesses"`
	Largest    int       `json:"largest_business"`
	LoadedIn   float64   `json:"loaded_in_seconds"`
	StartMs    float64   `json:"start_to_first_answer_ms"`
	StartNewMs float64   `json:"start_on_no_database_ms,omitempty"`
	IdleMB     float64   `json:"idle_rss_mb"`
	PeakMB     float64   `json:"peak_rss_mb"`
	// Ways are the columns of the peer.
	Ways         []string `json:"peer_ways,omitempty"`
	PeerLoadedIn float64  `json:"peer_loaded_in_seconds,omitempty"`
	Rows         []Row    `json:"operations"`
}

// Run loads a set, starts kith and the floor on it, and measures.
func Run(ctx context.Context, o Options) (*Result, error) {
	dir, err := os.MkdirTemp("", "kith-bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	url := "sqlite:" + filepath.Join(dir, "bench.db")
	if o.Postgres != "" {
		var drop func()
		if url, drop, err = newDatabase(ctx, o.Postgres); err != nil {
			return nil, err
		}
		defer drop()
	}
	build, err := buildinfo.ReadFile(o.Program)
	if err != nil {
		return nil, err
	}
	result := &Result{Date: time.Now().UTC(), Go: build.GoVersion, Cores: runtime.NumCPU(), Contacts: o.Contacts, Businesses: o.Businesses}
	begin := time.Now()
	set, _, err := loadSet(ctx, url, sizes(o.Contacts, o.Businesses), o.Out)
	if err != nil {
		return nil, err
	}
	result.LoadedIn, result.Largest = time.Since(begin).Seconds(), set.Size
	result.Database, _, _ = strings.Cut(url, ":")
	if o.Postgres == "" {
		fresh, err := start(ctx, "/healthz", o.Program, "serve", "--db", "sqlite:"+filepath.Join(dir, "none.db"))
		if err != nil {
			return nil, err
		}
		result.StartNewMs = ms(fresh.started)
		fresh.stop()
	}
	kith, err := start(ctx, "/healthz", o.Program, "serve", "--db", url)
	if err != nil {
		return nil, err
	}
	defer kith.stop()
	result.StartMs, result.IdleMB = ms(kith.started), kith.memory()
	floor, err := start(ctx, "/", o.Program, "bench-floor", "--db", url, "--business", schema.FormatID("business", set.business.ID()), "--record", set.ids[0])
	if err != nil {
		return nil, err
	}
	defer floor.stop()
	var peer *process
	if o.Peer != nil {
		result.Ways = o.Peer.Ways()
		if peer, err = o.startPeer(ctx, url, result); err != nil {
			return nil, err
		}
		defer peer.stop()
	}
	t := target{addr: kith.addr, token: set.token}
	ops, err := operations(ctx, t, set)
	if err != nil {
		return nil, err
	}
	for i, op := range ops {
		if !strings.Contains(op.name, o.Only) {
			continue
		}
		fmt.Fprintf(o.Out, "\r\033[K%d of %d: %s", i+1, len(ops), op.name)
		row, err := o.measure(ctx, kith, floor, peer, op)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", op.name, err)
		}
		result.Rows = append(result.Rows, row)
		result.PeakMB = max(result.PeakMB, row.RSSMB)
	}
	if o.Mix > 0 && strings.Contains(mixName, o.Only) {
		fmt.Fprintf(o.Out, "\r\033[Kmix for %v", o.Mix)
		row, err := o.mix(ctx, kith, ops)
		if err != nil {
			return nil, fmt.Errorf("mix: %w", err)
		}
		result.Rows = append(result.Rows, row)
		result.PeakMB = max(result.PeakMB, row.RSSMB)
	}
	fmt.Fprint(o.Out, "\r\033[K")
	return result, nil
}

// Save writes results to a JSON file, where one is named.
func Save(file string, results any) error {
	if file == "" {
		return nil
	}
	text, err := json.MarshalIndent(results, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}

// loadSet makes the database, fills it with businesses of the given sizes, and gives the first and the last.
func loadSet(ctx context.Context, url string, sizes []int, out io.Writer) (first, last *Set, err error) {
	s, err := store.Open(ctx, url, crm.Registry)
	if err != nil {
		return nil, nil, err
	}
	defer s.Close()
	if _, err := s.Migrate(ctx); err != nil {
		return nil, nil, err
	}
	engine, err := crm.NewEngine(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	contacts := 0
	for _, size := range sizes {
		contacts += size
	}
	first, last, err = fill(ctx, engine, sizes, func(done int) {
		fmt.Fprintf(out, "\r\033[Kloading: %d of %d contacts", done, contacts)
	})
	if err != nil {
		return nil, nil, err
	}
	return first, last, s.Tidy(ctx)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// inTurn gives requests one after the other, from one load to the next, so that no turn repeats another's patches.
func inTurn(requests []request) func(int64) request {
	var sent atomic.Int64
	return func(int64) request { return requests[int(sent.Add(1))%len(requests)] }
}

// turns is how often the servers that are compared take turns.
const turns = 3

// measure runs one operation against the floor, kith and the peer in turns, so that all meet the machine in the same mood.
func (o Options) measure(ctx context.Context, kith, floor, peer *process, op operation) (Row, error) {
	row := Row{Operation: op.name}
	peerLoads, err := o.peerLoads(kith, peer, &op)
	if err != nil {
		return row, err
	}
	floorRequests, err := floor.teach(ctx, op)
	if err != nil {
		return row, err
	}
	mine := load{addr: kith.addr, connections: o.Connections, next: inTurn(op.requests)}
	theirs := load{addr: floor.addr, connections: o.Connections, next: inTurn(floorRequests)}
	for _, warm := range append([]load{mine, theirs}, peerLoads...) {
		warm.duration = o.Each / 5
		if len(floorRequests) == 0 && warm.addr == floor.addr {
			continue
		}
		if _, err := warm.run(ctx); err != nil {
			return row, err
		}
	}
	parts := time.Duration(1)
	if len(op.beside) > 0 {
		parts = 5 // they differ by little, so they take turns more often
	}
	mine.duration = o.Each / turns / parts
	beside := load{addr: kith.addr, connections: o.Connections, duration: mine.duration, next: inTurn(op.beside)}
	var all, other measured
	var floorCount int64
	var floorTime time.Duration
	var cpuUsed time.Duration
	var allocsUsed uint64
	peers := make([]measured, len(peerLoads))
	for range turns {
		if len(floorRequests) > 0 {
			theirs.duration = o.Each / turns
			m, err := theirs.run(ctx)
			if err != nil {
				return row, fmt.Errorf("floor: %w", err)
			}
			floorCount, floorTime = floorCount+m.requests, floorTime+m.elapsed
		}
		for range parts {
			cpu, allocs := kith.cpu(), kith.allocations()
			m, err := mine.run(ctx)
			if err != nil {
				return row, err
			}
			cpuUsed, allocsUsed = cpuUsed+kith.cpu()-cpu, allocsUsed+kith.allocations()-allocs
			all.add(m)
			if len(op.beside) > 0 {
				if m, err = beside.run(ctx); err != nil {
					return row, err
				}
				other.add(m)
			}
		}
		for way, l := range peerLoads {
			l.duration = o.Each / turns
			m, err := l.run(ctx)
			if err != nil {
				return row, fmt.Errorf("%s: %w", o.Peer.Ways()[way], err)
			}
			peers[way].add(m)
		}
	}
	row.fill(all, cpuUsed, allocsUsed)
	for way, m := range peers {
		slices.Sort(m.latencies)
		row.Peer = append(row.Peer, PeerRow{o.Peer.Ways()[way], m.perSecond(), ms(m.percentile(0.5)), ms(m.percentile(0.99)), row.PerSecond / m.perSecond()})
	}
	row.RSSMB = kith.memory()
	if len(op.beside) > 0 {
		row.Beside = other.perSecond()
	}
	if floorCount > 0 {
		row.Floor = float64(floorCount) / floorTime.Seconds()
		row.OfFloor = row.PerSecond / row.Floor
	}
	if !op.writes {
		alone := load{addr: kith.addr, connections: 1, duration: o.Each / 3, next: inTurn(op.requests)}
		m, err := alone.run(ctx)
		if err != nil {
			return row, err
		}
		row.Unloaded = ms(m.percentile(0.99))
	}
	return row, nil
}

func (r *Row) fill(m measured, cpu time.Duration, allocs uint64) {
	slices.Sort(m.latencies)
	r.PerSecond, r.P50Ms, r.P99Ms = m.perSecond(), ms(m.percentile(0.5)), ms(m.percentile(0.99))
	if m.requests > 0 {
		r.CPUMs, r.Allocs, r.AnswerSize = ms(cpu)/float64(m.requests), float64(allocs)/float64(m.requests), m.bytes/m.requests
	}
}

const mixName = "mix, 80 % reads"

// mix sends four reads for one write.
func (o Options) mix(ctx context.Context, kith *process, ops []operation) (Row, error) {
	var reads, writes []request
	for _, op := range ops {
		few := op.requests[:min(64, len(op.requests))]
		switch {
		case op.writes:
			writes = append(writes, few...)
		case !strings.Contains(op.name, "oldest"):
			for i := range 64 {
				reads = append(reads, few[i%len(few)])
			}
		}
	}
	cpu, allocs := kith.cpu(), kith.allocations()
	m, err := load{addr: kith.addr, connections: o.Connections, duration: o.Mix, next: func(n int64) request {
		if n%5 == 4 {
			return writes[int(n/5)%len(writes)]
		}
		return reads[int(n*7919)%len(reads)]
	}}.run(ctx)
	row := Row{Operation: mixName}
	row.fill(m, kith.cpu()-cpu, kith.allocations()-allocs)
	row.RSSMB = kith.memory()
	return row, err
}

// teach lets the floor learn an operation and gives the requests that it answers in the same way.
func (p *process) teach(ctx context.Context, op operation) ([]request, error) {
	if op.writes {
		if op.name != "create" {
			return nil, nil
		}
		return []request{newRequest("POST", p.addr, "/create", "", []byte(`{}`))}, nil
	}
	lesson := Lesson{}
	for _, r := range op.requests[:min(512, len(op.requests))] {
		lesson.Requests = append(lesson.Requests, r)
	}
	text, err := json.Marshal(lesson)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "POST", "http://"+p.debug+"/learn", bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		reason, _ := io.ReadAll(answer.Body)
		return nil, fmt.Errorf("the floor could not learn: %s", reason)
	}
	if err := json.NewDecoder(answer.Body).Decode(&lesson); err != nil {
		return nil, err
	}
	requests := make([]request, len(lesson.Paths))
	for i, path := range lesson.Paths {
		requests[i] = newRequest("GET", p.addr, path, "", nil)
	}
	return requests, nil
}

// Table prints a result for people.
func (r *Result) Table(w io.Writer) {
	fmt.Fprintf(w, "%s, %d contacts in %d businesses, the largest with %d; %s, %d cores, server and load on the same machine\n", r.Database, r.Contacts, r.Businesses, r.Largest, r.Go, r.Cores)
	fmt.Fprintf(w, "loaded in %.1f s; start to first answer %.0f ms", r.LoadedIn, r.StartMs)
	if r.StartNewMs > 0 {
		fmt.Fprintf(w, " (%.0f ms on no database)", r.StartNewMs)
	}
	fmt.Fprintf(w, "; memory idle %.0f MB, at most %.0f MB\n", r.IdleMB, r.PeakMB)
	if len(r.Ways) > 0 {
		fmt.Fprintf(w, "%s loaded in %.1f s\n", r.Ways[0], r.PeerLoadedIn)
	}
	fmt.Fprintln(w)
	fmt.Fprintf(w, "%-46s %9s %8s %8s %9s %8s %7s %10s %9s %11s", "operation", "req/s", "p50 ms", "p99 ms", "cpu ms/r", "alloc/r", "RSS MB", "floor r/s", "of floor", "alone p99")
	for _, way := range r.Ways {
		fmt.Fprintf(w, " %16s %7s", way+" r/s", "times")
	}
	fmt.Fprintln(w)
	for _, row := range r.Rows {
		floor, share, alone := "", "", ""
		if row.Floor > 0 {
			floor, share = fmt.Sprintf("%.0f", row.Floor), fmt.Sprintf("%.2f", row.OfFloor)
		}
		if row.Unloaded > 0 {
			alone = fmt.Sprintf("%.2f ms", row.Unloaded)
		}
		fmt.Fprintf(w, "%-46s %9.0f %8.2f %8.2f %9.3f %8.0f %7.0f %10s %9s %11s", row.Operation, row.PerSecond, row.P50Ms, row.P99Ms, row.CPUMs, row.Allocs, row.RSSMB, floor, share, alone)
		for _, peer := range row.Peer {
			fmt.Fprintf(w, " %16.0f %7.1f", peer.PerSecond, peer.Times)
		}
		fmt.Fprintln(w)
	}
	if slower, ok := r.depth(); ok {
		word := "slower"
		if slower < 0 {
			word = "faster"
		}
		fmt.Fprintf(w, "the 1,000th page is %.0f %% %s than the first\n", 100*math.Abs(slower), word)
	}
	fmt.Fprintln(w)
}

// depth is by how much longer the thousandth page takes than the first, which was asked for in the same turns.
func (r *Result) depth() (share float64, ok bool) {
	for _, row := range r.Rows {
		if row.Operation == deepPage {
			return row.Beside/row.PerSecond - 1, row.Beside > 0 && row.PerSecond > 0
		}
	}
	return 0, false
}
