// Package crm is what kith keeps records of: contacts, deals, quotes and the others. Each kind's file declares its fields, states and
// actions, and holds the few functions that are special about it. Package record serves them all alike.
package crm

import (
	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// Registry is the compiled declaration of all resources.
var Registry = declare()

// declare says what there are records of, and has each kind find the fields that its code names: a misspelt one stops the program.
func declare() *schema.Registry {
	registry := record.Declare(record.Domain{
		Kinds: []*record.Kind{
			Contact, Company, Deal, Task, Note, Activity, Product, Quote, record.Association, Pipeline, LifecycleStage,
			account.User, account.Role, account.Token, account.App, View, record.Field, Webhook,
		},
		Associated: []string{"contact", "company", "deal", "quote", "task", "note", "activity"},
		Starting: []record.Starting{
			{Kind: LifecycleStage, Body: `{"name":"Lead","is_default":true}`},
			{Kind: LifecycleStage, Body: `{"name":"Qualified"}`},
			{Kind: LifecycleStage, Body: `{"name":"Opportunity"}`},
			{Kind: LifecycleStage, Body: `{"name":"Customer"}`},
			{Kind: LifecycleStage, Body: `{"name":"Former customer"}`},
			{Kind: Pipeline, Body: `{"name":"Sales","is_default":true,"stages":[
	{"name":"Qualification","probability":10},{"name":"Meeting","probability":25},{"name":"Proposal","probability":50},
	{"name":"Negotiation","probability":75},{"name":"Won","kind":"won"},{"name":"Lost","kind":"lost"}]}`},
		},
	})
	for _, declare := range []func(){
		declareContacts, declareCompanies, declareDeals, declareTasks, declareNotes, declareActivities, declareProducts,
		declareQuotes, declarePipelines, declareLifecycleStages, declareViews, declareWebhooks,
	} {
		declare()
	}
	return registry
}
