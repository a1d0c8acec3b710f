package store

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"kith/internal/schema"
	"kith/internal/store/internal/room"
)

// Work that is too long for one request is a job: a row, which a worker of any server takes for a while (a lease) and moves on step by step. Each step is a
// transaction in the business's turn that writes its records together with how far the job has come, so what a server did that died in the middle is done,
// and nothing is done twice. The domain knows what there is to do; here is what is kept of it.

// Job is work that is done in the background. It has the id of the request that began it, and what it writes is logged under that request.
type Job struct {
	ID schema.UUID
	// Kind is what sort of work it is, and Params, Private and Place are in its own words: what is to be done, as JSON, what of that is told to nobody and is
	// forgotten when the job ends, and how far it has come.
	Kind, Params, Private, Place string
	Status                       string
	// Actor is who began it, by which connection, and Scopes are those of the token that they had.
	Actor      Actor
	Connection schema.UUID
	Scopes     []string
	// Total is how many records there are to do, as far as that is known, Done how many have been, and Failed how many of those were refused.
	Total, Done, Failed int64
	// FirstSeq and LastSeq are where in the change log the entries of the job lie, among others; 0 where it has changed nothing.
	FirstSeq, LastSeq int64
	// Tries counts how often in a row it could not go on.
	Tries int64
	// Error is a problem as JSON, where it failed.
	Error string
	// CreatedAt is when it was begun; the others are zero while they have not come.
	CreatedAt, StartedAt, FinishedAt time.Time
}

// The states of a job.
const (
	JobQueued    = "queued"
	JobRunning   = "running"
	JobSucceeded = "succeeded"
	JobFailed    = "failed"
	JobCancelled = "cancelled"
)

// JobStates lists them.
var JobStates = []string{JobQueued, JobRunning, JobSucceeded, JobFailed, JobCancelled}

// Refusal is a record or a row of a file that a job could not do, and why.
type Refusal struct {
	// N is its place among all that there is to do.
	N int64
	// Resource and Record name the record; its id is zero where it is none yet.
	Resource string
	Record   schema.UUID
	// Input is what the kind of job wants to know of it, as JSON, and Problem why it was refused.
	Input, Problem string
}

// ErrJobLost says that somebody else has the job by now, or that it has ended.
var ErrJobLost = errors.New("the job is not this worker's any more")

func jobTables() []table {
	return []table{
		{
			name: "job",
			columns: []column{
				{"business_id", kindTenant, true},
				{"id", schema.ID, true},
				{"kind", schema.Text, true},
				{"status", schema.Text, true},
				{"user_id", schema.ID, false},
				{"token_id", schema.ID, false},
				{"app_id", schema.ID, false},
				{"client_id", schema.Text, false},
				{"connection_id", schema.ID, false},
				{"scopes", schema.Text, false},
				{"params", schema.Document, true},
				{"private", schema.Document, false},
				{"place", schema.Text, false},
				{"total", schema.Integer, true},
				{"done", schema.Integer, true},
				{"failed", schema.Integer, true},
				{"first_seq", schema.Integer, true},
				{"last_seq", schema.Integer, true},
				{"tries", schema.Integer, true},
				{"error", schema.Document, false},
				{"created_at", schema.Time, true},
				{"started_at", schema.Time, false},
				{"finished_at", schema.Time, false},
				// served_at is when a worker last turned to it, and leased_by has it until leased_until.
				{"served_at", schema.Time, true},
				{"leased_by", schema.ID, false},
				{"leased_until", schema.Time, false},
			},
			primary: []string{"business_id", "id"},
			indexes: []index{
				{name: "job_open", columns: []string{"business_id", "served_at"}, where: "finished_at IS NULL"},
				{name: "job_user", columns: []string{"business_id", "user_id", "id"}},
				{name: "job_finished", columns: []string{"finished_at"}, where: "finished_at IS NOT NULL"},
			},
			long: true,
		},
		{
			// job_set has the ids of the records that a job is about, many in a row, in the order in which they are done.
			name:    "job_set",
			columns: []column{{"business_id", kindTenant, true}, {"job_id", schema.ID, true}, {"n", schema.Integer, true}, {"ids", kindBytes, true}},
			primary: []string{"business_id", "job_id", "n"},
			long:    true,
		},
		{
			name: "job_refusal",
			columns: []column{
				{"business_id", kindTenant, true},
				{"job_id", schema.ID, true},
				{"n", schema.Integer, true},
				{"resource", schema.Text, true},
				{"record_id", schema.ID, false},
				{"input", schema.Document, false},
				{"problem", schema.Document, true},
			},
			primary: []string{"business_id", "job_id", "n"},
			indexes: []index{{name: "job_refusal_record", columns: []string{"business_id", "record_id"}, where: "record_id IS NOT NULL"}},
			long:    true,
		},
	}
}

