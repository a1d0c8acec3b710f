package web

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"kith/internal/schema"
)

type businessRow struct {
	Name, Currency, Timezone, Locale string
	Version                          int64
}

func (b businessRow) fields() map[string]string {
	return map[string]string{"name": b.Name, "currency": b.Currency, "timezone": b.Timezone, "locale": b.Locale}
}

type businessPage struct {
	Form *form
	Done string
}

func (v *visit) ownBusiness() (row businessRow, err error) {
	rec, err := v.engine.Business(v.r.Context(), v.call())
	if err != nil {
		return row, err
	}
	return row, json.Unmarshal(schema.AppendRecord(nil, rec.Leaves, rec.Values), &row)
}

// business shows the settings of the business.
func (v *visit) business() error {
	b, err := v.ownBusiness()
	if err != nil {
		return err
	}
	f := newForm(url.Values{})
	for name, value := range b.fields() {
		f.values.Set(name, value)
	}
	return v.showBusiness(http.StatusOK, b, f)
}

func (v *visit) showBusiness(status int, b businessRow, f *form) error {
	f.values.Set("version", strconv.FormatInt(b.Version, 10))
	v.show(status, "business", businessPage{f, v.done(handover{})})
	return nil
}

func (v *visit) changeBusiness() error {
	b, err := v.ownBusiness()
	if err != nil {
		return err
	}
	f := v.filled()
	given := map[string]string{}
	for name := range b.fields() {
		given[name] = f.Get(name)
	}
	n, err := node(differing(b.fields(), given))
	if err != nil {
		return err
	}
	_, err = v.engine.ChangeBusiness(v.r.Context(), v.call(), f.version(), n)
	if err = f.blame(f.overtaken(err), nil); err != nil {
		return err
	}
	if !f.ok() {
		return v.showBusiness(http.StatusUnprocessableEntity, b, f)
	}
	return v.redirect("/account/business?done=saved")
}
