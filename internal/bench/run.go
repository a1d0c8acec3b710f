package bench

import (
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/schema"
)

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
	result := &Result{
		Date: time.Now().UTC(), Go: build.GoVersion, Cores: runtime.NumCPU(),
		Contacts: o.Contacts, Businesses: o.Businesses, Disorder: o.Disorder,
	}
	begin := time.Now()
	set, _, err := o.loadSet(ctx, url, sizes(o.Contacts, o.Businesses))
	if err != nil {
		return nil, err
	}
	var withFields *Set
	if o.asksFields() {
		if withFields, err = o.loadFields(ctx, url, set.Size); err != nil {
			return nil, err
		}
	}
	result.LoadedIn, result.Largest, result.Deals = time.Since(begin).Seconds(), set.Size, len(set.deals)
	result.Database, _, _ = strings.Cut(url, ":")
	if o.Postgres == "" {
		fresh, err := o.serve(ctx, "sqlite:"+filepath.Join(dir, "none.db"))
		if err != nil {
			return nil, err
		}
		result.StartNewMs = ms(fresh.started)
		fresh.stop()
	}
	kith, err := o.serve(ctx, url)
	if err != nil {
		return nil, err
	}
	defer kith.stop()
	result.StartMs, result.IdleMB = ms(kith.started), kith.memory()
	floor, err := start(ctx, "/", o.Program, "bench-floor", "--db", url, "--business", schema.FormatID("business", set.business.ID()),
		"--record", schema.FormatID("contact", set.contacts[0].id))
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
	ops, err := operations(ctx, asking{kith.addr, set})
	if err == nil && withFields != nil {
		var more []*operation
		more, err = asking{kith.addr, withFields}.fieldsAbout(ctx)
		ops = append(ops, more...)
	}
	if err != nil {
		return nil, err
	}
	r := run{Options: o, kith: kith, floor: floor, peer: peer}
	for i, op := range ops {
		if !strings.Contains(op.name, o.Only) || op.ours && o.Peer != nil {
			continue
		}
		o.progress("%d of %d: %s", i+1, len(ops), op.name)
		if err := op.makeReady(ctx, o.Each); err != nil {
			return nil, fmt.Errorf("%s: %w", op.name, err)
		}
		row, err := r.measure(ctx, op)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", op.name, err)
		}
		result.Rows = append(result.Rows, row)
	}
	if o.Mix > 0 && strings.Contains(mixName, o.Only) {
		o.progress("mix for %v", o.Mix)
		row, err := r.mix(ctx, ops)
		if err != nil {
			return nil, fmt.Errorf("mix: %w", err)
		}
		result.Rows = append(result.Rows, row)
	}
	o.progress("")
	result.compare()
	return result, nil
}

// serve starts kith on a database.
func (o Options) serve(ctx context.Context, url string) (*process, error) {
	return start(ctx, "/healthz", o.Program, "serve", "--db", url)
}
