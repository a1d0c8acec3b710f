// Package problem holds the one error type that crosses packages. A rule that is broken makes a
// Problem where the rule lives; the HTTP layer alone turns it into a response (RFC 9457).
package problem

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Code is a stable, documented name of what went wrong.
type Code string

// The codes a caller can meet. Each belongs to exactly one HTTP status.
const (
	MalformedJSON        Code = "malformed_json"
	VersionRequired      Code = "version_required"
	VersionUnsupported   Code = "version_unsupported"
	Unauthorized         Code = "unauthorized"
	InvalidToken         Code = "invalid_token"
	InsufficientScope    Code = "insufficient_scope"
	ForbiddenByRole      Code = "forbidden_by_role"
	SessionRequired      Code = "session_required"
	ConfirmationRequired Code = "confirmation_required"
	SecondFactorRequired Code = "second_factor_required"
	NotFound             Code = "not_found"
	MethodNotAllowed     Code = "method_not_allowed"
	UnsupportedMediaType Code = "unsupported_media_type"
	PayloadTooLarge      Code = "payload_too_large"
	ValidationFailed     Code = "validation_failed"
	Conflict             Code = "conflict"
	InvalidTransition    Code = "invalid_transition"
	PreconditionFailed   Code = "precondition_failed"
	AmbiguousMatch       Code = "ambiguous_match"
	KeyReused            Code = "idempotency_key_reused"
	KeyInProgress        Code = "idempotency_in_progress"
	TooManyRequests      Code = "too_many_requests"
	Internal             Code = "internal"
	ServiceUnavailable   Code = "service_unavailable"
	Timeout              Code = "timeout"
	DatabaseUnavailable  Code = "database_unavailable"
)

// Field says what is wrong with one field of the input.
type Field struct {
	Field   string   `json:"field"`
	Code    string   `json:"code"`
	Message string   `json:"message"`
	Allowed []string `json:"allowed,omitempty"`
}

// Problem is an error that a caller may see. Detail is written for them; nothing internal belongs in it.
type Problem struct {
	Code   Code
	Detail string
	Fields []Field
	// Omitted is how many further wrong fields there are beside those in Fields.
	Omitted int

	// ExistingID names the record that already holds a unique value.
	ExistingID string
	// Allowed lists what would have been accepted: versions, methods, state moves.
	Allowed []string
	// RetryAfter is how long to wait before the same is worth another try.
	RetryAfter time.Duration
	// ExistingIDs are the records of which one is meant.
	ExistingIDs []string
	// MergedInto is the record into which one was merged that is asked for.
	MergedInto string
	// CurrentVersion is the version of a record that has changed, and Changes what made it so, newest first; ChangesOmitted are the
	// older ones.
	CurrentVersion int64
	Changes        []Changed
	ChangesOmitted int64
	// Scope is the scope that a token would have needed.
	Scope string
}

// Changed tells who made a version of a record, and which fields they changed.
type Changed struct {
	Version int64  `json:"version"`
	At      string `json:"at"`
	// Actor names who did it, as the change log does.
	Actor  json.RawMessage `json:"actor"`
	Fields []string        `json:"fields"`
}

// Inside gives an error as it is for somebody who sent the input as a part of something larger: its fields are those of the part.
func Inside(err error, part string) error {
	p := As(err)
	if p == nil || len(p.Fields) == 0 {
		return err
	}
	moved := *p
	moved.Fields = make([]Field, len(p.Fields))
	for i, f := range p.Fields {
		f.Field = clip(part+"."+f.Field, MaxRepeated)
		moved.Fields[i] = f
	}
	return &moved
}

func (p *Problem) Error() string {
	if len(p.Fields) == 0 {
		return fmt.Sprintf("%s: %s", p.Code, p.Detail)
	}
	parts := make([]string, len(p.Fields))
	for i, f := range p.Fields {
		parts[i] = f.Field + ": " + f.Message
	}
	return fmt.Sprintf("%s: %s", p.Code, strings.Join(parts, "; "))
}

// New makes a problem with a sentence for the caller.
func New(code Code, format string, args ...any) *Problem {
	return &Problem{Code: code, Detail: fmt.Sprintf(format, args...)}
}

// WorthRetrying tells that a code is no fault of the request: the same may succeed in a moment.
func (c Code) WorthRetrying() bool {
	return c == Timeout || c == ServiceUnavailable || c == DatabaseUnavailable
}

// As gives the problem inside err, or nil where err is a fault of ours.
func As(err error) *Problem {
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	return nil
}

// Limits of what is told about an input, whatever was sent: how many wrong fields are listed, and how many characters of a field's name and
// of a message are repeated.
const (
	MaxFields   = 100
	MaxRepeated = 200
	maxMessage  = 500
)

// Fields collects what is wrong with an input, so that every wrong field is reported and not just the first. Its length is the number of
// wrong fields; beyond the first MaxFields they are only counted.
type Fields []Field

// Add reports one wrong field.
func (f *Fields) Add(field, code, message string, allowed ...string) {
	if f.Full() {
		*f = append(*f, Field{})
		return
	}
	*f = append(*f, Field{Field: clip(field, MaxRepeated), Code: code, Message: clip(message, maxMessage), Allowed: allowed})
}

// Full tells that a further wrong field is only counted, so that nobody needs to find words for it.
func (f Fields) Full() bool { return len(f) >= MaxFields }

// clip cuts what was sent to a length at which it can be repeated to the sender.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for at := range text {
		if most--; most < 0 {
			return text[:at] + "…"
		}
	}
	return text
}

// Wrong is a validation problem with a single wrong field.
func Wrong(field, code, message string, allowed ...string) error {
	var f Fields
	f.Add(field, code, message, allowed...)
	return f.Err()
}

// Has tells whether the field, or one inside it, has been reported and is listed.
func (f Fields) Has(field string) bool {
	for _, e := range f[:min(len(f), MaxFields)] {
		if rest, ok := strings.CutPrefix(e.Field, field); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return true
		}
	}
	return false
}

// Err is nil when nothing is wrong, else a validation problem with all that was reported.
func (f Fields) Err() error {
	if len(f) == 0 {
		return nil
	}
	detail := "One field is not valid."
	if len(f) > 1 {
		detail = fmt.Sprintf("%d fields are not valid.", len(f))
	}
	listed := min(len(f), MaxFields)
	return &Problem{Code: ValidationFailed, Detail: detail, Fields: f[:listed:listed], Omitted: len(f) - listed}
}
