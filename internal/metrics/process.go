package metrics

import (
	"math"
	"os"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"
)

var started = time.Now()

// runtimeFamilies are what the Go runtime tells of itself.
var runtimeFamilies = []struct{ sample, name, kind, help string }{
	{"/sched/goroutines:goroutines", "go_goroutines", Gauge, "Goroutines that exist."},
	{"/sched/gomaxprocs:threads", "go_max_procs", Gauge, "Processors that run Go code at once."},
	{"/memory/classes/heap/objects:bytes", "go_heap_objects_bytes", Gauge, "Memory of objects, used or not collected yet."},
	{"/memory/classes/total:bytes", "go_memory_bytes", Gauge, "All memory that the Go runtime has from the system."},
	{"/gc/cycles/total:gc-cycles", "go_gc_cycles_total", Counter, "Garbage collections."},
	{
		"/cpu/classes/gc/total:cpu-seconds", "go_gc_cpu_seconds_total", Counter,
		"Processor time of the garbage collector, as estimated by the runtime.",
	},
}

// Process tells what the process takes of the machine.
func (p *Page) Process() {
	samples := make([]metrics.Sample, len(runtimeFamilies))
	for i, f := range runtimeFamilies {
		samples[i].Name = f.sample
	}
	metrics.Read(samples)
	for i, f := range runtimeFamilies {
		value := math.NaN()
		switch v := samples[i].Value; v.Kind() {
		case metrics.KindUint64:
			value = float64(v.Uint64())
		case metrics.KindFloat64:
			value = v.Float64()
		}
		p.One(f.name, f.kind, f.help, value)
	}
	p.One("process_start_time_seconds", Gauge, "When the process began, in seconds since 1970.", float64(started.UnixMilli())/1000)
	// Where there is no such file, the system is another than Linux, and the rest is left out.
	if open, err := os.ReadDir("/proc/self/fd"); err == nil {
		p.One("process_open_fds", Gauge, "Files and connections that are open.", float64(len(open)))
	}
	if text, err := os.ReadFile("/proc/self/statm"); err == nil {
		if of := strings.Fields(string(text)); len(of) > 1 {
			if pages, err := strconv.ParseFloat(of[1], 64); err == nil {
				p.One("process_resident_memory_bytes", Gauge, "Memory that lies in the machine's.", pages*float64(os.Getpagesize()))
			}
		}
	}
}
