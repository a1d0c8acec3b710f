package account

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/paper"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

func wrongLogo(says string) error {
	var wrong problem.Fields
	wrong.Add(record.OwnBusiness.Logo.Path, "invalid_format", says)
	return wrong.Err()
}

// drawLogo makes the logo of a change into a picture of ours, before a transaction begins: that takes a processor for a moment, and
// is bounded as the drawing of PDFs is. There is none where the change has none.
func drawLogo(ctx context.Context, e *record.Engine, t store.Tenant, changes *body.Changes) ([]byte, error) {
	given := changes.Values[record.OwnBusiness.Logo.Index]
	if !changes.Given[record.OwnBusiness.Logo.Index] || !given.Set {
		return nil, nil
	}
	for _, form := range record.LogoForms {
		if !strings.HasPrefix(given.S, form) {
			continue
		}
		sent, err := base64.StdEncoding.DecodeString(given.S[len(form):])
		if err != nil {
			return nil, wrongLogo("must be a data: address in base64")
		}
		done, err := e.Press().Begin(ctx, t.ID())
		if err != nil {
			return nil, err
		}
		defer done()
		picture, says := paper.Logo(sent)
		if says != "" {
			return nil, wrongLogo(says)
		}
		return picture, nil
	}
	return nil, nil
}

// setLogo keeps the picture apart, and in the record a mark that changes with it. What was answered may be sent back.
func setLogo(tx *store.Tx, old, rec *schema.Record, picture []byte) error {
	given := rec.Get(record.OwnBusiness.Logo)
	switch {
	case given == old.Get(record.OwnBusiness.Logo):
		return nil
	case given.Set && picture == nil:
		return wrongLogo("must be a data: address of a PNG or JPEG, such as " + record.LogoForms[0] + "iVBORw0…")
	case given.Set:
		sum := sha256.Sum256(picture)
		rec.PutText(record.OwnBusiness.Logo, "png-"+base64.RawURLEncoding.EncodeToString(sum[:12]))
	}
	if rec.Get(record.OwnBusiness.Logo) == old.Get(record.OwnBusiness.Logo) {
		return nil
	}
	return store.SetLogo(tx, picture)
}

// Logo reads the logo of the caller's business, with the mark that changes with it.
func Logo(ctx context.Context, c record.Call) (picture []byte, mark string, err error) {
	business, err := c.Business(ctx)
	if err != nil {
		return nil, "", err
	}
	if picture, err = c.Tenant.Logo(ctx); err == nil && len(picture) == 0 {
		err = problem.New(problem.NotFound, "The business has no logo.")
	}
	return picture, business.Text(record.OwnBusiness.Logo), err
}

// WithLogo is the business as an archive has it: with the picture itself, so that it can be brought elsewhere.
func WithLogo(ctx context.Context, c record.Call, business *schema.Record) (*schema.Record, error) {
	if !business.Get(record.OwnBusiness.Logo).Set {
		return business, nil
	}
	picture, err := c.Tenant.Logo(ctx)
	if err != nil {
		return nil, err
	}
	whole := business.Clone()
	whole.PutText(record.OwnBusiness.Logo, record.LogoForms[0]+base64.StdEncoding.EncodeToString(picture))
	return whole, nil
}
