package record

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/paper"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// logoForms are how a picture is sent, and logoForm how it is given back.
var logoForms = []string{logoForm, "data:image/jpeg;base64,"}

const logoForm = "data:image/png;base64,"

// longestLogo is how long the largest picture is as it is sent. The schema says so, and clients know by it how large a picture may be.
var longestLogo = int64(len(logoForms[1]) + base64.StdEncoding.EncodedLen(paper.LogoBytes))

func wrongLogo(says string) error {
	var wrong problem.Fields
	wrong.Add(OwnBusiness.Logo.Path, "invalid_format", says)
	return wrong.Err()
}

// drawLogo makes the logo of a change into a picture of ours, before a transaction begins: that takes a processor for a moment, and
// is bounded as the drawing of PDFs is. There is none where the change has none.
func (e *Engine) drawLogo(ctx context.Context, t store.Tenant, changes *body.Changes) ([]byte, error) {
	given := changes.Values[OwnBusiness.Logo.Index]
	if !changes.Given[OwnBusiness.Logo.Index] || !given.Set {
		return nil, nil
	}
	for _, form := range logoForms {
		if !strings.HasPrefix(given.S, form) {
			continue
		}
		sent, err := base64.StdEncoding.DecodeString(given.S[len(form):])
		if err != nil {
			return nil, wrongLogo("must be a data: address in base64")
		}
		done, err := e.press.Begin(ctx, t.ID())
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
	given := rec.Get(OwnBusiness.Logo)
	switch {
	case given == old.Get(OwnBusiness.Logo):
		return nil
	case given.Set && picture == nil:
		return wrongLogo("must be a data: address of a PNG or JPEG, such as " + logoForm + "iVBORw0…")
	case given.Set:
		sum := sha256.Sum256(picture)
		rec.PutText(OwnBusiness.Logo, "png-"+base64.RawURLEncoding.EncodeToString(sum[:12]))
	}
	if rec.Get(OwnBusiness.Logo) == old.Get(OwnBusiness.Logo) {
		return nil
	}
	return store.SetLogo(tx, picture)
}

// Logo reads the logo of the caller's business, with the mark that changes with it.
func (c Call) Logo(ctx context.Context) (picture []byte, mark string, err error) {
	business, err := c.Business(ctx)
	if err != nil {
		return nil, "", err
	}
	if picture, err = c.Tenant.Logo(ctx); err == nil && len(picture) == 0 {
		err = problem.New(problem.NotFound, "The business has no logo.")
	}
	return picture, business.Text(OwnBusiness.Logo), err
}

// WithLogo is the business as an archive has it: with the picture itself, so that it can be brought elsewhere.
func WithLogo(ctx context.Context, c Call, business *schema.Record) (*schema.Record, error) {
	if !business.Get(OwnBusiness.Logo).Set {
		return business, nil
	}
	picture, err := c.Tenant.Logo(ctx)
	if err != nil {
		return nil, err
	}
	whole := business.Clone()
	whole.PutText(OwnBusiness.Logo, logoForm+base64.StdEncoding.EncodeToString(picture))
	return whole, nil
}
