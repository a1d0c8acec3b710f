package client

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Error is the server's refusal of a request.
type Error struct {
	// Status is the HTTP status, and Code the stable name of what is wrong.
	Status int  `json:"status"`
	Code   Code `json:"code"`
	// Title and Detail are for people.
	Title  string `json:"title"`
	Detail string `json:"detail"`
	// RequestID finds the request in the server's log.
	RequestID string `json:"request_id"`
	// Fields are what is wrong with the input; FieldsOmitted counts those that are not listed.
	Fields        []FieldError `json:"errors"`
	FieldsOmitted int          `json:"errors_omitted"`
	// Allowed is what would have been accepted: versions, methods, moves of a state.
	Allowed []string `json:"allowed"`
	// Scope is the scope that the token lacks.
	Scope string `json:"scope"`
	// ExistingID is the record that is in the way, and ExistingIDs are those of which one is meant.
	ExistingID  string   `json:"existing_id"`
	ExistingIDs []string `json:"existing_ids"`
	// MergedInto is the record into which the one that was asked for has been merged, in the end.
	MergedInto string `json:"merged_into"`
	// CurrentVersion is the version of a record that changed, and Changes what made it so, newest first; ChangesOmitted counts
	// those that are not listed.
	CurrentVersion int64           `json:"current_version"`
	Changes        []VersionChange `json:"changes"`
	ChangesOmitted int64           `json:"changes_omitted"`
	// RetryAfter is how long the server wants to be left alone.
	RetryAfter time.Duration `json:"-"`
}

// FieldError is what is wrong with one field of the input.
type FieldError struct {
	// Field is the path in the input: email, filters[2].values[0], address.city.
	Field string `json:"field"`
	// Code is its stable name, such as required or too_long; Message is for people.
	Code    string   `json:"code"`
	Message string   `json:"message"`
	Allowed []string `json:"allowed"`
}

// VersionChange tells who made a version of a record, and which fields they changed.
type VersionChange struct {
	Version int64     `json:"version"`
	At      time.Time `json:"at"`
	Actor   Actor     `json:"actor"`
	Fields  []string  `json:"fields"`
}

// Actor is who did something: a user, through a token or an app.
type Actor struct {
	UserID  UserID  `json:"user_id"`
	TokenID TokenID `json:"token_id"`
	AppID   string  `json:"app_id"`
}

// Error says what is wrong, field by field where fields are.
func (e *Error) Error() string {
	var out strings.Builder
	fmt.Fprintf(&out, "kith: %d", e.Status)
	if e.Code != "" {
		out.WriteString(" " + string(e.Code))
	}
	switch {
	case len(e.Fields) > 0:
		for i, f := range e.Fields {
			if i > 0 {
				out.WriteByte(';')
			} else {
				out.WriteByte(':')
			}
			out.WriteString(" " + f.Field + " " + f.Message)
		}
		if e.FieldsOmitted > 0 {
			fmt.Fprintf(&out, "; and %d more", e.FieldsOmitted)
		}
	case e.Detail != "":
		out.WriteString(": " + e.Detail)
	case e.Title != "":
		out.WriteString(": " + e.Title)
	}
	if e.RequestID != "" {
		out.WriteString(" (" + e.RequestID + ")")
	}
	return out.String()
}

// Is tells whether the error has a code: errors.Is(err, client.ErrNotFound).
func (e *Error) Is(target error) bool {
	code, ok := target.(Code)
	return ok && e.Code == code
}

// Field gives what is wrong with a field of the input, or nil.
func (e *Error) Field(path string) *FieldError {
	for i := range e.Fields {
		if e.Fields[i].Field == path {
			return &e.Fields[i]
		}
	}
	return nil
}

// UnmarshalJSON reads a problem as the server sends it.
func (e *Error) UnmarshalJSON(text []byte) error {
	type plain Error
	in := struct {
		*plain
		RetryAfterMS int64 `json:"retry_after_ms"`
	}{plain: (*plain)(e)}
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	e.RetryAfter = time.Duration(in.RetryAfterMS) * time.Millisecond
	return nil
}

// Code is the stable name of what is wrong. Each is also an error, to compare with: errors.Is(err, client.ErrNotFound).
type Code string

// Error gives the code.
func (c Code) Error() string { return "kith: " + string(c) }

// The codes of errors; the reference tells when each is given.
const (
	ErrMalformedJSON         Code = "malformed_json"
	ErrVersionRequired       Code = "version_required"
	ErrVersionUnsupported    Code = "version_unsupported"
	ErrUnauthorized          Code = "unauthorized"
	ErrInvalidToken          Code = "invalid_token"
	ErrInsufficientScope     Code = "insufficient_scope"
	ErrForbiddenByRole       Code = "forbidden_by_role"
	ErrSessionRequired       Code = "session_required"
	ErrConfirmationRequired  Code = "confirmation_required"
	ErrSecondFactorRequired  Code = "second_factor_required"
	ErrNotFound              Code = "not_found"
	ErrMethodNotAllowed      Code = "method_not_allowed"
	ErrUnsupportedMediaType  Code = "unsupported_media_type"
	ErrPayloadTooLarge       Code = "payload_too_large"
	ErrValidationFailed      Code = "validation_failed"
	ErrConflict              Code = "conflict"
	ErrInvalidTransition     Code = "invalid_transition"
	ErrPreconditionFailed    Code = "precondition_failed"
	ErrAmbiguousMatch        Code = "ambiguous_match"
	ErrIdempotencyKeyReused  Code = "idempotency_key_reused"
	ErrIdempotencyInProgress Code = "idempotency_in_progress"
	ErrTooManyRequests       Code = "too_many_requests"
	ErrInternal              Code = "internal"
	ErrServiceUnavailable    Code = "service_unavailable"
	ErrTimeout               Code = "timeout"
	ErrDatabaseUnavailable   Code = "database_unavailable"
)
