package store_test

import (
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store"
)

// Searches come in any number of shapes, and the server pays for each that a connection keeps. It is asked itself what it has.
func TestStatementsThatPostgresKeepsAreBounded(t *testing.T) {
	url := newPostgres(t)
	mark := "?"
	if strings.Contains(url, "?") {
		mark = "&"
	}
	s := open(t, url+mark+"pool_max_conns=1")
	e := newEngine(t, s)
	call := record.Call{Principal: newBusiness(t, e)}
	search := func(filters []string, order string) {
		t.Helper()
		n, err := body.Parse([]byte(`{"filters":[` + strings.Join(filters, ",") + `],"order_by":"` + order + `"}`))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := httpapi.AppendList(t.Context(), e, call, record.KindOf("contact"), false, n, nil); err != nil {
			t.Fatal(err)
		}
	}
	conditions := []string{
		`{"field":"company.name","operator":"contains","value":"x"}`, `{"field":"name","operator":"nin","values":["a","b"]}`,
		`{"field":"tags","operator":"in","values":["a","b"]}`,
	}
	for _, order := range []string{"created_at", "updated_at", "name", "first_name", "last_name", "job_title", "company.name", "email"} {
		var filters []string
		for i := range 50 {
			filters = append(filters, conditions[i%len(conditions)])
			search(filters, order)
		}
	}
	kept, err := s.KeptStatements(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", kept)
	if kept.Number < store.MaxPostgresStatements/2 || kept.Number > store.MaxPostgresStatements+1 { // the question itself comes to them
		t.Errorf("%d statements are kept, of %d", kept.Number, store.MaxPostgresStatements)
	}
	if kept.Longest > store.LongPostgresStatement || kept.Text > 512<<10 {
		t.Errorf("statements of %d bytes are kept, and together of %d", kept.Longest, kept.Text)
	}
	if kept.Memory > 64<<20 {
		t.Errorf("they take %d MB of the server's memory", kept.Memory>>20)
	}
}
