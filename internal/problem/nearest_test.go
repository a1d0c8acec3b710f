package problem

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	known := []string{
		"id", "name", "email", "company_id", "lifecycle_stage_id", "do_not_contact", "tags", "lead_score", "activities",
		"companies", "is_set", "gt", "gte", "contact.read", "contact.write", "company.write", "address.postal_code",
	}
	for given, want := range map[string]string{
		"company":                          "company_id",
		"companyId":                        "company_id",
		"CompanyID":                        "company_id",
		"company-id":                       "company_id",
		"compnay_id":                       "company_id",
		"lifecycleStage":                   "lifecycle_stage_id",
		"emial":                            "email",
		"e-mail":                           "email",
		"mail":                             "email",
		"emails":                           "email",
		"tag":                              "tags",
		"activity":                         "activities",
		"leadscore":                        "lead_score",
		"lead_scores":                      "lead_score",
		"ld_score":                         "lead_score",
		"contacts.read":                    "contact.read",
		"isset":                            "is_set",
		"postalCode":                       "address.postal_code",
		"write":                            "",
		"GT":                               "gt",
		"nme":                              "name",
		"x":                                "",
		"":                                 "",
		"frobnicate":                       "",
		"nope":                             "",
		"address":                          "",
		"owner":                            "",
		"do_not_contacts":                  "do_not_contact",
		strings.Repeat("company_id", 1000): "",
	} {
		if got := Nearest(given, known); got != want {
			t.Errorf("for %.40q it gives %q, want %q", given, got, want)
		}
	}
}

func TestSlips(t *testing.T) {
	for _, c := range []struct {
		a, b string
		n    int
	}{
		{"", "", 0},
		{"a", "", 1},
		{"abc", "abc", 0},
		{"abc", "acb", 1},
		{"abc", "ab", 1},
		{"abc", "abd", 1},
		{"abcd", "badc", 2},
		{"abc", "xyz", 3},
	} {
		if got := slips(c.a, c.b, 5); got != c.n {
			t.Errorf("from %q to %q there are %d slips, want %d", c.a, c.b, got, c.n)
		}
		if got := slips(c.b, c.a, 5); got != c.n {
			t.Errorf("from %q to %q there are %d slips, want %d", c.b, c.a, got, c.n)
		}
	}
}
