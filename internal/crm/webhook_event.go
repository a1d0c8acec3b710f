package crm

import (
	"slices"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store"
)

// happened are the operations and actions as having happened: what events are called after the resource.
var happened = map[string]string{
	record.Create: "created", record.Update: "updated", record.Remove: "deleted", record.Restore: "restored",
	record.Erase: record.Erased, record.Purge: record.Purged, record.Merge: "merged", record.Unmerge: "unmerged",
	"change_stage": "stage_changed", "win": "won", "lose": "lost", "reopen": "reopened", "complete": "completed", "pin": "pinned",
	"unpin": "unpinned",
	"send":  "sent", "accept": "accepted", "decline": "declined", "revise": "revised", "share": "shared", "unshare": "unshared",
	"rotate_secret": "secret_rotated", "test": "tested", "replay": "replayed",
}

func events(k *record.Kind) (words []string) {
	for _, operation := range []string{record.Create, record.Update, record.Remove, record.Restore, record.Erase, record.Purge} {
		gone := operation == record.Erase || operation == record.Purge // which also those are that go along with others
		if operation == record.Update || gone && !record.KeepsDeleted(k) || operation != record.Purge && k.Offers(operation) {
			words = append(words, happened[operation])
		}
	}
	for _, a := range k.Actions {
		words = append(words, happened[a.Name])
	}
	return words
}

// EventKinds lists everything that webhooks can be told of.
func EventKinds() (all []string) {
	for _, k := range record.Kinds() {
		for _, word := range events(k) {
			all = append(all, k.Name+"."+word)
		}
	}
	return append(all, record.Business.Name+"."+happened[record.Update])
}

// EventOf is what an entry of the change log is called as an event. A record that came into a state that is itself an event is told
// of by that, whatever led there: a deal is won by its action as well as by its stage.
func EventOf(c store.Change) string {
	word, known := happened[c.Action]
	if !known {
		word = happened[record.Update]
	}
	if k := record.KindOf(c.Resource); k != nil && k.States != nil && c.Action != record.Create {
		if changes, err := body.Parse([]byte(c.Changes)); err == nil && changes != nil {
			if moved, ok := changes.Get(k.States.Leaf.Path); ok {
				if to, _ := moved.Get("to"); to.Text != "" && slices.Contains(events(k), to.Text) {
					word = to.Text
				}
			}
		}
	}
	return c.Resource + "." + word
}

func checkEvents(p record.Proposed) {
	known := EventKinds()
	for _, k := range record.Kinds() {
		known = append(known, k.Name+".*")
	}
	known = append(known, record.Business.Name+".*", "*")
	for _, pattern := range body.Strings(p.Get(Webhooks.Events)) {
		if !slices.Contains(known, pattern) {
			p.Refuse(Webhooks.Events.Path, "not_allowed",
				"cannot have "+problem.Quote(pattern)+", which is no event"+problem.DidYouMean(pattern, known), known...)
		}
	}
}
