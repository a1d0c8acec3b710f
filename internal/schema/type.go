package schema

import "strings"

// Types are the names by which the API tells what a field holds: one set for the schema, the OpenAPI document and custom fields.
var Types = []string{
	"text", "long_text", "number", "integer", "decimal", "money", "percent", "boolean", "date", "datetime",
	"select", "multi_select", "tags", "url", "email", "phone", "reference", "group", "list", "any",
}

// Type is the one of Types that a field is. The forms of text that are none of them are told beside it, see FormName.
func (f *Field) Type() string {
	switch f.Kind {
	case Text:
		switch f.Format {
		case Email:
			return "email"
		case Phone:
			return "phone"
		case URL:
			return "url"
		case RecordID:
			return "reference"
		}
		return "text"
	case LongText:
		return "long_text"
	case Choice:
		return "select"
	case Bool:
		return "boolean"
	case Integer:
		return "integer"
	case Number:
		return "number"
	case Money:
		return "money"
	case Quantity:
		return "decimal"
	case Percent:
		return "percent"
	case Date:
		return "date"
	case Time:
		return "datetime"
	case ID:
		return "reference"
	case Tags:
		return "tags"
	case Choices:
		return "multi_select"
	case List:
		return "list"
	case Document:
		if f.Free {
			return "any"
		}
		return "group"
	default:
		return "group"
	}
}

// FormName is the form of a text where its Type does not tell it already, or nothing.
func (f *Field) FormName() string {
	switch f.Format {
	case Domain:
		return "domain"
	case Currency:
		return "currency"
	case Timezone:
		return "timezone"
	case Locale:
		return "locale"
	case Code:
		return "code"
	case FieldName:
		return "field"
	default:
		return ""
	}
}

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
