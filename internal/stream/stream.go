// Package stream hands the changes of businesses to those who listen, as they are made.
package stream

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/changelog"
	"github.com/kith-crm/kith/internal/store/notifier"
)

// Streams hand the changes of businesses to those who listen, as they are made. There is a room for each business to which somebody
// listens, with one goroutine that waits for the business's notifier: so nobody asks for anything while nothing happens. What happened
// is read and rendered once for the whole room, and handed to its groups, in each of which are those who may read the same. Only
// where it depends on the user and the record whether an entry may be read is the database asked for that group. See docs/adr/0056.
type Streams struct {
	engine *record.Engine
	// most is how many may listen in all; half of them to one business.
	most int

	mu    sync.Mutex
	rooms map[schema.UUID]*room
	all   int
	// by counts those who listen by what their secret belongs to.
	by map[schema.UUID]int

	entries, dropped atomic.Int64
	// lag is how long the last entry that was handed out had been written, in nanoseconds.
	lag atomic.Int64
}

const (
	// DefaultStreams is how many may listen to one server where the operator does not say, and MostStreamsOfOne how many with one token.
	DefaultStreams   = 5000
	MostStreamsOfOne = 100

	// streamPage is how many entries are read at once for everybody, and catchPage for one who is behind.
	streamPage = 200
	catchPage  = 100
	// mostBehind is how many bytes somebody who reads slowly may be behind the others of the group, whose entries have to be kept
	// for that long.
	mostBehind = 4 << 20
	// handOut is what handing something to one listener may take, at least: the pause after it is that long for each, and not
	// longer than longestPause. While others use the database it is busyPause at least, and what the part of the processors asks
	// for that listeners have.
	handOut      = 50 * time.Microsecond
	longestPause = 250 * time.Millisecond
	busyPause    = 75 * time.Millisecond
	// AfterFailure is when the log is read again where the database did not answer.
	AfterFailure = time.Second
)

// ErrSlow ends the stream of somebody who reads more slowly than is written. They may come back and go on behind what they have read.
var ErrSlow = problem.New(problem.ServiceUnavailable,
	"The stream was not read as fast as changes are made. Go on behind the last one that was read.")

// NewStreams makes the streams of a server.
func New(e *record.Engine, most int) *Streams {
	return &Streams{engine: e, most: most, rooms: map[schema.UUID]*room{}, by: map[schema.UUID]int{}}
}

// StreamCounts are what the operator sees of the streams.
type Counts struct {
	Listeners, Rooms int
	Entries, Dropped int64
	Lag              time.Duration
}

// Counts tells how many listen, and what was handed out.
func (s *Streams) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Counts{
		Listeners: s.all, Rooms: len(s.rooms), Entries: s.entries.Load(), Dropped: s.dropped.Load(),
		Lag: time.Duration(s.lag.Load()),
	}
}

type room struct {
	streams *Streams
	tenant  store.Tenant
	watch   *notifier.Watch
	stop    chan struct{}

	mu        sync.Mutex
	groups    map[string]*audience
	listeners int
	// roll is closed when everybody has to look whether they still may listen.
	roll chan struct{}
}

// audience are those in a room who may read the same.
type audience struct {
	may  []changelog.Readable
	user schema.UUID
	// plain are the resources of which all entries may be read, and asked those of which the user and the record decide.
	plain, asked map[string]bool
	listeners    int
	// tail is the last page that was handed out, and seen the number up to which the log was looked through by then. Only the
	// room's goroutine moves them.
	tail atomic.Pointer[sheet]
	seen atomic.Int64
}

// sheet is what was handed out at once: entries, as they are sent. It does not change.
type sheet struct {
	entries []entry
	// text is all of it, one entry behind the other.
	text []byte
	// before is how many bytes the sheets before it had.
	before int64
	// next may be read once ready is closed.
	next  *sheet
	ready chan struct{}
}

type entry struct {
	seq      int64
	resource string
	at       time.Time
	frame    []byte
}

func (s *sheet) last() int64 {
	if len(s.entries) == 0 {
		return 0
	}
	return s.entries[len(s.entries)-1].seq
}

// Listener is somebody who listens.
type Listener struct {
	room  *room
	group *audience
	who   *record.Principal
	key   string
	epoch int64
	// resources are those that they asked for; none for all that they may read.
	resources []string
	// checked is when it was last certain that they may listen.
	checked time.Time
	// seq is the number of the last entry that they were told of, or that was not theirs to know.
	seq int64
	// told is the number of the last entry that they were handed.
	told int64
	// at is the sheet that they have read, or nil while they catch up; until is the one with which they join the others.
	at, until *sheet
}

