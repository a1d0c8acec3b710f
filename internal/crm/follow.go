package crm

import (
	"fmt"
	"strconv"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

var Follow = &record.Kind{Since: 36, Resource: schema.Resource{
	Name: "follow", Plural: "follows", Label: "Follow",
	Access:  schema.Access{Personal: true},
	Summary: schema.Summary{NamedBy: []string{"about_id"}, Telling: []string{"about_id", "created_at", "owner.name"}},
	Example: `{"about_id":"deal_01kh4xv1qcf0mvq8gk8d8mvxd9"}`,
	Fields: []schema.Field{
		{
			Name: "about_id", Kind: schema.Text, Format: schema.RecordID, Ref: schema.Ref{With: true}, Label: "Record", Required: true,
			Writing: schema.Writing{Immutable: true}, Find: schema.Find{Indexed: true}, About: "What one is told of.",
		},
	},
}}

// Follows are the fields of follows that code names.
var Follows struct {
	schema.Common
	AboutID *schema.Leaf
}

// MaxFollows is how many records a user may follow, and MaxFollowers how many users one record.
const (
	MaxFollows   = 5000
	MaxFollowers = 200
)

func declareFollows() {
	schema.Bind(&Follow.Shape, &Follows)
	Follow.GoesWithUser = Follow.Common.OwnerID
	Follow.Validate = validateFollow
	Follow.Restoring = func(w *record.Mutation) error { return followedOnce(w.Proposed()) }
}

// validateFollow holds a follow to a record that its owner may read, and to who follows: nobody has others follow something.
func validateFollow(p record.Proposed) error {
	refuseOthers(p, p.Get(Follows.OwnerID), "people follow by themselves")
	if !p.New() || p.Refused() != nil {
		return nil
	}
	if err := checkAbout(p, Follows.AboutID); err != nil || p.Refused() != nil {
		return err
	}
	return followedOnce(p)
}

// refuseOthers keeps what is personal with whom it belongs to.
func refuseOthers(p record.Proposed, owner schema.Value, because string) {
	if !owner.Set || owner.UUID() != p.Who().User {
		p.Refuse(p.Kind().Common.OwnerID.Path, "not_allowed", "must be you: "+because)
	}
}

// checkAbout holds what is about a record to one that who writes may read.
func checkAbout(p record.Proposed, about *schema.Leaf) error {
	resource, id, err := schema.RecordOf(p.Text(about))
	if err != nil {
		return err
	}
	k := record.KindOf(resource)
	rec, err := p.Lookup(k, id)
	if err == nil && (rec == nil || !p.Who().MayRead(&k.Resource, rec)) {
		p.Refuse(about.Path, "not_found", "there is no such "+k.Name)
	}
	return err
}

// followedOnce keeps somebody from following a record twice, and from following more than can be told of.
func followedOnce(p record.Proposed) error {
	about, mine := store.Equal(Follows.AboutID, p.Get(Follows.AboutID)), store.Equal(Follows.OwnerID, p.Get(Follows.OwnerID))
	same, err := p.Find(&Follow.Resource, 2, about, mine)
	if err != nil {
		return err
	}
	for _, other := range same {
		if other.ID() != p.ID() {
			conflict := record.NotUnique(Follows.AboutID, "is followed already", "You follow this record already.")
			conflict.ExistingID = schema.FormatID(Follow.Name, other.ID())
			return conflict
		}
	}
	if p.New() || p.Before().Get(Follows.DeletedAt).Set { // a merge makes nobody follow more
		n, err := p.Count(&Follow.Resource, MaxFollows, mine)
		if err != nil || n >= MaxFollows {
			p.Refuse(Follows.AboutID.Path, "too_many", fmt.Sprintf("you follow %d records, which is the most", MaxFollows))
			return err
		}
	}
	n, err := p.Count(&Follow.Resource, MaxFollowers, about)
	if n >= MaxFollowers {
		p.Refuse(Follows.AboutID.Path, "too_many", "is followed by "+strconv.Itoa(MaxFollowers)+" people, which is the most")
	}
	return err
}
