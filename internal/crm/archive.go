package crm

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"time"

	"kith/internal/body"
	"kith/internal/query"
	"kith/internal/schema"
	"kith/internal/store"
)

// The names of what an archive has beside the records.
const (
	archiveBusiness = "business.json"
	archiveSchema   = "schema.json"
)

// ArchiveBody is what the body may have that asks for an archive: nothing.
var ArchiveBody = schema.CompileBody("an archive")

// Archive writes everything of the business that the caller may read as one zip, and hands it to send piece by piece: the business, the schema, and for each resource a
// file with a line of JSON for each record, as a search answers it. It is no single moment: each record is as it is when it is read. still tells who asks by now, as
// Export.Still does.
func (e *Engine) Archive(ctx context.Context, c Call, still func() (*Principal, error), send func([]byte) error) error {
	business, err := e.Business(ctx, c)
	if err != nil {
		return err
	}
	if err := c.tellExport(ctx, Business.Name); err != nil {
		return err
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	flush := func() error {
		if err := send(out.Bytes()); err != nil {
			return err
		}
		out.Reset()
		return nil
	}
	put := func(name string, text []byte) error {
		to, err := archived(z, name)
		if err != nil {
			return err
		}
		_, err = to.Write(text)
		return err
	}
	if business, err = withLogo(ctx, c, business); err != nil {
		return err
	}
	if err := put(archiveBusiness, Render(nil, business)); err != nil {
		return err
	}
	if err := put(archiveSchema, c.AppendSchema(nil)); err != nil {
		return err
	}
	everything, err := body.Parse([]byte(`{"format":"` + string(query.JSONL) + `","sort_direction":"asc"}`))
	if err != nil {
		return err
	}
	for _, k := range kinds {
		if _, err := c.mayExport(k); err != nil {
			continue // what may not be read is left out
		}
		x, err := e.PlanExport(ctx, c, k, everything)
		if err != nil {
			return err
		}
		x.Still, x.tell = still, func(context.Context) error { return nil }
		to, err := archived(z, k.Plural+"."+string(query.JSONL))
		if err != nil {
			return err
		}
		if _, err := x.Run(ctx, func(text []byte) error {
			if _, err := to.Write(text); err != nil {
				return err
			}
			return flush()
		}); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return flush()
}

// archived begins a file of an archive.
func archived(z *zip.Writer, name string) (io.Writer, error) {
	return z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Now()})
}

// Operator gives who acts in a business for its operator, in the name of a user or of nobody, with the resources as the business has them.
func (e *Engine) Operator(ctx context.Context, t store.Tenant, as schema.UUID) (who *Principal, err error) {
	err = t.Rehearse(ctx, store.Actor{}, func(tx *store.Tx) error {
		who, _, err = e.inform(tx, systemPrincipal(t, as))
		return err
	})
	return who, err
}