// Readers names what somebody may read, so that those who may read the same have the same name.
func Readers(who *record.Principal, may []changelog.Readable) (key string, plain, asked map[string]bool) {
	plain, asked = map[string]bool{}, map[string]bool{}
	var name []byte
	for _, m := range may {
		personal := m.Own || m.Ends != nil || m.Resource.SharedLeaf != nil
		name = append(append(name, m.Resource.Name...), ' ')
		if !personal {
			plain[m.Resource.Name] = true
			continue
		}
		asked[m.Resource.Name] = true
		name = append(name, "asked"...)
		if m.Own {
			name = append(name, " own"...)
		}
		if m.Ends != nil { // which follow from what may be read of the others
			name = append(name, " ends"...)
		}
		name = append(name, ' ')
	}
	if len(asked) > 0 {
		name = append(name, who.User[:]...)
	}
	return string(name), plain, asked
}

// Listen begins to listen to what happens in the caller's business, behind a number, or from now on where that is negative: to the named
// resources, or where none is named to all that the caller may read. Close must follow.
func (s *Streams) Listen(ctx context.Context, who *record.Principal, after int64, resources []string) (*Listener, error) {
	may, err := who.Readable(resources)
	if err != nil {
		return nil, err
	}
	l := &Listener{who: who, resources: resources, seq: after, epoch: s.engine.Store().Epoch(who.Tenant.ID()), checked: time.Now()}
	g := &audience{may: may, user: who.User}
	l.key, g.plain, g.asked = Readers(who, may)
	l.group = g // until there is one of the room's
	if err := s.enter(l); err != nil {
		return nil, err
	}
	if after < 0 {
		if l.seq, err = who.Tenant.LogEnd(ctx); err != nil {
			l.leave()
			return nil, err
		}
		l.join(l.seq)
	}
	return l, nil
}

func (s *Streams) enter(l *Listener) error {
	business := l.who.Tenant.ID()
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.rooms[business]
	switch {
	case s.by[l.who.Connection] >= MostStreamsOfOne:
		return problem.New(problem.TooManyRequests,
			"With one token at most %d streams can be open at once. Close one first, or share it.", MostStreamsOfOne)
	case s.all >= s.most:
		return problem.New(problem.ServiceUnavailable,
			"The server has as many streams open as it may. Ask POST /v1/changes/search meanwhile, and try again later.")
	case r != nil && r.listeners >= max(1, s.most/2):
		return problem.New(problem.ServiceUnavailable,
			"The business has as many streams open as it may. Ask POST /v1/changes/search meanwhile, and try again later.")
	case r == nil:
		r = &room{
			streams: s, tenant: l.who.Tenant.Quietly(), watch: l.who.Tenant.Watch(), stop: make(chan struct{}),
			groups: map[string]*audience{}, roll: make(chan struct{}),
		}
		s.rooms[business] = r
		go r.run()
	}
	r.listeners++
	s.all++
	s.by[l.who.Connection]++
	l.room = r
	return nil
}

// leave takes somebody out of the room, and closes it behind the last.
func (l *Listener) leave() {
	r, s := l.room, l.room.streams
	r.mu.Lock()
	if g := r.groups[l.key]; g != nil && g == l.group {
		if g.listeners--; g.listeners == 0 {
			delete(r.groups, l.key)
		}
	}
	r.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all--
	if s.by[l.who.Connection]--; s.by[l.who.Connection] == 0 {
		delete(s.by, l.who.Connection)
	}
	if r.listeners--; r.listeners == 0 {
		delete(s.rooms, l.who.Tenant.ID())
		r.watch.End()
		close(r.stop)
	}
}

// Close ends it; slow tells that the listener is to blame.
func (l *Listener) Close(slow bool) {
	if slow {
		l.room.streams.dropped.Add(1)
	}
	l.leave()
}

// join goes on with those who may read the same, once everything up to where they are has been read. Who is the first has seen the
// log up to a number.
func (l *Listener) join(seen int64) {
	r := l.room
	if l.until == nil {
		r.mu.Lock()
		g := r.groups[l.key]
		if g == nil {
			g = l.group
			g.tail.Store(&sheet{ready: make(chan struct{})})
			g.seen.Store(seen)
			r.groups[l.key] = g
			r.watch.Poke() // something may have been written since
		}
		g.listeners++
		l.group = g
		l.until = g.tail.Load()
		r.mu.Unlock()
	}
	if l.seq >= l.until.last() {
		l.at, l.until = l.until, nil
	}
}

