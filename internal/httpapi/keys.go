package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"net/http"
	"slices"
	"time"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
	"github.com/kith-crm/kith/internal/work"
)

// What a write answers is decided inside its transaction, so that it can be kept there under the caller's idempotency key: either
// both are on disk or neither. Somebody who lost the answer sends the request again and is given it, and nothing is done twice.

// keyHeader names the caller's key for a request.
const keyHeader = "Idempotency-Key"

// longestKey is how many characters a key may have.
const longestKey = 255

// retryKey is when to ask again for what is under way.
const retryKey = time.Second

// commit runs a write in a transaction, unless planning it failed: for real, under the caller's key, or as a rehearsal.
func (r *request) commit(planned error, run func(tx *store.Tx) (reply, error)) (reply, error) {
	key, err := r.key()
	switch {
	case err != nil:
		return reply{}, err
	case r.dry:
		r.w.Header().Set("Dry-Run", "true")
		return r.transact(planned, run, r.call.Tenant.Rehearse)
	case key == "":
		return r.transact(planned, run, r.call.Tenant.Write)
	}
	return r.once(key, planned, run)
}

// transaction is a method of a tenant that runs one.
type transaction func(ctx context.Context, actor store.Actor, fn func(*store.Tx) error) error

// transact runs a write that was planned. It may be run more than once; only the last reply counts.
func (r *request) transact(planned error, run func(tx *store.Tx) (reply, error), in transaction) (reply, error) {
	var a reply
	if planned != nil {
		return a, planned
	}
	err := in(r.in.Context(), r.call.By(), func(tx *store.Tx) (err error) {
		a, err = run(tx)
		return err
	})
	return a, err
}

// key reads the header.
func (r *request) key() (string, error) {
	values := r.in.Header.Values(keyHeader)
	if len(values) == 0 {
		return "", nil
	}
	key := values[0]
	visible := !slices.ContainsFunc([]byte(key), func(c byte) bool { return c < '!' || c > '~' })
	if len(values) > 1 || key == "" || len(key) > longestKey || !visible {
		return "", problem.Wrong(keyHeader, "invalid_format", "must be given once, with 1 to 255 visible characters (ASCII, no spaces)")
	}
	return key, nil
}

// once does a write under a key, or replays what it was answered.
func (r *request) once(key string, planned error, run func(tx *store.Tx) (reply, error)) (reply, error) {
	hash := sha256.Sum256(slices.Concat(r.call.Connection[:], []byte(key)))
	if _, busy := r.api.underWay.LoadOrStore(hash, true); busy {
		p := problem.New(problem.KeyInProgress, "A request with this %s is under way. Ask again in a moment for its answer.", keyHeader)
		p.RetryAfter = retryKey
		return reply{}, p
	}
	defer r.api.underWay.Delete(hash)
	fingerprint := r.fingerprint()
	replayed := false
	answered := func(tx *store.Tx, kept *queue.Answer) (a reply, err error) {
		if replayed = kept != nil; !replayed {
			return reply{}, nil
		}
		if kept.Fingerprint != fingerprint {
			return reply{}, problem.New(problem.KeyReused,
				"This %s was used for another request: another method, path or body. Use a new one for each request.", keyHeader)
		}
		text, err := queue.Unpack(kept.Body)
		if err != nil {
			return a, err
		}
		// What was removed for good since may not have been cut out of it yet.
		if text, _, err = work.CutAnswer(tx, text); err != nil {
			return a, err
		}
		return replay(kept, text), nil
	}
	var a reply
	err := queue.WriteOnce(r.in.Context(), r.call.Tenant, r.call.By(), hash, func(tx *store.Tx, kept *queue.Answer) (err error) {
		if a, err = answered(tx, kept); err != nil || replayed {
			return err
		}
		if planned != nil {
			return planned
		}
		if a, err = run(tx); err != nil {
			return err
		}
		return queue.KeepAnswer(tx, hash, keep(fingerprint, a))
	})
	if p := problem.As(err); p != nil && !replayed && lasts(p.Code) {
		// What failed has left nothing behind, so its answer is kept by itself. Another server may have been faster.
		failed := r.failure(err)
		a, err = r.transact(nil, func(tx *store.Tx) (reply, error) {
			kept, err := queue.AnswerIn(tx, hash)
			if err != nil {
				return reply{}, err
			}
			earlier, err := answered(tx, kept)
			if err != nil || replayed {
				return earlier, err
			}
			return failed, queue.KeepAnswer(tx, hash, keep(fingerprint, failed))
		}, r.call.Tenant.Keep)
	}
	if replayed && err == nil {
		r.w.Header().Set("Idempotent-Replayed", "true")
	}
	return a, err
}

// lasts tells whether the same request would be answered so again for as long as nothing else changes, and not only at the moment.
func lasts(code problem.Code) bool {
	status := statuses[code].status
	return code != problem.KeyReused && (status == http.StatusNotFound || status == http.StatusConflict ||
		status == http.StatusPreconditionFailed || status == http.StatusUnprocessableEntity)
}

// fingerprint tells a request from another one: by its method, its path and the bytes of its body.
func (r *request) fingerprint() [32]byte {
	var told []byte
	for _, part := range []string{r.in.Method, r.in.URL.Path, string(r.text)} {
		told = binary.AppendUvarint(told, uint64(len(part)))
		told = append(told, part...)
	}
	return sha256.Sum256(told)
}

// keep gives a reply as it is stored. Nothing that is shown only once is in it.
func keep(fingerprint [32]byte, a reply) queue.Answer {
	text := a.text
	if a.kept != nil {
		text = a.kept
	}
	return queue.Answer{Fingerprint: fingerprint, Status: a.status, ETag: a.etag, Location: a.location, Body: slices.Clone(pack(text))}
}

// pack gives a text as it is kept.
func pack(text []byte) []byte {
	if len(text) >= leastCompressed {
		return compress(nil, text)
	}
	return text
}

func replay(kept *queue.Answer, text []byte) reply {
	return reply{status: kept.Status, etag: kept.ETag, location: kept.Location, problem: kept.Status >= http.StatusBadRequest, text: text}
}
