package openapi

import (
	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// Names of the schemas of what people do about themselves.
const (
	OwnPatch = "OwnPatch"
	Sessions = "Sessions"
	Grants   = "Grants"
	Factors  = "Factors"
	Proof    = "Proof"
)

// person adds the schemas of what people do about themselves.
func (b *builder) person() {
	users := record.KindOf("user")
	var own Object
	for _, l := range account.OwnFields() {
		of := Nullable(Plain("string"))
		if l.Kind == schema.Choices {
			of = List(Enum(l.Options...))
		}
		own = own.with(l.Path, Described(of, about(users.Leaf(l.Path))))
	}
	b.add(OwnPatch, AllOptional(own))
	b.add(Sessions, Strict(object("data", List(Strict(object(
		"id", ID("session"),
		"agent", Described(Plain("string"), "What the browser calls itself."),
		"address", Described(Plain("string"), "Where the log-in was from."),
		"created_at", Time(), "seen_at", Time(),
		"current", Described(Plain("boolean"), "Whether it is the one that asks."),
	))))))
	b.add(Grants, Strict(object("data", List(Strict(object(
		"id", ID("grant"),
		"client_id", Plain("string"),
		"client_name", Described(Plain("string"), "What the app calls itself."),
		"scopes", List(Plain("string")),
		"created_at", Time(), "used_at", Nullable(Time()),
	))))))
	b.add(Factors, Strict(object(
		"email", Plain("string"),
		"role", Plain("string"),
		"required", Described(Plain("boolean"), "Whether the role requires a second factor."),
		"has_password", Described(Plain("boolean"), "Who logs in with their company may have none."),
		"passkeys_work", Described(Plain("boolean"),
			"Whether passkeys can be used at this address: that needs a name, and https or the own machine."),
		"authenticator", Described(Nullable(Strict(object("id", ID("factor"), "created_at", Time()))), "An app that shows codes."),
		"passkeys", Described(List(Strict(object("id", ID("factor"), "name", Plain("string"), "created_at", Time(), "used_at",
			Nullable(Time())))), "The oldest first."),
		"recovery_codes_left", Described(Plain("integer"), "How many have not been used."),
	)))
	b.add(Proof, AllOptional(object(
		"password", Described(Plain("string"), "The present password."),
		"code", Described(Plain("string"), "A code of the authenticator app, or a recovery code."),
		"state", Described(Plain("string"), "That of askPasskey."),
		"response", Described(Plain("string"), "What the browser signed with a passkey, as JSON, in place of password and code."),
	)))
}