// Read hands what is to be sent next to each, or nothing where there is none yet: then Ready tells when there is.
func (l *Listener) Read(ctx context.Context, each func(frame []byte)) error {
	if l.at == nil {
		return l.catchUp(ctx, each)
	}
	seen := l.group.seen.Load() // before the sheets: what was seen by now is on them
	for l.isReady() {
		if l.group.tail.Load().before-l.at.before > mostBehind {
			return ErrSlow
		}
		l.at = l.at.next
		if len(l.at.entries) > 0 && l.at.entries[0].seq > l.seq {
			l.seq = l.at.last()
			l.told = l.seq
			each(l.at.text)
			continue
		}
		for _, e := range l.at.entries {
			if e.seq > l.seq {
				l.seq, l.told = e.seq, e.seq
				each(e.frame)
			}
		}
	}
	l.seq = max(l.seq, seen)
	return nil
}

func (l *Listener) isReady() bool {
	select {
	case <-l.at.ready:
		return true
	default:
		return false
	}
}

func (l *Listener) catchUp(ctx context.Context, each func(frame []byte)) error {
	var frame []byte
	latest, next, err := l.who.Tenant.Feed(ctx, l.seq, catchPage, l.group.may, l.who.User, func(c store.Change) {
		frame = appendFrame(frame[:0], c)
		l.told = c.Seq
		each(frame)
	})
	if err != nil {
		return err
	}
	if l.seq = next; next >= latest || l.until != nil {
		l.join(min(next, latest)) // who knows of numbers that there are not yet is told of nothing until then
	}
	return nil
}

// Live tells that they have caught up, and hear what happens as it does. Until then there is always more to read.
func (l *Listener) Live() bool { return l.at != nil }

// Ready is closed when Read of a live one has something to give.
func (l *Listener) Ready() <-chan struct{} { return l.at.ready }

// Roll is closed when it is to be checked at once whether somebody may still listen.
func (l *Listener) Roll() <-chan struct{} {
	l.room.mu.Lock()
	defer l.room.mu.Unlock()
	return l.room.roll
}

// Seq is the number to go on behind.
func (l *Listener) Seq() int64 { return l.seq }

// Told is the number of the last entry that was handed to them. Where [Listener.Seq] is beyond it, what lies between was not for them.
func (l *Listener) Told() int64 { return l.told }

// Who is the listener, as they were last seen.
func (l *Listener) Who() *record.Principal { return l.who }

// streamFresh is how long somebody may listen until it is checked again whether they may, where no change of rights is known.
const streamFresh = 5 * time.Second

// Stale tells that it is to be checked again.
func (l *Listener) Stale() bool {
	return l.epoch != l.room.streams.engine.Store().Epoch(l.who.Tenant.ID()) || time.Since(l.checked) > streamFresh
}

// Confirm takes note of who they are by now, and tells whether they may still read what they could.
func (l *Listener) Confirm(who *record.Principal, epoch int64) bool {
	if who != l.who {
		may, err := who.Readable(l.resources)
		if err != nil {
			return false
		}
		if key, _, _ := Readers(who, may); key != l.key {
			return false
		}
	}
	l.epoch, l.checked = epoch, time.Now()
	return true
}

// appendFrame renders an entry as an event of a stream.
func appendFrame(dst []byte, c store.Change) []byte {
	dst = strconv.AppendInt(append(dst, "id: "...), c.Seq, 10)
	return append(record.AppendChange(append(dst, "\ndata: "...), c, true), "\n\n"...)
}

func (r *room) run() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		<-r.stop
		cancel()
	}()
	epoch := int64(-1)
	seq := int64(-1)
	for {
		select {
		case <-r.stop:
			return
		case <-r.watch.C:
		}
		begin := time.Now()
		next, cost, more, err := r.round(ctx, seq)
		if seq = next; err != nil {
			begin = begin.Add(-AfterFailure)
		}
		if err != nil || more {
			r.watch.Poke()
		}
		if now := r.streams.engine.Store().Epoch(r.tenant.ID()); now != epoch {
			epoch = now
			r.callRoll()
		}
		select {
		case <-r.stop:
			return
		case <-time.After(r.pause(cost) + min(time.Since(begin), AfterFailure)):
		}
	}
}

