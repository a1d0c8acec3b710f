package bench

import (
	"fmt"
	"io"
	"math"
	"slices"
	"time"
)

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func (r *Row) fill(m measured, cpu time.Duration, allocs uint64) {
	slices.Sort(m.latencies)
	r.PerSecond, r.P50Ms, r.P99Ms = m.perSecond(), ms(m.percentile(0.5)), ms(m.percentile(0.99))
	if m.requests > 0 {
		r.CPUMs, r.Allocs, r.AnswerSize = ms(cpu)/float64(m.requests), float64(allocs)/float64(m.requests), m.bytes/m.requests
	}
}

// compare fills in what follows from the rows together.
func (r *Result) compare() {
	plain := 0.0
	for _, row := range r.Rows {
		r.PeakMB = max(r.PeakMB, row.RSSMB)
		if row.Operation == firstPage {
			plain = row.CPUMs
		}
	}
	for i := range r.Rows {
		if plain > 0 {
			r.Rows[i].CPUTimes = r.Rows[i].CPUMs / plain
		}
	}
}

// Table prints a result for people.
func (r *Result) Table(w io.Writer) {
	fmt.Fprintf(w, "%s, %d contacts in %d businesses, the largest with %d and %d deals; %s, %d cores, server and load on the same "+
		"machine\n", r.Database, r.Contacts, r.Businesses, r.Largest, r.Deals, r.Go, r.Cores)
	if r.Disorder > 0 {
		fmt.Fprintf(w, "%.0f %% of the contacts were brought in after younger ones\n", 100*r.Disorder)
	}
	fmt.Fprintf(w, "loaded in %.1f s; start to first answer %.0f ms", r.LoadedIn, r.StartMs)
	if r.StartNewMs > 0 {
		fmt.Fprintf(w, " (%.0f ms on no database)", r.StartNewMs)
	}
	fmt.Fprintf(w, "; memory idle %.0f MB, at most %.0f MB\n", r.IdleMB, r.PeakMB)
	if len(r.Ways) > 0 {
		fmt.Fprintf(w, "%s loaded in %.1f s\n", r.Ways[0], r.PeerLoadedIn)
	}
	fmt.Fprintln(w)
	fmt.Fprintf(w, "%-46s %9s %8s %8s %9s %9s %8s %7s %10s %9s %11s", "operation", "req/s", "p50 ms", "p99 ms", "cpu ms/r", "× page 1",
		"alloc/r", "RSS MB", "floor r/s", "of floor", "alone p99")
	for _, way := range r.Ways {
		fmt.Fprintf(w, " %16s %7s", way+" r/s", "times")
	}
	fmt.Fprintln(w)
	for _, row := range r.Rows {
		floor, share, alone, times := "", "", "", ""
		if row.CPUTimes > 0 {
			times = fmt.Sprintf("%.1f", row.CPUTimes)
		}
		if row.Floor > 0 {
			floor, share = fmt.Sprintf("%.0f", row.Floor), fmt.Sprintf("%.2f", row.OfFloor)
		}
		if row.Unloaded > 0 {
			alone = fmt.Sprintf("%.2f ms", row.Unloaded)
		}
		fmt.Fprintf(w, "%-46s %9.0f %8.2f %8.2f %9.3f %9s %8.0f %7.0f %10s %9s %11s", row.Operation, row.PerSecond, row.P50Ms, row.P99Ms,
			row.CPUMs, times, row.Allocs, row.RSSMB, floor, share, alone)
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
	for _, row := range r.Rows {
		if row.Times > 0 && row.Operation != deepPage {
			fmt.Fprintf(w, "%s: %.2f × %s\n", row.Operation, row.Times, row.Beside)
		}
	}
	fmt.Fprintln(w)
}

// depth is by how much longer the thousandth page takes than the first, which was asked for in the same turns.
func (r *Result) depth() (share float64, ok bool) {
	for _, row := range r.Rows {
		if row.Operation == deepPage {
			return row.BesidePerSecond/row.PerSecond - 1, row.BesidePerSecond > 0 && row.PerSecond > 0
		}
	}
	return 0, false
}
