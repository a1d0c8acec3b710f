package postgres

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// PerMachine asks each machine of a cluster once. Citus itself would ask for each shard by itself, and fail where one of them cannot be
// reached. See ADR 0081.
func (e *Engine) PerMachine(l engine.Lookup) (all []engine.MachineLookup) {
	p := e.workers.placesNow()
	if p == nil {
		return nil
	}
	for _, machine := range p.machines {
		m := engine.MachineLookup{Business: p.id(machine), SQL: onMachine(l, p, machine), Rows: func(r engine.Row) ([]engine.Row, error) {
			one, err := readJSONRow(r.Value(0, schema.Text).S)
			return []engine.Row{one}, err
		}}
		if machine != p.local {
			// A statement for one shard is run by the machine that has it, and so is the statement that it hands to this function. It gives
			// one row, whatever there is of the business.
			m.Args = []schema.Value{schema.IDValue(m.Business), schema.TextValue(schema.Text, m.SQL)}
			m.SQL = "SELECT query_to_xml($2::text, false, false, '')::text, count(*) FROM business WHERE business_id = $1"
			m.Rows = func(r engine.Row) ([]engine.Row, error) { return readXMLRows(r.Value(0, schema.Text).S) }
		}
		all = append(all, m)
	}
	return all
}

// postgresLiteral is a value as it stands in a statement.
func literal(v schema.Value) string {
	quoted := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	switch arg := postgresArg(v).(type) {
	case int64:
		return strconv.FormatInt(arg, 10)
	case time.Time:
		return quoted(arg.Format(time.RFC3339Nano)) + "::timestamptz"
	case [16]byte:
		return quoted(hex.EncodeToString(arg[:])) + "::uuid"
	case string:
		return quoted(arg)
	default:
		panic(fmt.Sprintf("a lookup has an argument of the type %T", arg))
	}
}

// jsonRow is a row that came as JSON.
type jsonRow []any

func readJSONRow(text string) (r jsonRow, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return r, d.Decode(&r)
}

func readXMLRows(text string) ([]engine.Row, error) {
	var all struct {
		Rows []string `xml:"row>v"`
	}
	if err := xml.NewDecoder(bytes.NewReader([]byte(text))).Decode(&all); err != nil {
		return nil, err
	}
	rows := make([]engine.Row, len(all.Rows))
	for i, text := range all.Rows {
		var err error
		if rows[i], err = readJSONRow(text); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

func (r jsonRow) Value(column int, k schema.Kind) schema.Value {
	switch v := r[column].(type) {
	case json.Number:
		n, _ := v.Int64() // a lookup has no other numbers
		return schema.IntValue(k, n)
	case string:
		switch k {
		case schema.ID, engine.KindTenant:
			id, _ := hex.DecodeString(strings.ReplaceAll(v, "-", ""))
			return schema.Value{Kind: k, Set: true, S: string(id)}
		case schema.Time:
			at, _ := time.Parse(time.RFC3339Nano, v)
			return schema.TimeValue(at)
		}
		return schema.Value{Kind: k, Set: true, S: v}
	}
	return schema.Absent(k)
}

// onMachine is the statement for all shards of a machine. Its one column is a JSON array with those of the lookup.
func onMachine(l engine.Lookup, p *placement, machine int64) string {
	parts := make([]string, len(p.shards[tableOn{"business", machine}]))
	for i := range parts {
		parts[i] = "(" + l.On(func(table string) string { return p.shards[tableOn{table, machine}][i] }) + l.Order + ")"
		for n := len(l.Args); n > 0; n-- { // the last first: $1 begins $10, too
			parts[i] = strings.ReplaceAll(parts[i], "$"+strconv.Itoa(n), literal(l.Args[n-1]))
		}
	}
	columns := make([]string, len(l.Kinds))
	for i := range columns {
		columns[i] = "c" + strconv.Itoa(i)
	}
	names := strings.Join(columns, ", ")
	return "SELECT json_build_array(" + names + ")::text AS v FROM (" + strings.Join(parts, " UNION ALL ") + l.Order + ") q (" + names + ")"
}
