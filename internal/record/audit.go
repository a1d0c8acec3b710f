package record

import (
	"context"
	"slices"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// What the audit log tells besides changes of records that are Audited, whose words follow from their declarations.
const (
	AuditBegan         = "audit.began"
	BackupMade         = "backup.created"
	BackupRestored     = "backup.restored"
	BinEmptied         = "bin.emptied"
	BusinessCreated    = "business.created"
	ConfirmationFailed = "confirmation.failed"
	Exported           = "data.exported"
	GrantEnded         = "grant.ended"
	GrantMade          = "grant.created"
	LinkMade           = "link.created"
	LogInFailed        = "login.failed"
	LogInSucceeded     = "login.succeeded"
	PasswordChanged    = "password.changed"
	SessionEnded       = "session.ended"
)

// clientResource is what the audit log calls an OAuth client that registered itself, or is an app.
const clientResource = "client"

// AuditActions are all that a line can tell, in order.
func AuditActions() []string {
	all := []string{
		AuditBegan, BackupMade, BackupRestored, BinEmptied, BusinessCreated, ConfirmationFailed, Exported, GrantEnded, GrantMade,
		LinkMade, LogInFailed, LogInSucceeded, PasswordChanged, SessionEnded, Business.Event(Update),
	}
	for _, k := range kinds {
		for operation, offered := range map[string]bool{
			Create: k.Offers(Create), Update: k.Offers("patch"), Remove: k.Offers(Remove), Restore: k.Offers(Restore),
			Erase: k.Life.Erasable,
		} {
			if event := k.Event(operation); offered && event != "" {
				all = append(all, event)
			}
		}
		for _, a := range k.Actions {
			if event := k.Event(a.Name); event != "" {
				all = append(all, event)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// declareAudit declares the lines of the audit log. They are no records: nobody makes, changes or deletes them, and who may read
// them a feature permission alone decides.
func declareAudit() *schema.Resource {
	names := []string{Business.Name, clientResource}
	var fields []string
	for _, k := range kinds {
		names = append(names, k.Name)
		if k.Access.Audited {
			fields = append(fields, k.Shape.FieldNames()...)
		}
	}
	fields = append(append(fields, Business.Shape.FieldNames()...), linkPurposes...)
	slices.Sort(fields)
	return schema.CompileLog(&schema.Resource{
		Name: "audit", Plural: "audit", Label: "Audit log", Without: []string{Create, "patch"},
		Access: schema.Access{Feature: AuditFeature},
		Fields: []schema.Field{
			{Name: "id", Kind: schema.ID, Label: "ID", ReadOnly: true, Required: true},
			{
				Name: "seq", Kind: schema.Integer, Label: "Number", ReadOnly: true, Required: true,
				About: "Counts the lines of the business, from 1 and without gaps.",
			},
			{Name: "created_at", Kind: schema.Time, Label: "When", Required: true, ReadOnly: true, Find: schema.Find{Indexed: true}},
			{
				Name: "action", Kind: schema.Choice, Options: AuditActions(), Label: "What happened", Required: true, ReadOnly: true,
				Find: schema.Find{Indexed: true},
			},
			{
				Name: "actor", Kind: schema.Choice, Options: []string{"user", "operator", "server", "stranger"}, Label: "Who",
				ReadOnly: true, Required: true, About: "`user`: somebody who logged in, or an app or token of theirs. `operator`: a " +
					"command on the server. `server`: kith by itself. `stranger`: nobody knows.",
			},
			{
				Name: "user_id", Kind: schema.ID, Ref: schema.Ref{Prefix: UserName}, Label: "User", ReadOnly: true,
				Find: schema.Find{Indexed: true}, About: "Who acted, or in whose name.",
			},
			{Name: "token_id", Kind: schema.ID, Ref: schema.Ref{Prefix: "token"}, Label: "Token", ReadOnly: true},
			{
				Name: "app_id", Kind: schema.Text, Label: "App", ReadOnly: true,
				About: "The app that acted: its id, or its client id where it registered itself.",
			},
			{Name: "resource", Kind: schema.Choice, Options: names, Label: "Resource", ReadOnly: true, About: "What it happened to."},
			{Name: "record_id", Kind: schema.Text, Label: "Record", ReadOnly: true, Find: schema.Find{Indexed: true}},
			{
				Name: "fields", Kind: schema.Choices, Options: slices.Compact(fields), Label: "Fields", ReadOnly: true,
				About: "The names of what changed; never the values. Of a link, what it is for.",
			},
			{
				Name: "count", Kind: schema.Integer, Label: "How often", ReadOnly: true, Required: true,
				About: "More than 1 where several are told in one line.",
			},
			{
				Name: "address", Kind: schema.Text, Label: "Address", ReadOnly: true, Find: schema.Find{Indexed: true},
				About: "Where the request came from; gone once the user is erased.",
			},
			{Name: "request_id", Kind: schema.Text, Label: "Request", ReadOnly: true},
			{
				Name: "hash", Kind: schema.Text, Label: "Hash", ReadOnly: true, Required: true,
				About: "SHA-256 of the line and the hash of the one before.",
			},
		},
	})
}

// linkPurposes are what a link can be for, which its line tells.
var linkPurposes = []string{"invite", "reset", "email", "quote"}

// AuditOf is an entry about a user.
func AuditOf(action string, about schema.UUID, fields ...string) store.AuditEntry {
	return store.AuditEntry{Action: action, Resource: UserName, Record: schema.FormatID(UserName, about), Fields: fields}
}

// AuditOfClient is an entry about an OAuth client.
func AuditOfClient(action, clientID string) store.AuditEntry {
	return store.AuditEntry{Action: action, Resource: clientResource, Record: clientID}
}

// SearchAudit answers a search of the audit log, as Search does for records. Its lines have one order: that of time.
func (e *Engine) SearchAudit(ctx context.Context, c Call, n *body.Node, each func(q *query.Query, values []schema.Value)) (List, error) {
	if err := c.AllowAudit(); err != nil {
		return List{}, err
	}
	object, err := n.Object()
	if err != nil {
		return List{}, err
	}
	line := Registry.Audit
	asker := query.Asker{Business: c.Tenant.ID(), User: c.User}
	q, err := query.Check(object, line, false, c.Reader(ctx), e.cursors, asker)
	if err != nil {
		return List{}, err
	}
	var wrong problem.Fields
	if at := line.Common.CreatedAt; q.Order.Leaf != at {
		wrong.Add("order_by", "not_sortable", "must be "+at.Path+", by which the audit log is in order", at.Path)
	}
	if len(q.Words) > 0 {
		wrong.Add("search_text", "not_allowed", "cannot be used on the audit log, which has no text to look for; filter by a field")
	}
	if err := wrong.Err(); err != nil {
		return List{}, err
	}
	page, err := c.Tenant.SearchAudit(ctx, q, func(values []schema.Value) error {
		each(q, values)
		return nil
	})
	if err != nil {
		return List{}, err
	}
	return e.listed(q, asker, page), nil
}