const jobColumns = `j.id, j.kind, j.status, j.user_id, j.token_id, j.app_id, j.client_id, j.connection_id, j.scopes, j.params, j.private, j.place,
	j.total, j.done, j.failed, j.first_seq, j.last_seq, j.tries, j.error, j.created_at, j.started_at, j.finished_at`

func scanJob(r row) Job {
	texts := func(i int, k schema.Kind) string { return strings.Clone(r.Value(i, k).S) }
	id := func(i int) schema.UUID { return r.Value(i, schema.ID).UUID() }
	number := func(i int) int64 { return r.Value(i, schema.Integer).N }
	at := func(i int) (at time.Time) {
		if v := r.Value(i, schema.Time); v.Set {
			at = v.Time()
		}
		return at
	}
	j := Job{
		ID: id(0), Kind: texts(1, schema.Text), Status: texts(2, schema.Text),
		Actor: Actor{User: id(3), Token: id(4), App: id(5), Client: texts(6, schema.Text)}, Connection: id(7), Scopes: strings.Fields(texts(8, schema.Text)),
		Params: texts(9, schema.Document), Private: texts(10, schema.Document), Place: texts(11, schema.Text),
		Total: number(12), Done: number(13), Failed: number(14), FirstSeq: number(15), LastSeq: number(16), Tries: number(17),
		Error: texts(18, schema.Document), CreatedAt: at(19), StartedAt: at(20), FinishedAt: at(21),
	}
	j.Actor.RequestID = schema.FormatID("req", j.ID)
	return j
}

// Open tells that the job has not ended.
func (j *Job) Open() bool { return j.FinishedAt.IsZero() }

// documentOrNone is a JSON text, absent where it is empty.
func documentOrNone(json string) schema.Value {
	return schema.Value{Kind: schema.Document, Set: json != "", S: json}
}

// timeOrNone is a time, absent where it is zero.
func timeOrNone(t time.Time) schema.Value {
	if t.IsZero() {
		return schema.Absent(schema.Time)
	}
	return schema.TimeValue(t)
}

func integer(n int64) schema.Value { return schema.IntValue(schema.Integer, n) }

// longAgo is when a job was served that never was: it comes before all others, so that short ones do not wait for long ones.
var longAgo = time.Unix(0, 0).UTC()

// AddJob keeps a job that is to be done.
func (tx *Tx) AddJob(j *Job) error {
	j.Status, j.CreatedAt = JobQueued, tx.Now
	_, err := tx.Exec(room.SQL(`
		INSERT INTO job (business_id, id, kind, status, user_id, token_id, app_id, client_id, connection_id, scopes, params, private, place,
			total, done, failed, first_seq, last_seq, tries, created_at, served_at)
		VALUES ({business}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, 0, 0, ?, ?)`,
		schema.IDValue(j.ID), text(j.Kind), text(j.Status), schema.IDValue(j.Actor.User), schema.IDValue(j.Actor.Token), schema.IDValue(j.Actor.App),
		schema.TextValue(schema.Text, j.Actor.Client), schema.IDValue(j.Connection), schema.TextValue(schema.Text, strings.Join(j.Scopes, " ")),
		documentOrNone(j.Params), documentOrNone(j.Private), schema.TextValue(schema.Text, j.Place), integer(j.Total), schema.TimeValue(tx.Now), schema.TimeValue(longAgo)))
	return err
}

