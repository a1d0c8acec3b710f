package openapi

import "kith/internal/crm"

// Names of the schemas of what people do about themselves.
const (
	OwnPatch = "OwnPatch"
	Sessions = "Sessions"
	Grants   = "Grants"
)

// person adds the schemas of what people do about themselves.
func (b *builder) person() {
	users := crm.KindOf("user")
	var own Object
	for _, l := range crm.OwnFields {
		own = own.with(l.Path, Described(Nullable(Plain("string")), about(users.Leaf(l.Path))))
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
}
