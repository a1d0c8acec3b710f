package schema

import "strings"

// Types are the names by which the API tells what a field holds: one set for the schema, the OpenAPI document and custom fields.
var Types = []string{
	"text", "long_text", "number", "integer", "decimal", "money", "percent", "boolean", "date", "datetime",
	"select", "multi_select", "tags", "url", "email", "phone", "reference", "group", "list", "any",
}

var (
	kindTypes = map[Kind]string{
		Text: "text", LongText: "long_text", Choice: "select", Bool: "boolean", Integer: "integer", Number: "number", Money: "money",
		Quantity: "decimal", Percent: "percent", Date: "date", Time: "datetime", ID: "reference", Tags: "tags", Choices: "multi_select",
		List: "list", Document: "group", Group: "group", Links: "group",
	}
	formatTypes = map[Format]string{Email: "email", Phone: "phone", URL: "url", RecordID: "reference"}
	formatNames = map[Format]string{
		Domain: "domain", Currency: "currency", Timezone: "timezone", Locale: "locale", Code: "code", FieldName: "field",
	}
)

// Type is the one of Types that a field is. The forms of text that are none of them are told beside it, see FormName.
func (f *Field) Type() string {
	switch form := formatTypes[f.Format]; {
	case f.Kind == Text && form != "":
		return form
	case f.Kind == Document && f.Free:
		return "any"
	}
	return kindTypes[f.Kind]
}

// FormName is the form of a text where its Type does not tell it already, or nothing.
func (f *Field) FormName() string { return formatNames[f.Format] }

// Needed tells that a record cannot be made without giving the field.
func (f *Field) Needed() bool {
	return f.Required && !f.Derived && !f.ReadOnly && f.Default == ""
}

// InWords writes a name or a choice as a person would: in_progress is In progress. What has a dot in it, such as a scope, is called
// as it is written.
func InWords(name string) string {
	if strings.Contains(name, ".") {
		return name
	}
	words := strings.ReplaceAll(name, "_", " ")
	if words == "" {
		return ""
	}
	return strings.ToUpper(words[:1]) + words[1:]
}