// pause is how long nothing is handed out after something that cost so much of the processors.
func (r *room) pause(cost time.Duration) time.Duration {
	if r.streams.engine.Background.Busy() {
		return max(busyPause, record.Resting(cost))
	}
	r.streams.mu.Lock()
	defer r.streams.mu.Unlock()
	return min(time.Duration(r.listeners)*handOut, longestPause)
}

func (r *room) callRoll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.roll)
	r.roll = make(chan struct{})
}

// round reads a page of what was written behind a number, and hands it to the groups. It gives the number to go on behind, what it
// costs to hand it to everybody, and whether there is more.
func (r *room) round(ctx context.Context, seq int64) (next int64, cost time.Duration, more bool, err error) {
	r.mu.Lock()
	groups := slices.Collect(maps.Values(r.groups))
	r.mu.Unlock()
	if len(groups) == 0 {
		return -1, 0, false, nil
	}
	if seq < 0 {
		seq = groups[0].seen.Load()
		for _, g := range groups {
			seq = min(seq, g.seen.Load())
		}
	}
	page, more, err := r.read(ctx, seq)
	if err != nil {
		return seq, 0, false, err
	}
	end := max(seq, page.last())
	for _, g := range groups {
		bytes, err := r.hand(ctx, g, seq, end, page)
		if err != nil {
			return seq, cost, false, err
		}
		if bytes > 0 {
			r.mu.Lock()
			cost += time.Duration(g.listeners) * (record.HandCost + time.Duration(bytes)*time.Second/record.HandRate)
			r.mu.Unlock()
		}
	}
	return end, cost, more, nil
}

func (r *room) read(ctx context.Context, after int64) (page *sheet, more bool, err error) {
	page = &sheet{}
	var ends []int
	rights := false
	more, err = r.tenant.Log(ctx, after, streamPage, func(c store.Change) {
		e := entry{seq: c.Seq, resource: record.Business.Name, at: c.At}
		if res := record.Registry.Resource(c.Resource); res != nil {
			e.resource = res.Name
			rights = rights || res.Access.Rights
		}
		page.text = appendFrame(page.text, c)
		page.entries, ends = append(page.entries, e), append(ends, len(page.text))
	})
	begin := 0
	for i := range page.entries {
		page.entries[i].frame, begin = page.text[begin:ends[i]:ends[i]], ends[i]
	}
	if rights {
		r.tenant.Doubt() // where another process made the change, it is not known here yet
	}
	return page, more, err
}

// hand gives a group what it may read of a page that has the entries behind a number up to another, and tells how many bytes that are.
func (r *room) hand(ctx context.Context, g *audience, after, end int64, page *sheet) (bytes int, err error) {
	seen := g.seen.Load()
	if seen >= end {
		return 0, nil
	}
	mine := make([]entry, 0, len(page.entries))
	asked := seen < after // it began before the page, by itself
	for _, e := range page.entries {
		asked = asked || e.seq > seen && g.asked[e.resource]
		if e.seq > seen && g.plain[e.resource] {
			mine = append(mine, e)
		}
	}
	if asked {
		mine = mine[:0]
		for seen < end {
			_, to, err := r.tenant.Feed(ctx, seen, streamPage, g.may, g.user, func(c store.Change) {
				if at, found := slices.BinarySearchFunc(page.entries, c.Seq,
					func(e entry, seq int64) int { return cmp.Compare(e.seq, seq) }); found {
					mine = append(mine, page.entries[at])
				} else if c.Seq <= after {
					mine = append(mine, entry{seq: c.Seq, at: c.At, frame: appendFrame(nil, c)})
				}
			})
			if err != nil {
				return 0, err
			}
			if to <= seen {
				return 0, fmt.Errorf("the log of %s ends at %d, before %d", schema.FormatID(record.Business.Name, r.tenant.ID()), to, end)
			}
			seen = to
		}
	}
	if len(mine) > 0 {
		tail := g.tail.Load()
		next := &sheet{entries: mine, before: tail.before + int64(len(tail.text)), ready: make(chan struct{})}
		if len(mine) == len(page.entries) && !asked {
			next.text = page.text
		} else {
			for _, e := range mine {
				next.text = append(next.text, e.frame...)
			}
		}
		bytes = len(next.text)
		g.tail.Store(next)
		tail.next = next
		close(tail.ready)
		r.streams.entries.Add(int64(len(mine)))
		r.streams.lag.Store(int64(time.Since(mine[len(mine)-1].at)))
	}
	g.seen.Store(end)
	return bytes, nil
}