// Job finds a job, or ErrNotFound.
func (tx *Tx) Job(id schema.UUID) (*Job, error) {
	return oneJob(id, func(st room.Statement, each func(room.Row) error) error { return tx.Query(st, each) })
}

// Job finds a job, or ErrNotFound.
func (t Tenant) Job(ctx context.Context, id schema.UUID) (*Job, error) {
	return oneJob(id, func(st room.Statement, each func(room.Row) error) error { return t.Query(ctx, st, each) })
}

func oneJob(id schema.UUID, query func(room.Statement, func(room.Row) error) error) (found *Job, err error) {
	err = query(room.SQL("SELECT "+jobColumns+" FROM job j WHERE j.business_id = {business} AND j.id = ?", schema.IDValue(id)), func(r room.Row) error {
		j := scanJob(r)
		found = &j
		return nil
	})
	if err == nil && found == nil {
		err = ErrNotFound
	}
	return found, err
}

// Jobs lists jobs of the business, the newest first, or with asc the oldest: those of a user, or of all where that is the zero id, behind one where that is not
// the zero id, at most so many.
func (t Tenant) Jobs(ctx context.Context, user, after schema.UUID, asc bool, most int) (all []Job, err error) {
	st := room.SQL("SELECT " + jobColumns + " FROM job j WHERE j.business_id = {business}")
	if user != (schema.UUID{}) {
		st.Text, st.Args = st.Text+" AND j.user_id = ?", append(st.Args, schema.IDValue(user))
	}
	direction, sign := " DESC", "<"
	if asc {
		direction, sign = " ASC", ">"
	}
	if after != (schema.UUID{}) {
		st.Text, st.Args = st.Text+" AND j.id "+sign+" ?", append(st.Args, schema.IDValue(after))
	}
	st.Text += " ORDER BY j.id" + direction + " LIMIT " + strconv.Itoa(most)
	err = t.Query(ctx, st, func(r room.Row) error {
		all = append(all, scanJob(r))
		return nil
	})
	return all, err
}

// OpenJobs tells how many jobs of the business have not ended.
func (tx *Tx) OpenJobs() (n int64, err error) {
	err = tx.Query(room.SQL("SELECT count(*) FROM job j WHERE j.business_id = {business} AND j.finished_at IS NULL"), func(r room.Row) error {
		n = r.Value(0, schema.Integer).N
		return nil
	})
	return n, err
}

// PutJob moves a job on. A worker's own is the lease by which it has the job, and it keeps that until a time; the zero id is whoever may do so without one. Where
// the job has ended meanwhile, or is another worker's, it gives ErrJobLost.
func (tx *Tx) PutJob(j *Job, own schema.UUID, until time.Time) error {
	st := room.SQL(`
		UPDATE job SET status = ?, private = ?, place = ?, total = ?, done = ?, failed = ?, first_seq = ?, last_seq = ?, tries = ?, error = ?,
			finished_at = ?, leased_until = ?
		WHERE business_id = {business} AND id = ? AND finished_at IS NULL`,
		text(j.Status), documentOrNone(j.Private), schema.TextValue(schema.Text, j.Place), integer(j.Total), integer(j.Done), integer(j.Failed),
		integer(j.FirstSeq), integer(j.LastSeq), integer(j.Tries), documentOrNone(j.Error), timeOrNone(j.FinishedAt), timeOrNone(until), schema.IDValue(j.ID))
	if own != (schema.UUID{}) {
		st.Text, st.Args = st.Text+" AND leased_by = ?", append(st.Args, schema.IDValue(own))
	}
	n, err := tx.Exec(st)
	if err == nil && n == 0 {
		err = ErrJobLost
	}
	return err
}

// LeaseJob takes a job until a time, and tells whether nobody else had it.
func (t Tenant) LeaseJob(ctx context.Context, id, own schema.UUID, now, until time.Time) (taken bool, err error) {
	err = t.Keep(ctx, Actor{}, func(tx *Tx) error {
		n, err := tx.Exec(room.SQL(`
			UPDATE job SET status = '`+JobRunning+`', started_at = coalesce(started_at, ?), leased_by = ?, leased_until = ?
			WHERE business_id = {business} AND id = ? AND finished_at IS NULL AND (leased_until IS NULL OR leased_until < ?)`,
			schema.TimeValue(now), schema.IDValue(own), schema.TimeValue(until), schema.IDValue(id), schema.TimeValue(now)))
		taken = n == 1
		return err
	})
	return taken, err
}

