package store

import "sync/atomic"

// Gauge is a figure of how the database runs, for the operator. It tells of no business.
type Gauge struct {
	Name, Help string
	// Total tells that it only grows.
	Total bool
	Value float64
}

// groupCounts counts how writes share transactions.
type groupCounts struct{ groups, writes atomic.Int64 }

// wrote notes a transaction of so many writes.
func (g *groupCounts) wrote(writes int) {
	g.groups.Add(1)
	g.writes.Add(int64(writes))
}

func (g *groupCounts) gauges() []Gauge {
	return []Gauge{
		{"kith_store_writes_total", "Writes of businesses that were done, well or not.", true, float64(g.writes.Load())},
		{
			"kith_store_write_groups_total", "Transactions that they shared: writes by groups is the size of a group.", true,
			float64(g.groups.Load()),
		},
	}
}

// gauges tell how many places there are, and who waits for one.
func (t *turns) gauges(places int) []Gauge {
	t.mu.Lock()
	defer t.mu.Unlock()
	waiting := 0
	for _, p := range t.waiting {
		waiting += len(p.queue)
	}
	return []Gauge{
		{"kith_store_places", "Connections that requests of businesses share.", false, float64(places)},
		{"kith_store_places_taken", "Those that are in use.", false, float64(places - t.free)},
		{"kith_store_places_waiting", "Requests that wait for one.", false, float64(waiting)},
	}
}

// waits counts the jobs in queues.
func waits[K comparable, J any](queues map[K][]J) (n int) {
	for _, queue := range queues {
		n += len(queue)
	}
	return n
}

const (
	queueName = "kith_store_write_queue"
	queueHelp = "Writes that wait for their turn."
)
