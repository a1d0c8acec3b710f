package record

import (
	"slices"
	"strconv"

	"github.com/kith-crm/kith/internal/schema"
)

// Answer gives what became of a record as JSON: the record to those who may read it, to others only its id and version. A secret that is
// shown once is shown in either case. Every answer to a write passes this, AnswerBeside or withhold.
func (p *Principal) Answer(dst []byte, k *Kind, rec *schema.Record) []byte {
	if p.MayRead(&k.Resource, rec) {
		return Render(dst, rec)
	}
	return AppendShort(dst, k, rec)
}

// AnswerBeside gives what an operation tells beside the record, each with a comma before it, as far as the principal may read the records
// that it tells of.
func (p *Principal) AnswerBeside(dst []byte, k *Kind, out Outcome) []byte {
	for _, told := range out.Beside {
		if !slices.ContainsFunc(told.Of, func(rec *schema.Record) bool { return !p.MayRead(&k.Resource, rec) }) {
			dst = append(append(schema.AppendString(append(dst, ','), told.Name), ':'), told.JSON...)
		}
	}
	return dst
}

// AppendShort renders the id and version of a record, and a secret that is shown once.
func AppendShort(dst []byte, k *Kind, rec *schema.Record) []byte {
	dst = append(dst, `{"id":"`...)
	dst = append(dst, schema.FormatID(k.Name, rec.ID())...)
	dst = append(dst, `","version":`...)
	dst = strconv.AppendInt(dst, rec.Version(), 10)
	return appendOnce(append(dst, '}'), rec)
}

// Render gives a live record, or the business, as JSON.
func Render(dst []byte, rec *schema.Record) []byte {
	return appendOnce(rec.Append(dst), rec)
}

func appendOnce(dst []byte, rec *schema.Record) []byte {
	if rec.Once == nil {
		return dst
	}
	dst = append(dst[:len(dst)-1], ',')
	dst = schema.AppendString(dst, rec.Once.Name)
	dst = append(dst, ':')
	dst = schema.AppendString(dst, rec.Once.Value)
	return append(dst, '}')
}
