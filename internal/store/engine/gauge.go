package engine

import "sync/atomic"

// Gauge is a figure of how the database runs, for the operator. It tells of no business.
type Gauge struct {
	Name, Help string
	// Total tells that it only grows.
	Total bool
	Value float64
}

// NewGauge is a figure that rises and falls, and NewTotal one that only grows.
func NewGauge(name, help string, value float64) Gauge { return Gauge{name, help, false, value} }
func NewTotal(name, help string, value float64) Gauge { return Gauge{name, help, true, value} }

// GroupCounts counts how writes share transactions.
type GroupCounts struct{ Groups, writes atomic.Int64 }

// Wrote notes a transaction of so many writes.
func (g *GroupCounts) Wrote(writes int) {
	g.Groups.Add(1)
	g.writes.Add(int64(writes))
}

func (g *GroupCounts) Gauges() []Gauge {
	return []Gauge{
		{"kith_store_writes_total", "Writes of businesses that were done, well or not.", true, float64(g.writes.Load())},
		{
			"kith_store_write_groups_total", "Transactions that they shared: writes by groups is the size of a group.", true,
			float64(g.Groups.Load()),
		},
	}
}

// Gauges tell how many places there are, and who waits for one.
func (t *Turns) Gauges(places int) []Gauge {
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

// Waits counts the jobs in queues.
func Waits[K comparable, J any](queues map[K][]J) (n int) {
	for _, queue := range queues {
		n += len(queue)
	}
	return n
}

const (
	QueueName = "kith_store_write_queue"
	QueueHelp = "Writes that wait for their turn."
)
