package crm

import (
	"slices"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

var Task = &record.Kind{AboutOthers: true, Resource: schema.Resource{
	Name: "task", Plural: "tasks", Label: "Task",
	Access:  schema.Access{Own: []string{"owner_id", "assignee_id"}},
	Summary: schema.Summary{NamedBy: []string{"title"}, Telling: []string{"status", "due_at", "assignee.name"}},
	Layout: schema.Layout{
		Head: []string{"due_at", "priority", "contact_id", "company_id", "deal_id"},
		Form: []string{"title", "due_at", "priority", "assignee_id", "contact_id", "company_id", "deal_id"},
	},
	Life: schema.Life{Importable: true},
	Example: `{"title":"Call Anna back","due_at":"2030-06-03T09:00:00Z","priority":"high",` +
		`"contact_id":"contact_01kh4xv1qcf0mvq8gk8d8mvxd9"}`,
	Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, Label: "Title", Required: true, Find: schema.Find{Searchable: true, Sorted: true}},
		{Name: "description", Kind: schema.LongText, Label: "Description", Find: schema.Find{Searchable: true}},
		{Name: "task_type", Kind: schema.Text, Label: "Type", About: "Free text, such as call, email or follow_up."},
		{
			Name: "status", Kind: schema.Choice, Options: []string{"open", "in_progress", "completed", "cancelled"}, Label: "Status",
			OptionColours: []string{"gray", "blue", "green", "gray"},
			Required:      true, Default: "open", Find: schema.Find{Indexed: true},
		},
		{
			Name: "priority", Kind: schema.Choice, Options: []string{"low", "normal", "high", "urgent"}, Label: "Priority", Required: true,
			OptionColours: []string{"gray", "blue", "orange", "red"},
			Default:       "normal", Find: schema.Find{Indexed: true},
		},
		{Name: "due_at", Kind: schema.Time, Label: "Due", Find: schema.Find{Sorted: true}},
		{
			Name: "completed_at", Kind: schema.Time, Label: "Completed", ReadOnly: true,
			Writing: schema.Writing{SetBy: []string{"complete", "reopen"}},
		},
		{
			Name: "completed_by", Kind: schema.ID, Ref: schema.Ref{To: "user"}, Label: "Completed by", ReadOnly: true,
			Writing: schema.Writing{SetBy: []string{"complete", "reopen"}},
		},
		{
			Name: "assignee_id", Kind: schema.ID, Ref: schema.Ref{To: "user"}, Label: "Assignee", Find: schema.Find{Indexed: true},
			About: "The owner when not given.",
		},
		about("contact", "Contact"),
		about("company", "Company"),
		about("deal", "Deal"),
	},
	States: &schema.States{Field: "status", Initial: "open", Moves: []schema.Move{
		{Name: "complete", From: []string{"open", "in_progress"}, To: "completed", ByPatch: true},
		{Name: "reopen", From: []string{"completed", "cancelled"}, To: "open", Done: []string{"in_progress"}, ByPatch: true},
		{Name: "start", From: []string{"open"}, To: "in_progress", ByPatch: true},
		{Name: "stop", From: []string{"in_progress"}, To: "open", ByPatch: true},
		{Name: "cancel", From: []string{"open", "in_progress"}, To: "cancelled", ByPatch: true},
	}},
	Actions: []schema.Action{
		{Name: "complete", About: "Completes the task; completing it twice changes nothing."},
		{Name: "reopen", About: "Opens a completed or cancelled task again."},
	},
}}

// Tasks are the fields of tasks that code names.
var Tasks struct {
	schema.Common
	Status, DueAt, CompletedAt, CompletedBy, AssigneeID *schema.Leaf
}

// ToBeDone tells that a task is neither completed nor cancelled.
func ToBeDone(task *schema.Record) bool {
	return slices.Contains([]string{"open", "in_progress"}, task.Text(Tasks.Status))
}

func declareTasks() {
	schema.Bind(&Task.Shape, &Tasks)
	Task.Carried = []*schema.Leaf{Tasks.CompletedAt, Tasks.CompletedBy}
	move := func(w *record.Mutation, _ *body.Changes) error {
		_, err := w.Move()
		return err
	}
	Task.Acts = map[string]func(*record.Mutation, *body.Changes) error{"complete": move, "reopen": move}
	Task.Prepare = func(w *record.Mutation) error {
		if w.Old == nil && !w.Gave(Tasks.AssigneeID) {
			w.Rec.Put(Tasks.AssigneeID, w.Rec.Get(Tasks.OwnerID))
		}
		if w.Changed(Tasks.Status) {
			stamp(w, w.Rec.Text(Tasks.Status) == "completed", Tasks.CompletedAt, Tasks.CompletedBy)
		}
		return nil
	}
}

// stamp notes when and by whom something was done, or clears that.
func stamp(w *record.Mutation, done bool, at, by *schema.Leaf) {
	if done {
		w.Rec.Put(at, schema.TimeValue(w.Now))
		w.Rec.Put(by, schema.IDValue(w.Who.User))
		return
	}
	w.Rec.Put(at, schema.Absent(schema.Time))
	w.Rec.Put(by, schema.Absent(schema.ID))
}