// ReleaseJob gives a lease back. The job is served again after a time, or at once where that is zero, but after those that waited longer.
func (t Tenant) ReleaseJob(ctx context.Context, id, own schema.UUID, now, after time.Time, tries int64) error {
	return t.Keep(ctx, Actor{}, func(tx *Tx) error {
		_, err := tx.Exec(room.SQL(`
			UPDATE job SET leased_by = NULL, leased_until = ?, served_at = ?, tries = ?
			WHERE business_id = {business} AND id = ? AND leased_by = ?`,
			timeOrNone(after), schema.TimeValue(now), integer(tries), schema.IDValue(id), schema.IDValue(own)))
		return err
	})
}

// DueJob is a job of some business.
type DueJob struct {
	Tenant
	Job schema.UUID
}

// DueJobs lists jobs of all businesses that nobody works on, those first that were not served for the longest.
func (s *Store) DueJobs(ctx context.Context, now time.Time) ([]DueJob, error) {
	return s.someJobs(ctx, "j.finished_at IS NULL AND (j.leased_until IS NULL OR j.leased_until < ", now, " ORDER BY j.served_at, j.id LIMIT 500")
}

// EndedJobs lists some jobs of all businesses that ended before a time.
func (s *Store) EndedJobs(ctx context.Context, before time.Time) ([]DueJob, error) {
	return s.someJobs(ctx, "j.finished_at IS NOT NULL AND (j.finished_at < ", before, " ORDER BY j.finished_at LIMIT 100")
}

func (s *Store) someJobs(ctx context.Context, where string, than time.Time, order string) (all []DueJob, err error) {
	err = s.engine.read(ctx, share{}, func(c conn) error {
		sql := "SELECT t.id, t.business_id, j.id FROM job j JOIN business t ON t.business_id = j.business_id WHERE " + where + s.engine.mark(1) + ")" + order
		return c.query(ctx, sql, []schema.Value{schema.TimeValue(than)}, func(r row) error {
			id := r.Value(0, schema.ID).UUID()
			all = append(all, DueJob{Tenant{s: s, id: id, key: s.engine.tenantKey(id, r.Value(1, kindTenant).N)}, r.Value(2, schema.ID).UUID()})
			return nil
		})
	})
	return all, err
}

// idsInRow is how many ids a row of a set has.
const idsInRow = 100

// PutJobSet keeps the records that a job is about.
func (tx *Tx) PutJobSet(job schema.UUID, ids []schema.UUID) error {
	columns := func() []string { return []string{"job_id", "n", "ids"} }
	return tx.insertRows("job_set", columns, (len(ids)+idsInRow-1)/idsInRow, func(i int, row []schema.Value) []schema.Value {
		var packed []byte
		for _, id := range ids[i*idsInRow : min(len(ids), (i+1)*idsInRow)] {
			packed = append(packed, id[:]...)
		}
		return append(row, schema.IDValue(job), integer(int64(i)), bytesValue(packed))
	})
}

// JobSet gives the next records that a job is about, from the one numbered from on: none once there are no more.
func (tx *Tx) JobSet(job schema.UUID, from int64) (ids []schema.UUID, err error) {
	err = tx.Query(room.SQL("SELECT s.ids FROM job_set s WHERE s.business_id = {business} AND s.job_id = ? AND s.n = ?", schema.IDValue(job), integer(from/idsInRow)), func(r room.Row) error {
		packed := r.Value(0, kindBytes).S
		for at := int(from%idsInRow) * len(schema.UUID{}); at < len(packed); at += len(schema.UUID{}) {
			ids = append(ids, schema.UUID([]byte(packed[at:at+len(schema.UUID{})])))
		}
		return nil
	})
	return ids, err
}

