package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/exchange"
	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/merge"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
	"github.com/kith-crm/kith/internal/tabular"
	"github.com/kith-crm/kith/internal/work"
)

// render makes one generated part: a word for what it is, and the resource that it is about where it is about one.
func render(what string) (string, error) {
	name, about, _ := strings.Cut(what, " ")
	whole := map[string]func() string{
		"resources": resources, "common fields": commonFields, "operators": operators, "scopes": scopes,
		"roles": roles, "limits": limits, "routes": routes, "business": business, "audit": audit,
	}
	if part, ok := whole[what]; ok {
		return part(), nil
	}
	ofResource := map[string]func(*record.Kind) string{"fields": ownFields, "actions": actions, "moves": moves}
	part, kind := ofResource[name], record.KindOf(about)
	if part == nil || kind == nil {
		return "", fmt.Errorf("there is nothing to generate named %q", what)
	}
	return part(kind), nil
}

// table renders a Markdown table.
func table(head []string, rows [][]string) string {
	var out strings.Builder
	line := func(cells []string) {
		out.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	line(head)
	rule := make([]string, len(head))
	for i := range rule {
		rule[i] = "---"
	}
	line(rule)
	for _, row := range rows {
		line(row)
	}
	return out.String()
}

// code renders words as code, separated by commas.
func code(words ...string) string {
	if len(words) == 0 {
		return ""
	}
	return "`" + strings.Join(words, "`, `") + "`"
}

func resources() string {
	var rows [][]string
	for _, k := range record.Kinds() {
		feature := "—"
		if k.Feature != "" {
			feature = code(k.Feature)
		}
		if k.OwnFree {
			feature += ", but for one's own"
		}
		var names []string
		for _, a := range k.Actions {
			names = append(names, a.Name)
		}
		paths := "—"
		if len(names) > 0 {
			paths = code(names...)
		}
		rows = append(rows, []string{
			"[" + k.Name + "](#" + k.Name + ")", "`/v1/" + k.Plural + "`", "`" + k.Name + "_…`",
			code(k.Own...), feature, paths, lacking(k),
		})
	}
	return table([]string{"Resource", "Path", "Ids", "One's own by", "Writing also needs", "Actions", "Without"}, rows)
}

// standard are the endpoints that a resource has unless its declaration takes them away, by the word that does.
var standard = map[string]string{"create": "POST", "patch": "PATCH", "delete": "DELETE", "restore": "{id}/restore", "bin": "deleted/search"}

// lacking names the standard endpoints that a resource does not have.
func lacking(k *record.Kind) string {
	if len(k.Without) == 0 {
		return "—"
	}
	var names []string
	for _, word := range k.Without {
		endpoint, known := standard[word]
		if !known {
			panic(fmt.Sprintf("no standard endpoint is called %q", word))
		}
		names = append(names, endpoint)
	}
	return code(names...)
}

var fieldHead = []string{"Field", "Type", "Writing", "Finding", "About"}

// commonFields are those that every resource has and no declaration repeats.
func commonFields() string {
	k := record.Kinds()[0]
	var rows [][]string
	for _, f := range k.Tree {
		if !declared(k, f) {
			rows = append(rows, fieldRows(&k.Shape, f)...)
		}
	}
	return table(fieldHead, rows)
}

func declared(k *record.Kind, f *schema.Field) bool {
	if k.MergedInto != nil && f == k.MergedInto.Field {
		return true
	}
	return slices.ContainsFunc(k.Fields, func(own schema.Field) bool { return own.Name == f.Name })
}

func ownFields(k *record.Kind) string {
	var rows [][]string
	var lists []string
	for _, f := range k.Tree {
		if !declared(k, f) {
			continue
		}
		rows = append(rows, fieldRows(&k.Shape, f)...)
		if inner := k.Inner[f.Name]; inner != nil {
			var items [][]string
			for _, l := range inner.Leaves {
				items = append(items, []string{code(l.Path), typeOf(l), writing(l), l.About})
			}
			lists = append(lists, "Each item of `"+f.Name+"`:\n\n"+table([]string{"Field", "Type", "Writing", "About"}, items))
		}
	}
	return strings.Join(append([]string{table(fieldHead, rows)}, lists...), "\n")
}

// audit is the table of the fields of the audit log's lines. Nobody writes them, so it does not say how that is done.
func audit() string {
	var rows [][]string
	for _, l := range record.Registry.Audit.Leaves {
		found := finding(l)
		if l != record.Registry.Audit.Common.CreatedAt {
			found = strings.Replace(found, ", sort", "", 1)
		}
		rows = append(rows, []string{code(l.Path), typeOf(l), found, aboutField(l)})
	}
	return table([]string{"Field", "Type", "Finding", "About"}, rows)
}

// business is the table of the business's own fields. Nobody searches for them, so it does not say how they are found.
func business() string {
	var rows [][]string
	for _, l := range record.Business.Leaves {
		rows = append(rows, []string{code(l.Path), typeOf(l), writing(l), aboutField(l)})
	}
	return table([]string{"Field", "Type", "Writing", "About"}, rows)
}

// fieldRows are the rows of one field: one, or one for each part of a group.
func fieldRows(s *schema.Shape, f *schema.Field) [][]string {
	leaves := s.Group(f)
	if f.Kind != schema.Group {
		leaves = []*schema.Leaf{s.Leaf(f.Name)}
	}
	var rows [][]string
	for _, l := range leaves {
		rows = append(rows, []string{code(l.Path), typeOf(l), writing(l), finding(l), aboutField(l)})
	}
	return rows
}

var formats = map[schema.Format]string{
	schema.Email: "e-mail address", schema.Phone: "phone number", schema.URL: "http or https address", schema.Domain: "domain name",
	schema.Currency: "currency code (ISO 4217)", schema.Timezone: "time zone (IANA)", schema.Locale: "language tag", schema.Code: "code", schema.FieldName: "name of a field", schema.RecordID: "id of a record",
}

// bounded are the forms of text whose form alone bounds their length.
var bounded = []schema.Format{schema.Currency, schema.Timezone, schema.RecordID}

// typeOf is a field's type with its limits.
func typeOf(l *schema.Leaf) string {
	switch l.Kind {
	case schema.Text, schema.LongText:
		name := "text"
		if l.Kind == schema.LongText {
			name = "long text"
		}
		if form := formats[l.Format]; form != "" {
			name = form
		}
		if slices.Contains(bounded, l.Format) {
			return name
		}
		return name + ", ≤ " + grouped(body.Longest(l))
	case schema.Choice:
		return "choice: " + code(l.Options...)
	case schema.Choices:
		if slices.Equal(l.Options, record.Scopes()) {
			return "list of [scopes](#scopes)"
		}
		return "list of choices: " + code(l.Options...)
	case schema.Tags:
		return "list of texts, ≤ " + grouped(body.MaxTags) + " of ≤ " + grouped(body.Longest(l))
	case schema.List:
		return "list of objects, ≤ " + grouped(body.MaxItems)
	case schema.ID:
		if l.IDPrefix == "" || l.Path == "id" && l.Target == nil && l.Prefix == "" {
			return "id"
		}
		return "id of a " + strings.ReplaceAll(l.IDPrefix, "_", " ")
	}
	return l.Kind.Name() + bounds(l)
}

func bounds(l *schema.Leaf) string {
	switch {
	case l.Min != nil && l.Max != nil:
		return ", " + grouped(*l.Min) + " to " + grouped(*l.Max)
	case l.Min != nil:
		return ", ≥ " + grouped(*l.Min)
	case l.Max != nil:
		return ", ≤ " + grouped(*l.Max)
	}
	return ""
}

// grouped writes a number with a comma between thousands.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0 && n > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// writing says what a caller may and must give.
func writing(l *schema.Leaf) string {
	var how string
	switch {
	case l.ReadOnly:
		how = "read-only"
		if len(l.SetBy) > 0 {
			how += ", set by " + code(l.SetBy...)
		}
	case l.Default != "":
		how = "default " + code(l.Default)
	case l.Required && l.Derived:
		how = "filled in"
	case l.Required:
		how = "**required**"
	default:
		how = "optional"
	}
	if l.Immutable {
		how += ", only at creation"
	}
	if l.Unique {
		how += ", unique"
	}
	return how
}

// finding says how a search can use a field: the group of its operators, and whether it sorts, is found by search_text, and has an index.
func finding(l *schema.Leaf) string {
	parts := []string{operatorGroup(l.Kind).name}
	if l.Kind.Scalar() {
		parts = append(parts, "sort")
	}
	if l.Searchable {
		parts = append(parts, "text")
	}
	if l.Indexed || l.Sorted || l.Unique {
		parts = append(parts, "index")
	}
	return strings.Join(parts, ", ")
}

func aboutField(l *schema.Leaf) string {
	about := l.About
	add := func(sentence string) {
		about = strings.TrimSpace(about + " " + sentence)
	}
	if l.Unique && !l.Exact {
		regardless := map[schema.Comparison]string{schema.ByLetters: "without regard to case and accents", schema.ByCase: "without regard to case", schema.ByDigits: "by its digits"}
		add("Unique among live records, " + regardless[l.Format.Comparison()] + ".")
	}
	if l.Restrict {
		add("What it points to cannot be deleted meanwhile.")
	}
	if l.BinOnly {
		add("Only in the bin.")
	}
	if l.Lapse != nil {
		add(fmt.Sprintf("`%s` becomes `%s` when the day in `%s` is over.", l.Lapse.From, l.Lapse.To, l.Lapse.After.Path))
	}
	return about
}

func actions(k *record.Kind) string {
	var rows [][]string
	for _, a := range k.Actions {
		var args []string
		for _, l := range a.Leaves {
			arg := code(l.Path) + " (" + typeOf(l)
			if l.Required {
				arg += ", required"
			}
			args = append(args, arg+")")
		}
		if len(args) == 0 {
			args = []string{"none"}
		}
		rows = append(rows, []string{"`POST /v1/" + k.Plural + "/{id}/" + a.Name + "`", strings.Join(args, ", "), a.About})
	}
	return table([]string{"Action", "Body", "Effect"}, rows)
}

// moves renders the life of a resource.
func moves(k *record.Kind) string {
	s := k.States
	var rows [][]string
	for _, m := range s.Moves {
		isAction := slices.ContainsFunc(k.Actions, func(a schema.Action) bool { return a.Name == m.Name })
		var by []string
		if isAction {
			by = append(by, "action")
		}
		if m.ByPatch {
			by = append(by, "PATCH")
		}
		// An action with several targets, and revise, which makes another record, always have something to do.
		targets := 0
		for _, other := range s.Moves {
			if other.Name == m.Name {
				targets++
			}
		}
		done := "—"
		if isAction && targets == 1 && m.Name != "revise" {
			done = code(append([]string{m.To}, m.Done...)...)
		}
		rows = append(rows, []string{code(m.Name), code(m.From...), code(m.To), strings.Join(by, " or "), done})
	}
	out := table([]string{"Move", "From", "To", "By", "Nothing to do in"}, rows)
	if s.Lapse != nil {
		out += fmt.Sprintf("\nBy itself: `%s` → `%s` once the day in `%s` is over (UTC).\n", s.Lapse.From, s.Lapse.To, s.Lapse.After)
	}
	return out
}

// group is a set of kinds that share their operators.
type group struct {
	name  string
	kinds []schema.Kind
}

var groups = []group{
	{"words", []schema.Kind{schema.Text, schema.LongText}},
	{"exact", []schema.Kind{schema.Choice, schema.Bool, schema.ID}},
	{"range", []schema.Kind{schema.Integer, schema.Number, schema.Money, schema.Quantity, schema.Percent, schema.Date, schema.Time}},
	{"member", []schema.Kind{schema.Tags, schema.Choices, schema.Links}},
	{"presence", []schema.Kind{schema.List, schema.Document}},
}

func operatorGroup(k schema.Kind) group {
	for _, g := range groups {
		if slices.Contains(g.kinds, k) {
			return g
		}
	}
	panic(fmt.Sprintf("no group of operators has the kind %d", k))
}

func operators() string {
	var rows [][]string
	for _, g := range groups {
		var kinds []string
		for _, k := range g.kinds {
			if name := k.Name(); !slices.Contains(kinds, name) {
				kinds = append(kinds, name)
			}
		}
		var ops []string
		for _, o := range query.Allowed(g.kinds[0]) {
			ops = append(ops, string(o))
		}
		rows = append(rows, []string{g.name, strings.Join(kinds, ", "), code(ops...)})
	}
	return table([]string{"Group", "Types", "Operators"}, rows)
}

func scopes() string {
	var rows [][]string
	for _, k := range record.Kinds() {
		var own []string
		for _, s := range record.Scopes() {
			if strings.HasPrefix(s, k.Name+".") {
				own = append(own, s)
			}
		}
		rows = append(rows, []string{k.Name, code(own...)})
	}
	rows = append(rows, []string{record.Business.Name, code(record.BusinessScope)}, []string{record.Registry.Audit.Name, code(record.AuditScope)})
	return table([]string{"Resource", "Scopes"}, rows)
}

// roles renders what each starting role may read, write and delete.
func roles() string {
	starting := record.StartingRoles()
	head := []string{"Resource"}
	features := []string{"features"}
	for _, r := range starting {
		head = append(head, r.Name)
		list := "none"
		if len(r.Features) > 0 {
			list = code(r.Features...)
		}
		features = append(features, list)
	}
	var rows [][]string
	for _, k := range record.Kinds() {
		row := []string{k.Name}
		for _, r := range starting {
			var reach []string
			for _, v := range record.Verbs {
				reach = append(reach, string(r.Reach(&k.Resource, v)))
			}
			row = append(row, strings.Join(reach, " / "))
		}
		rows = append(rows, row)
	}
	return table(head, append(rows, features))
}

func limits() string {
	return table([]string{"Limit", "Value", "Beyond it"}, [][]string{
		{"Request body", grouped(httpapi.MaxBody) + " bytes", "413 `payload_too_large`"},
		{"Nesting of a body", grouped(body.MaxDepth) + " levels", "400 `malformed_json`"},
		{"Values in a body", grouped(body.MaxValues), "413 `payload_too_large`"},
		{"Keys of one object", grouped(body.MaxKeys), "422 `too_many`"},
		{"Errors listed", grouped(problem.MaxFields), "`errors_omitted` counts the rest"},
		{"What was sent, repeated in an error", grouped(problem.MaxRepeated) + " characters", "cut, with `…`"},
		{"Page size `limit`", "1 to " + grouped(query.MaxLimit) + ", default " + grouped(query.DefaultLimit), "422 on `limit`"},
		{"Records of a page", "about " + grouped(store.MaxPage) + " bytes of JSON", "the page ends early, with `has_more`"},
		{"`filters` of a search", grouped(query.MaxFilters), "422 `too_many`"},
		{"`values` of a condition", grouped(query.MaxValues), "422 `too_many`"},
		{"`values` of all conditions of a search together", grouped(query.MaxValuesInAll), "422 `too_many`"},
		{"`value` of `contains` and `starts_with`", grouped(query.MaxPart) + " characters", "422 `too_long`"},
		{"Names in `fields`", "as many as the resource has fields, and " + grouped(query.MaxReferred) + " more", "422 `too_many`"},
		{"References that a search follows (`company.name`), in filters, order and `fields` together", grouped(query.MaxFollowed), "422 `too_many`"},
		{"`search_text`", grouped(query.MaxSearchText) + " characters, folded " + grouped(query.MaxPartBytes) + " bytes", "422 `too_long`"},
		{"Records up to which every search has its `meta.total`", grouped(query.CountedAnyway), "only when `total` asks for it"},
		{"Matches counted for `meta.total`", grouped(query.TotalCap), "`meta.total` is left out"},
		{"Groups of an aggregate", grouped(query.MaxGroups) + " fields", "422 `too_many`"},
		{"Metrics of an aggregate", grouped(query.MaxMetrics), "422 `too_many`"},
		{"Rows of an aggregate", "1 to " + grouped(query.MaxRows) + ", default " + grouped(query.MaxRows), "422 on `limit`"},
		{"Days, weeks, … of an aggregate that are told apart", grouped(query.MaxPeriods), "422 `too_many`"},
		{"Text", grouped(body.MaxText) + " characters, unless the field says otherwise", "422 `too_long`"},
		{"Long text", grouped(body.MaxLongText) + " characters", "422 `too_long`"},
		{"Items of a list of texts or choices", grouped(body.MaxTags), "422 `too_many`"},
		{"Items of a list of objects", grouped(body.MaxItems), "422 `too_many`"},
		{"Operations of a batch", grouped(record.MaxBatch), "422 `too_many`"},
		{"Records of a bulk operation", grouped(work.MaxBulk), "422 `too_many`"},
		{"Jobs of a business that have not ended", grouped(record.MaxOpenJobs), "409 `conflict`"},
		{"Custom fields of a resource", grouped(record.MaxFields), "422 `too_many`"},
		{"Definitions of the custom fields of a resource together", grouped(record.MaxDefined) + " bytes of text", "422 `too_long`"},
		{"Records that a batch reads and changes, before and after", "about " + grouped(record.MaxBatchWeight) + " bytes, 4,096 for each that is written included", "413 `payload_too_large` for the operations behind that"},
		{"References and associations that a merge moves", grouped(merge.MaxMoved) + ", of records with about " + grouped(merge.MaxMovedWeight) + " bytes of long texts, lines and custom fields", "409 `conflict`"},
		{"Records that are merged into one", grouped(merge.MaxMerged) + ", two at a time with up to " + grouped(merge.MaxMergedWeight) + " bytes of text", "409 `conflict`"},
		{"`Idempotency-Key`", "1 to 255 visible characters, kept for " + grouped(int64(queue.AnswersLast.Hours())) + " hours", "422 on the header"},
		{"Exports of a business, and of all of a server, under way at once", fmt.Sprintf("%d, and %d", httpapi.MaxExportsByOne, httpapi.MaxExports), "429 `too_many_requests`"},
		{"File of an import", fmt.Sprintf("%s bytes, %s rows of %s bytes, %s columns", grouped(exchange.MaxImportFile), grouped(tabular.MaxFileRows), grouped(tabular.MaxRowBytes), grouped(tabular.MaxColumns)), "413 `payload_too_large`, 422"},
		{
			"Imports of a business",
			grouped(exchange.MaxImports) + ", with rows of " + grouped(exchange.MaxImportFiles) + " bytes together, as they are kept (compressed)",
			"409 `conflict`",
		},
		{
			"Workbook of an import",
			fmt.Sprintf("%s bytes unpacked, %s cells with a value, %s texts of %s bytes that cells share; "+
				"%s bytes in all cells, each text as often as cells refer to it, "+
				"and of what is repeated no more than four for each that is unpacked, beside the first %s; few bytes beside its values",
				grouped(tabular.MaxUnpacked), grouped(tabular.MaxCells), grouped(tabular.MaxTexts), grouped(tabular.MaxTextBytes),
				grouped(tabular.MaxValues), grouped(tabular.MaxSpared)),
			"422",
		},
		{"Archive of a business as an import", fmt.Sprintf("%s bytes unpacked, of which each record has %s", grouped(exchange.MaxArchived), grouped(exchange.MaxArchiveLine)), "413 `payload_too_large`, 422"},
		{"Files that a business sends at once, and all of a server", fmt.Sprintf("%d, and %d", httpapi.MaxExportsByOne, httpapi.MaxExports), "429 `too_many_requests`"},
		{"Rows of which a preview tells why they would be refused", grouped(exchange.MaxPreviewed), "the others are counted"},
		{"Text in a cell of an xlsx file", grouped(tabular.MaxCellText) + " characters", "cut, with `…`"},
		{"Large bodies and answers of a business on their way at once", grouped(httpapi.MaxHeldByOne) + " bytes", "503 `service_unavailable`"},
	})
}

// routes lists every endpoint as the server itself has it.
func routes() string {
	var rows [][]string
	for _, r := range httpapi.New(nil, httpapi.Options{}).Routes() {
		scope := "none"
		if r.Kind != nil && r.Verb == "" {
			scope = "that of each operation"
		} else if needs := r.Needs(); len(needs) > 0 {
			scope = code(needs...)
		}
		rows = append(rows, []string{r.Method, code(r.Pattern), scope})
	}
	return table([]string{"Method", "Path", "Scope"}, rows)
}
