package schema

// The audit log tells what happened to records of resources that are Audited, and of any that was erased. Its words for that follow
// from the operations.

// pasts are the operations that it tells apart, as having happened. Any other changed the record.
var pasts = map[string]string{
	"create": "created", "delete": "deleted", "restore": "restored", "erase": "erased",
	"rotate_secret": "secret_rotated",
}

const updated = "updated"

// Event is what an operation on a record of the resource is called once it has happened, or empty where nobody is told of it.
func (res *Resource) Event(operation string) string {
	if !res.Access.Audited && operation != "erase" {
		return ""
	}
	past, known := pasts[operation]
	if !known {
		past = updated
	}
	return res.Name + "." + past
}

// FieldNames are what the fields of a shape are called.
func (s *Shape) FieldNames() (names []string) {
	for _, f := range s.Tree {
		names = append(names, f.Name)
	}
	return names
}

// CompileLog resolves the lines of a log, which stand apart from the registry: they have the fields that they declare and no
// others; among them must be id and created_at. Their texts are ids, addresses and the like, which are their own keys.
func CompileLog(line *Resource) *Resource {
	line.Shape = (&Registry{}).compile(line.Name, line.Fields)
	line.Common = Common{ID: line.Must("id"), CreatedAt: line.Must("created_at")}
	line.Common.ID.IDPrefix = line.Name
	for _, l := range line.Leaves {
		l.Key = ""
	}
	return line
}
