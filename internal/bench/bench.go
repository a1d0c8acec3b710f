// Package bench measures kith over real HTTP, beside its floor: a bare handler that runs the same SQL on the same driver. It compares
// within one run, because only ratios hold from machine to machine.
package bench

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/wiring"
)

// Options are what can be asked of a run.
type Options struct {
	// Program is the kith to measure.
	Program string
	// Postgres is the server in which Run makes a database of its own; it uses a temporary SQLite file when empty.
	Postgres   string
	Contacts   int
	Businesses int
	// Deals is how many deals the largest business has; 0 is a tenth of its contacts.
	Deals       int
	Connections int
	// Each is how long an operation is measured, Mix how long the mix runs.
	Each, Mix time.Duration
	// Growth are the numbers of contacts at which RunGrowth measures.
	Growth []int
	// Disorder is the share of the contacts that are brought in after younger ones.
	Disorder float64
	// Only runs the operations whose name contains it.
	Only string
	// JSON is where the results are written, or empty.
	JSON string
	// Out is where people see how far a run is; nil where nobody looks.
	Out io.Writer
	// Peer is another product to measure beside kith, or nil.
	Peer Peer
}

// Flags declares the options that every run takes.
func (o *Options) Flags(flags *flag.FlagSet) {
	flags.IntVar(&o.Contacts, "contacts", 200_000, "how many contacts to load")
	flags.IntVar(&o.Businesses, "businesses", 20, "over how many businesses; the largest gets three tenths")
	flags.IntVar(&o.Deals, "deals", 0, "how many deals the largest business has; 0 is one for every ten of its contacts")
	flags.IntVar(&o.Connections, "connections", 16, "how many keep-alive connections to drive")
	flags.DurationVar(&o.Each, "each", 6*time.Second, "how long to measure an operation")
	flags.Func("disorder", "the share of the contacts, from 0 to 1, that are brought in after younger ones; none when not given",
		func(text string) error {
			share, err := strconv.ParseFloat(text, 64)
			if err != nil || !(share >= 0 && share <= 1) { // also what is not a number
				return errors.New("must be from 0 to 1")
			}
			o.Disorder = share
			return nil
		})
	flags.StringVar(&o.Only, "only", "", "run only operations whose name contains this")
	flags.StringVar(&o.JSON, "out", "", "write the results to this JSON file")
}

// Row is one line of the table.
type Row struct {
	Operation string  `json:"operation"`
	PerSecond float64 `json:"requests_per_second"`
	P50Ms     float64 `json:"p50_ms"`
	P99Ms     float64 `json:"p99_ms"`
	CPUMs     float64 `json:"cpu_ms_per_request"`
	// CPUTimes is CPUMs divided by that of the first page.
	CPUTimes   float64 `json:"cpu_times_first_page,omitempty"`
	RSSMB      float64 `json:"rss_mb"`
	Allocs     float64 `json:"allocations_per_request"`
	Floor      float64 `json:"floor_requests_per_second,omitempty"`
	OfFloor    float64 `json:"share_of_floor,omitempty"`
	Unloaded   float64 `json:"unloaded_p99_ms,omitempty"`
	AnswerSize int64   `json:"answer_bytes"`
	// Beside is another operation in the same turns, by its name, and Times how many of its records kith gives or takes for each of
	// that one's.
	Beside          string  `json:"beside,omitempty"`
	BesidePerSecond float64 `json:"beside_requests_per_second,omitempty"`
	Times           float64 `json:"times_beside,omitempty"`
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
	Disorder   float64   `json:"disorder,omitempty"`
	Largest    int       `json:"largest_business"`
	Deals      int       `json:"largest_business_deals"`
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

// progress tells people how far a run is, on one line that each call writes anew.
func (o Options) progress(format string, args ...any) {
	if o.Out != nil {
		fmt.Fprintf(o.Out, "\r\033[K"+format, args...)
	}
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

// loadSet makes the database, fills it with businesses of the given sizes, and gives the first and the last. The first has so many
// deals as the options say. A share of the contacts, the disorder, comes after the others although it is older.
func (o Options) loadSet(ctx context.Context, url string, sizes []int) (first, last *Set, err error) {
	return o.fill(ctx, url, 0, sizes)
}

// loadFields adds the business of custom fields to the database.
func (o Options) loadFields(ctx context.Context, url string, size int) (*Set, error) {
	o.Deals, o.Disorder = 1, 0
	set, _, err := o.fill(ctx, url, fieldsBusiness, []int{size})
	return set, err
}

// fill loads a deterministic set of businesses that are numbered from a number on, and leaves the database tidy.
func (o Options) fill(ctx context.Context, url string, number int, sizes []int) (first, last *Set, err error) {
	s, err := store.Open(ctx, url, record.Registry)
	if err != nil {
		return nil, nil, err
	}
	defer s.Close()
	if _, err := s.Migrate(ctx); err != nil {
		return nil, nil, err
	}
	engine, err := wiring.NewEngine(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	done, contacts := 0, 0
	for _, size := range sizes {
		contacts += size
	}
	for b, size := range sizes {
		f := filler{ctx: ctx, e: engine, number: number + b, deals: max(1, size/contactsPerDeal), disorder: o.Disorder}
		if b == 0 && o.Deals > 0 {
			f.deals = o.Deals
		}
		f.progress = func(more int) {
			done += more
			o.progress("loading: %d of %d contacts", done, contacts)
		}
		if last, err = f.business(size); err != nil {
			return nil, nil, err
		}
		first = cmp.Or(first, last)
	}
	return first, last, s.Tidy(ctx)
}

// run is the servers of a run and what is asked of them.
type run struct {
	Options
	kith, floor, peer *process
}
