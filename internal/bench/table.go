package bench

import (
	"fmt"
	"io"
	"math"
)

// fill takes in what was measured, and how much memory the server has now.
func (r *Row) fill(m measured, server *process) {
	r.PerSecond, r.P50Ms, r.P99Ms, r.RSSMB = m.perSecond(), m.percentile(0.5), m.percentile(0.99), server.memory()
	if n := len(m.latencies); n > 0 {
		r.CPUMs, r.Allocs, r.AnswerSize = ms(m.cpu)/float64(n), float64(m.allocs)/float64(n), m.bytes/int64(n)
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
	some := func(format string, number float64) string {
		if number > 0 {
			return fmt.Sprintf(format, number)
		}
		return ""
	}
	for _, row := range r.Rows {
		fmt.Fprintf(w, "%-46s %9.0f %8.2f %8.2f %9.3f %9s %8.0f %7.0f %10s %9s %11s", row.Operation, row.PerSecond, row.P50Ms, row.P99Ms,
			row.CPUMs, some("%.1f", row.CPUTimes), row.Allocs, row.RSSMB, some("%.0f", row.Floor), some("%.2f", row.OfFloor),
			some("%.2f ms", row.Unloaded))
		for _, peer := range row.Peer {
			fmt.Fprintf(w, " %16.0f %7.1f", peer.PerSecond, peer.Times)
		}
		fmt.Fprintln(w)
	}
	for _, row := range r.Rows {
		if row.Operation == deepPage && row.BesidePerSecond > 0 && row.PerSecond > 0 { // it was asked in the same turns as the first
			slower, word := row.BesidePerSecond/row.PerSecond-1, "slower"
			if slower < 0 {
				word = "faster"
			}
			fmt.Fprintf(w, "the 1,000th page is %.0f %% %s than the first\n", 100*math.Abs(slower), word)
		} else if row.Times > 0 {
			fmt.Fprintf(w, "%s: %.2f × %s\n", row.Operation, row.Times, row.Beside)
		}
	}
	fmt.Fprintln(w)
}
