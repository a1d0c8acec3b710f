// Package crm is what kith keeps records of: contacts, deals, quotes and the others. Each kind's file declares its fields, states and
// actions, and holds the few functions that are special about it. Package record serves them all alike.
package crm

import (
	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/record"
)

// Registry is the compiled declaration of all resources.
var Registry = record.Declare(record.Domain{
	Kinds: []*record.Kind{
		Contact, Company, Deal, Task, Note, Activity, Product, Quote, record.Association, Pipeline, LifecycleStage, LossReason,
		account.User, account.Role, account.Token, account.App, View, Report, Follow, Notification, record.Field, Webhook,
	},
	Associated: []string{"contact", "company", "deal", "quote", "task", "note", "activity"},
	Starting: []record.Starting{
		{Kind: LifecycleStage, Body: `{"name":"Lead","is_default":true,"colour":"gray"}`},
		{Kind: LifecycleStage, Body: `{"name":"Qualified","colour":"blue"}`},
		{Kind: LifecycleStage, Body: `{"name":"Opportunity","colour":"yellow"}`},
		{Kind: LifecycleStage, Body: `{"name":"Customer","colour":"green"}`},
		{Kind: LifecycleStage, Body: `{"name":"Former customer","colour":"orange"}`},
		{Kind: LossReason, Body: `{"name":"Price"}`},
		{Kind: LossReason, Body: `{"name":"Chose a competitor"}`},
		{Kind: LossReason, Body: `{"name":"No budget"}`},
		{Kind: LossReason, Body: `{"name":"No decision"}`},
		{Kind: LossReason, Body: `{"name":"Bad timing"}`},
		{Kind: Pipeline, Body: `{"name":"Sales","is_default":true,"stages":[
	{"name":"Qualification","probability":10},{"name":"Meeting","probability":25},{"name":"Proposal","probability":50},
	{"name":"Negotiation","probability":75},{"name":"Won","kind":"won"},{"name":"Lost","kind":"lost"}]}`},
	},
	Declare: []func(){
		account.Declare, declareContacts, declareCompanies, declareDeals, declareTasks, declareNotes, declareActivities, declareProducts,
		declareQuotes, declarePipelines, declareLifecycleStages, declareLossReasons, declareViews, declareReports,
		declareFollows, declareNotifications, declareWebhooks,
	},
})
