// Package queue has what is yet to be done, and what came of it: jobs, files on their way into a business, what is kept of webhooks and
// their deliveries, what is left to do of records that were removed for good, and the answers that requests were given. These are no
// records: nobody searches them, and they are not in the change log.
//
// It works on a store through its transactions (store.Tx). What works in the background looks through all businesses with a lookup.
package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// Work that is too long for one request is a job: a row, which a worker of any server takes for a while (a lease) and moves on step by
// step. Each step is a transaction in the business's turn that writes its records together with how far the job has come, so what a
// server did that died in the middle is done, and nothing is done twice. The domain knows what there is to do; here is what is kept of
// it.

// Job is work that is done in the background. It has the id of the request that began it, and what it writes is logged under that request.
type Job struct {
	ID schema.UUID
	// Kind is what sort of work it is, and Params, Private and Place are in its own words: what is to be done, as JSON, what of that is
	// told to nobody and is forgotten when the job ends, and how far it has come.
	Kind, Params, Private, Place string
	Status                       string
	// Actor is who began it, by which connection, and Scopes are those of the token that they had.
	Actor      store.Actor
	Connection schema.UUID
	Scopes     []string
	// Total is how many records there are to do, as far as that is known, Done how many have been, and Failed how many of those were
	// refused.
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

const jobColumns = `j.id, j.kind, j.status, j.user_id, j.token_id, j.app_id, j.client_id, j.connection_id, j.scopes, j.params, j.private,
	j.place, j.total, j.done, j.failed, j.first_seq, j.last_seq, j.tries, j.error, j.created_at, j.started_at, j.finished_at`

func scanJob(r room.Row) Job {
	text, id, number, at := room.Columns(r)
	j := Job{
		ID: id(0), Kind: text(1), Status: text(2), Actor: store.Actor{User: id(3), Token: id(4), App: id(5), Client: text(6)},
		Connection: id(7), Scopes: strings.Fields(text(8)), Params: text(9), Private: text(10), Place: text(11),
		Total: number(12), Done: number(13), Failed: number(14), FirstSeq: number(15), LastSeq: number(16), Tries: number(17),
		Error: text(18), CreatedAt: at(19), StartedAt: at(20), FinishedAt: at(21),
	}
	j.Actor.RequestID = schema.FormatID("req", j.ID)
	return j
}

// Open tells that the job has not ended.
func (j *Job) Open() bool { return j.FinishedAt.IsZero() }

// longAgo is when a job was served that never was: it comes before all others, so that short ones do not wait for long ones.
var longAgo = time.Unix(0, 0).UTC()

// AddJob keeps a job that is to be done.
func AddJob(tx *store.Tx, j *Job) error {
	j.Status, j.CreatedAt = JobQueued, tx.Now
	return store.Run(tx, `
		INSERT INTO job (business_id, id, kind, status, user_id, token_id, app_id, client_id, connection_id, scopes, params, private, place,
			total, done, failed, first_seq, last_seq, tries, created_at, served_at)
		VALUES ({business}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, 0, 0, ?, ?)`,
		schema.IDValue(j.ID), room.Text(j.Kind), room.Text(j.Status), schema.IDValue(j.Actor.User), schema.IDValue(j.Actor.Token),
		schema.IDValue(j.Actor.App), room.TextOrNone(j.Actor.Client), schema.IDValue(j.Connection),
		room.TextOrNone(strings.Join(j.Scopes, " ")), room.DocumentOrNone(j.Params), room.DocumentOrNone(j.Private),
		room.TextOrNone(j.Place), room.Integer(j.Total), schema.TimeValue(tx.Now), schema.TimeValue(longAgo))
}

// JobIn finds a job in a transaction, or store.ErrNotFound.
func JobIn(tx *store.Tx, id schema.UUID) (*Job, error) { return oneJob(tx.Query, id) }

// FindJob finds a job, or store.ErrNotFound.
func FindJob(ctx context.Context, t store.Tenant, id schema.UUID) (*Job, error) {
	return oneJob(t.Reader(ctx), id)
}

func oneJob(query room.Reader, id schema.UUID) (*Job, error) {
	find := room.SQL("SELECT "+jobColumns+" FROM job j WHERE j.business_id = {business} AND j.id = ?", schema.IDValue(id))
	return store.Found(room.Find(query, find, scanJob))
}

// Jobs lists jobs of the business, the newest first, or with asc the oldest: those of a user, or of all where that is the zero id, behind
// one where that is not the zero id, at most so many.
func Jobs(ctx context.Context, t store.Tenant, user, after schema.UUID, asc bool, most int) ([]Job, error) {
	st := room.SQL("SELECT " + jobColumns + " FROM job j WHERE j.business_id = {business}")
	if user != (schema.UUID{}) {
		and(&st, "j.user_id = ?", schema.IDValue(user))
	}
	return room.All(t.Reader(ctx), page(st, "j.id", after, asc, most), scanJob)
}

// and adds a condition to a statement.
func and(st *room.Statement, condition string, args ...schema.Value) {
	st.Text, st.Args = st.Text+" AND "+condition, append(st.Args, args...)
}

// page is a statement for at most so many rows in the order of an id, behind one where that is not the zero id.
func page(st room.Statement, id string, after schema.UUID, asc bool, most int) room.Statement {
	direction, sign := " DESC", " < ?"
	if asc {
		direction, sign = " ASC", " > ?"
	}
	if after != (schema.UUID{}) {
		and(&st, id+sign, schema.IDValue(after))
	}
	st.Text += " ORDER BY " + id + direction + " LIMIT " + strconv.Itoa(most)
	return st
}

// OpenJobs tells how many jobs of the business have not ended.
func OpenJobs(tx *store.Tx) (int64, error) {
	count := room.SQL("SELECT count(*) FROM job j WHERE j.business_id = {business} AND j.finished_at IS NULL")
	return room.One(tx.Query, count, room.FirstInt)
}

// PutJob moves a job on. A worker's own is the lease by which it has the job, and it keeps that until a time; the zero id is whoever may
// do so without one. Where the job has ended meanwhile, or is another worker's, it gives ErrJobLost.
func PutJob(tx *store.Tx, j *Job, own schema.UUID, until time.Time) error {
	st := room.SQL(`
		UPDATE job SET status = ?, private = ?, place = ?, total = ?, done = ?, failed = ?, first_seq = ?, last_seq = ?, tries = ?,
		error = ?, finished_at = ?, leased_until = ?
		WHERE business_id = {business} AND id = ? AND finished_at IS NULL`,
		room.Text(j.Status), room.DocumentOrNone(j.Private), room.TextOrNone(j.Place), room.Integer(j.Total), room.Integer(j.Done),
		room.Integer(j.Failed), room.Integer(j.FirstSeq), room.Integer(j.LastSeq), room.Integer(j.Tries), room.DocumentOrNone(j.Error),
		room.TimeOrNone(j.FinishedAt), room.TimeOrNone(until), schema.IDValue(j.ID))
	if own != (schema.UUID{}) {
		and(&st, "leased_by = ?", schema.IDValue(own))
	}
	n, err := tx.Exec(st)
	if err == nil && n == 0 {
		err = ErrJobLost
	}
	return err
}

// LeaseJob takes a job until a time, and tells whether nobody else had it.
func LeaseJob(ctx context.Context, t store.Tenant, id, own schema.UUID, now, until time.Time) (taken bool, err error) {
	err = t.Keep(ctx, store.Actor{}, func(tx *store.Tx) (err error) {
		taken, err = store.RunOnce(tx, `
			UPDATE job SET status = '`+JobRunning+`', started_at = coalesce(started_at, ?), leased_by = ?, leased_until = ?
			WHERE business_id = {business} AND id = ? AND finished_at IS NULL AND (leased_until IS NULL OR leased_until < ?)`,
			schema.TimeValue(now), schema.IDValue(own), schema.TimeValue(until), schema.IDValue(id), schema.TimeValue(now))
		return err
	})
	return taken, err
}

// ReleaseJob gives a lease back. The job is served again after a time, or at once where that is zero, but after those that waited longer.
func ReleaseJob(ctx context.Context, t store.Tenant, id, own schema.UUID, now, after time.Time, tries int64) error {
	return t.Keep(ctx, store.Actor{}, func(tx *store.Tx) error {
		return store.Run(tx, `
			UPDATE job SET leased_by = NULL, leased_until = ?, served_at = ?, tries = ?
			WHERE business_id = {business} AND id = ? AND leased_by = ?`,
			room.TimeOrNone(after), schema.TimeValue(now), room.Integer(tries), schema.IDValue(id), schema.IDValue(own))
	})
}

// DueJob is a job of some business.
type DueJob struct {
	store.Tenant
	Job schema.UUID
}

// DueJobs lists jobs of all businesses that nobody works on, those first that were not served for the longest.
func DueJobs(ctx context.Context, s *store.Store, now time.Time) ([]DueJob, error) {
	return someJobs(ctx, s, room.Lookup{
		Text: `SELECT t.id, t.business_id, j.id, j.served_at FROM {job} j JOIN {business} t ON t.business_id = j.business_id
			WHERE j.finished_at IS NULL AND (j.leased_until IS NULL OR j.leased_until < ?)`,
		Order: " ORDER BY 4, 3 LIMIT 500", Args: []schema.Value{schema.TimeValue(now)},
	})
}

// EndedJobs lists some jobs of all businesses that ended before a time.
func EndedJobs(ctx context.Context, s *store.Store, before time.Time) ([]DueJob, error) {
	return someJobs(ctx, s, room.Lookup{
		Text: `SELECT t.id, t.business_id, j.id, j.finished_at FROM {job} j JOIN {business} t ON t.business_id = j.business_id
			WHERE j.finished_at IS NOT NULL AND j.finished_at < ?`,
		Order: " ORDER BY 4 LIMIT 100", Args: []schema.Value{schema.TimeValue(before)},
	})
}

// someJobs lists what a lookup finds: the id behind the business, in the order of the time behind that.
func someJobs(ctx context.Context, s *store.Store, l room.Lookup) ([]DueJob, error) {
	type timed struct {
		DueJob
		at int64
	}
	var found []timed
	l.Kinds = []schema.Kind{schema.ID, schema.Time}
	_, err := s.LookUp(ctx, l, func(t store.Tenant, r room.Row) {
		found = append(found, timed{DueJob{t, room.IDAt(r, 2)}, r.Value(3, schema.Time).N})
	})
	slices.SortStableFunc(found, func(a, b timed) int { return cmp.Compare(a.at, b.at) }) // each machine of a cluster has its own order
	all := make([]DueJob, len(found))
	for i, f := range found {
		all[i] = f.DueJob
	}
	return all, err
}

// idsInRow is how many ids a row of a set has.
const idsInRow = 100

// PutJobSet keeps the records that a job is about, behind so many of them. These have to fill their rows.
func PutJobSet(tx *store.Tx, job schema.UUID, behind int64, ids []schema.UUID) error {
	if behind%idsInRow != 0 {
		return fmt.Errorf("the records of a job go on in the middle of a row, behind %d", behind)
	}
	n := (len(ids) + idsInRow - 1) / idsInRow
	return tx.AddRows(room.Rows{
		Table: "job_set", Columns: []string{"job_id", "n", "ids"}, N: n,
		Fill: func(i int, row []schema.Value) []schema.Value {
			var packed []byte
			for _, id := range ids[i*idsInRow : min(len(ids), (i+1)*idsInRow)] {
				packed = append(packed, id[:]...)
			}
			return append(row, schema.IDValue(job), room.Integer(behind/idsInRow+int64(i)), room.Blob(packed))
		},
	})
}

// JobSet gives the next records that a job is about, from the one numbered from on: none once there are no more.
func JobSet(tx *store.Tx, job schema.UUID, from int64) (ids []schema.UUID, err error) {
	next := room.SQL("SELECT s.ids FROM job_set s WHERE s.business_id = {business} AND s.job_id = ? AND s.n = ?",
		schema.IDValue(job), room.Integer(from/idsInRow))
	packed, err := room.One(tx.Query, next, func(r room.Row) []byte { return room.BytesAt(r, 0) })
	for at := int(from%idsInRow) * len(schema.UUID{}); at < len(packed); at += len(schema.UUID{}) {
		ids = append(ids, schema.UUID(packed[at:at+len(schema.UUID{})]))
	}
	return ids, err
}

// Refuse keeps what a job could not do.
func Refuse(tx *store.Tx, job schema.UUID, r Refusal) error {
	columns := []string{"job_id", "n", "resource", "record_id", "input", "problem"}
	return tx.AddRows(room.Rows{Table: "job_refusal", Columns: columns, N: 1, Fill: func(_ int, row []schema.Value) []schema.Value {
		return append(row, schema.IDValue(job), room.Integer(r.N), room.Text(r.Resource), schema.IDValue(r.Record),
			room.DocumentOrNone(r.Input), room.DocumentOrNone(r.Problem))
	}})
}

// Refusals lists what a job could not do, in order, behind a place, at most so many.
func Refusals(ctx context.Context, t store.Tenant, job schema.UUID, after int64, most int) ([]Refusal, error) {
	list := room.SQL(`
		SELECT r.n, r.resource, r.record_id, r.input, r.problem FROM job_refusal r
		WHERE r.business_id = {business} AND r.job_id = ? AND r.n > ? ORDER BY r.n LIMIT `+strconv.Itoa(most), schema.IDValue(job),
		room.Integer(after))
	return room.All(t.Reader(ctx), list, func(r room.Row) Refusal {
		text, id, number, _ := room.Columns(r)
		return Refusal{N: number(0), Resource: text(1), Record: id(2), Input: text(3), Problem: text(4)}
	})
}

// ForgetRefusals forgets what jobs could not do to a record.
func ForgetRefusals(tx *store.Tx, record schema.UUID) error {
	return store.Run(tx, "DELETE FROM job_refusal WHERE business_id = {business} AND record_id = ?", schema.IDValue(record))
}

// ForgetJobSet forgets which records a job was about.
func ForgetJobSet(tx *store.Tx, job schema.UUID) error {
	return store.Run(tx, "DELETE FROM job_set WHERE business_id = {business} AND job_id = ?", schema.IDValue(job))
}

// ForgetRefusalsOf forgets what a job could not do, at most so many, and tells whether nothing is left of it. The zero job is one
// that never was. It removes a range: of a list of numbers PostgreSQL, where it does not know yet how many rows there are, looks through
// all for each.
func ForgetRefusalsOf(tx *store.Tx, job schema.UUID, most int) (done bool, err error) {
	if job == (schema.UUID{}) {
		return true, nil
	}
	n, err := tx.Exec(room.SQL(`
		DELETE FROM job_refusal WHERE business_id = {business} AND job_id = ? AND n <= (SELECT max(f.n) FROM
			(SELECT r.n FROM job_refusal r WHERE r.business_id = {business} AND r.job_id = ? ORDER BY r.n LIMIT `+strconv.Itoa(most)+`) f)`,
		schema.IDValue(job), schema.IDValue(job)))
	return err == nil && n < int64(most), err
}

// ForgetRefusalsOfKinds forgets what jobs of some kinds could not do, at most so many, and tells whether nothing is left of it.
func ForgetRefusalsOfKinds(tx *store.Tx, most int, kinds ...string) (done bool, err error) {
	st := room.SQL("SELECT j.id FROM job j WHERE j.business_id = {business} AND j.kind IN (?" + strings.Repeat(", ?", len(kinds)-1) + `)
		AND EXISTS (SELECT 1 FROM job_refusal r WHERE r.business_id = {business} AND r.job_id = j.id) LIMIT 1`)
	for _, kind := range kinds {
		st.Args = append(st.Args, room.Text(kind))
	}
	job, err := room.Find(tx.Query, st, room.FirstID)
	if err != nil || job == nil {
		return err == nil, err
	}
	_, err = ForgetRefusalsOf(tx, *job, most)
	return false, err
}

// ForgetJob forgets a job that has ended, after so many of its refusals as there are at most. It tells whether it has.
func ForgetJob(tx *store.Tx, job schema.UUID, most int) (done bool, err error) {
	if done, err = ForgetRefusalsOf(tx, job, most); err != nil || !done {
		return false, err
	}
	if err := ForgetJobSet(tx, job); err != nil {
		return false, err
	}
	return true, store.Run(tx, "DELETE FROM job WHERE business_id = {business} AND id = ? AND finished_at IS NOT NULL", schema.IDValue(job))
}
