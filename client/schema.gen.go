// Code generated from the declarations by cmd/docs; DO NOT EDIT.

package client

import "encoding/json"

// ResourceSchema is a part of what [Client.Schema] tells. The reference of the API explains what is in it.
type ResourceSchema struct {
	Name         string              `json:"name"`
	Path         string              `json:"path"`
	Label        string              `json:"label"`
	IDPrefix     string              `json:"id_prefix"`
	Operations   []string            `json:"operations"`
	MatchBy      []string            `json:"match_by"`
	NamedBy      []string            `json:"named_by"`
	Telling      []string            `json:"telling"`
	Layout       LayoutSchema        `json:"layout"`
	Own          []string            `json:"own"`
	Feature      string              `json:"feature"`
	Personal     bool                `json:"personal"`
	Power        string              `json:"power"`
	Fields       []FieldSchema       `json:"fields"`
	Associations []AssociationSchema `json:"associations"`
	States       *StatesSchema       `json:"states"`
	Actions      []ActionSchema      `json:"actions"`
	// Permissions are how far scope, role and feature permission together reach.
	Permissions Reach `json:"permissions"`
}

// LayoutSchema is a part of what [Client.Schema] tells. The reference of the API explains what is in it.
type LayoutSchema struct {
	Head     []string        `json:"head"`
	Sections []SectionSchema `json:"sections"`
	Card     []string        `json:"card"`
	Form     []string        `json:"form"`
}

// FieldSchema is a part of what [Client.Schema] tells. The reference of the API explains what is in it.
type FieldSchema struct {
	Name       string          `json:"name"`
	Kind       string          `json:"kind"`
	Label      string          `json:"label"`
	Operators  []string        `json:"operators"`
	Sortable   bool            `json:"sortable"`
	Required   bool            `json:"required"`
	ReadOnly   bool            `json:"read_only"`
	Custom     bool            `json:"custom"`
	Nullable   bool            `json:"nullable"`
	Immutable  bool            `json:"immutable"`
	Unique     bool            `json:"unique"`
	Searchable bool            `json:"searchable"`
	BinOnly    bool            `json:"bin_only"`
	Format     string          `json:"format"`
	MaxLength  int64           `json:"max_length"`
	MaxItems   int64           `json:"max_items"`
	Minimum    *int64          `json:"minimum"`
	Maximum    *int64          `json:"maximum"`
	Default    json.RawMessage `json:"default"`
	Options    []OptionSchema  `json:"options"`
	Target     string          `json:"target"`
	Targets    []string        `json:"targets"`
	FollowedAs string          `json:"followed_as"`
	SetBy      []string        `json:"set_by"`
	Help       string          `json:"help"`
	Fields     []FieldSchema   `json:"fields"`
}

// AssociationSchema is a part of what [Client.Schema] tells. The reference of the API explains what is in it.
type AssociationSchema struct {
	Field     string   `json:"field"`
	Target    string   `json:"target"`
	Operators []string `json:"operators"`
}

// StatesSchema is a part of what [Client.Schema] tells. The reference of the API explains what is in it.
type StatesSchema struct {
	Field   string       `json:"field"`
	Initial string       `json:"initial"`
	Moves   []MoveSchema `json:"moves"`
	Lapse   *LapseSchema `json:"lapse"`
}

// ActionSchema is a part of what [Client.Schema] tells. The reference of the API explains what is in it.
type ActionSchema struct {
	Name  string        `json:"name"`
	Label string        `json:"label"`
	Help  string        `json:"help"`
	Body  []FieldSchema `json:"body"`
}

// SectionSchema is a part of what [Client.Schema] tells. The reference of the API explains what is in it.
type SectionSchema struct {
	Name    string   `json:"name"`
	Label   string   `json:"label"`
	Fields  []string `json:"fields"`
	Folded  bool     `json:"folded"`
	Columns int      `json:"columns"`
}

// OptionSchema is a part of what [Client.Schema] tells. The reference of the API explains what is in it.
type OptionSchema struct {
	Value    string `json:"value"`
	Label    string `json:"label"`
	Colour   string `json:"colour"`
	Archived bool   `json:"archived"`
}

// MoveSchema is a part of what [Client.Schema] tells. The reference of the API explains what is in it.
type MoveSchema struct {
	Name     string   `json:"name"`
	From     []string `json:"from"`
	To       string   `json:"to"`
	ByAction bool     `json:"by_action"`
	ByPatch  bool     `json:"by_patch"`
}

// LapseSchema is a part of what [Client.Schema] tells. The reference of the API explains what is in it.
type LapseSchema struct {
	From  string `json:"from"`
	To    string `json:"to"`
	After string `json:"after"`
}