// Refuse keeps what a job could not do.
func (tx *Tx) Refuse(job schema.UUID, r Refusal) error {
	columns := func() []string { return []string{"job_id", "n", "resource", "record_id", "input", "problem"} }
	return tx.insertRows("job_refusal", columns, 1, func(_ int, row []schema.Value) []schema.Value {
		return append(row, schema.IDValue(job), integer(r.N), text(r.Resource), schema.IDValue(r.Record), documentOrNone(r.Input), documentOrNone(r.Problem))
	})
}

// Refusals lists what a job could not do, in order, behind a place, at most so many.
func (t Tenant) Refusals(ctx context.Context, job schema.UUID, after int64, most int) (all []Refusal, err error) {
	err = t.Query(ctx, room.SQL(`
		SELECT r.n, r.resource, r.record_id, r.input, r.problem FROM job_refusal r
		WHERE r.business_id = {business} AND r.job_id = ? AND r.n > ? ORDER BY r.n LIMIT `+strconv.Itoa(most), schema.IDValue(job), integer(after)), func(r room.Row) error {
		all = append(all, Refusal{
			N: r.Value(0, schema.Integer).N, Resource: strings.Clone(r.Value(1, schema.Text).S), Record: r.Value(2, schema.ID).UUID(),
			Input: strings.Clone(r.Value(3, schema.Document).S), Problem: strings.Clone(r.Value(4, schema.Document).S),
		})
		return nil
	})
	return all, err
}

// ForgetRefusals forgets what jobs could not do to a record.
func (tx *Tx) ForgetRefusals(record schema.UUID) error {
	_, err := tx.Exec(room.SQL("DELETE FROM job_refusal WHERE business_id = {business} AND record_id = ?", schema.IDValue(record)))
	return err
}

// ForgetJobSet forgets which records a job was about.
func (tx *Tx) ForgetJobSet(job schema.UUID) error {
	_, err := tx.Exec(room.SQL("DELETE FROM job_set WHERE business_id = {business} AND job_id = ?", schema.IDValue(job)))
	return err
}

// ForgetRefusalsOf forgets what a job could not do, at most so many, and tells whether nothing is left of it.
func (tx *Tx) ForgetRefusalsOf(job schema.UUID, most int) (done bool, err error) {
	n, err := tx.Exec(room.SQL(`
		DELETE FROM job_refusal WHERE business_id = {business} AND job_id = ? AND n IN
			(SELECT r.n FROM job_refusal r WHERE r.business_id = {business} AND r.job_id = ? ORDER BY r.n LIMIT `+strconv.Itoa(most)+`)`, schema.IDValue(job), schema.IDValue(job)))
	return err == nil && n < int64(most), err
}

// ForgetRefusalsOfKinds forgets what jobs of some kinds could not do, at most so many, and tells whether nothing is left of it.
func (tx *Tx) ForgetRefusalsOfKinds(most int, kinds ...string) (done bool, err error) {
	st := room.SQL("SELECT j.id FROM job j WHERE j.business_id = {business} AND j.kind IN (?" + strings.Repeat(", ?", len(kinds)-1) + `)
		AND EXISTS (SELECT 1 FROM job_refusal r WHERE r.business_id = {business} AND r.job_id = j.id) LIMIT 1`)
	for _, kind := range kinds {
		st.Args = append(st.Args, text(kind))
	}
	done = true
	var job schema.UUID
	err = tx.Query(st, func(r room.Row) error {
		done, job = false, r.Value(0, schema.ID).UUID()
		return nil
	})
	if err != nil || done {
		return done, err
	}
	_, err = tx.ForgetRefusalsOf(job, most)
	return false, err
}

// ForgetJob forgets a job that has ended, after so many of its refusals as there are at most. It tells whether it has.
func (tx *Tx) ForgetJob(job schema.UUID, most int) (done bool, err error) {
	if done, err = tx.ForgetRefusalsOf(job, most); err != nil || !done {
		return false, err
	}
	if err := tx.ForgetJobSet(job); err != nil {
		return false, err
	}
	_, err = tx.Exec(room.SQL("DELETE FROM job WHERE business_id = {business} AND id = ? AND finished_at IS NOT NULL", schema.IDValue(job)))
	return true, err
}

// Uses counts how often anybody has read or written anything of a business here: whoever works in the background tells by it whether others are there.
func (s *Store) Uses() int64 { return s.uses.Load() }
