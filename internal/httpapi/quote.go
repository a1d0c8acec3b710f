package httpapi

import (
	"net/http"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/offer"
)

// logo is the reply to who reads the logo of the business.
func (r *request) logo() (reply, error) {
	picture, mark, err := account.Logo(r.in.Context(), r.call)
	if err != nil {
		return reply{}, err
	}
	tag := `"` + mark + `"`
	if r.unchanged(tag) {
		return reply{status: http.StatusNotModified, etag: tag}, nil
	}
	r.w.Header().Set("Content-Disposition", `inline; filename="logo.png"`)
	return reply{status: http.StatusOK, etag: tag, media: pngType, text: picture}, nil
}

// quotePDF is the reply to who reads a quote as a PDF.
func (r *request) quotePDF() (reply, error) {
	sheet, err := offer.ReadSheet(r.in.Context(), r.api.engine, r.call, r.in.PathValue("id"))
	if err != nil {
		return reply{}, err
	}
	if r.unchanged(sheet.Tag) {
		return reply{status: http.StatusNotModified, etag: sheet.Tag}, nil
	}
	pdf, err := offer.PDF(r.in.Context(), r.api.engine, r.call.Tenant, sheet)
	if err != nil {
		return reply{}, err
	}
	r.w.Header().Set("Content-Disposition", `inline; filename="quote-`+sheet.Number+`.pdf"`)
	return reply{status: http.StatusOK, etag: sheet.Tag, media: pdfType, text: pdf}, nil
}
