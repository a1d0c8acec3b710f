// Package crm is what kith keeps records of: contacts, deals, quotes and the others. Each kind's file declares its fields, states and
// actions, and holds the few functions that are special about it. Package record serves them all alike.
package crm

import "github.com/kith-crm/kith/internal/schema"

// Registry is the compiled declaration of all resources.
var registry = Declare(Domain{
	Kinds: []*Kind{
		Contact, Company, Deal, Task, Note, Activity, Product, Quote, Association, Pipeline, LifecycleStage,
		User, role, Token, app, View, Field, Webhook,
	},
	Starting: []Starting{
		{LifecycleStage, `{"name":"Lead","is_default":true}`},
		{LifecycleStage, `{"name":"Qualified"}`},
		{LifecycleStage, `{"name":"Opportunity"}`},
		{LifecycleStage, `{"name":"Customer"}`},
		{LifecycleStage, `{"name":"Former customer"}`},
		{Pipeline, `{"name":"Sales","is_default":true,"stages":[
	{"name":"Qualification","probability":10},{"name":"Meeting","probability":25},{"name":"Proposal","probability":50},
	{"name":"Negotiation","probability":75},{"name":"Won","kind":"won"},{"name":"Lost","kind":"lost"}]}`},
	},
})

// fieldsOf resolves the fields of a kind that code names, when the program starts.
func fieldsOf[F any](k *Kind) F { return schema.FieldsOf[F](&registry.Resource(k.Name).Shape) }

// argumentsOf resolves what the body of an action carries.
func argumentsOf[F any](k *Kind, action string) F {
	_ = registry // which is declared first
	return schema.FieldsOf[F](k.Arguments(action))
}
