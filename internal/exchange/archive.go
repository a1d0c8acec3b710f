package exchange

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// The names of what an archive has beside the records.
const (
	archiveBusiness = "business.json"
	archiveSchema   = "schema.json"
)

// ArchiveBody is what the body may have that asks for an archive: nothing.
var ArchiveBody = schema.CompileBody("an archive")

// WriteArchive writes everything of the business that the caller may read as one zip, and hands it to send piece by piece: the
// business, the schema, and for each resource a file with a line of JSON for each record, as a search answers it. It is no single
// moment: each record is as it is when it is read. still tells who asks by now, as Export.Still does.
func WriteArchive(ctx context.Context, e *record.Engine, c record.Call, still func() (*record.Principal, error),
	send func([]byte) error,
) error {
	business, err := c.Business(ctx)
	if err != nil {
		return err
	}
	if err := tellExport(ctx, c, record.Business.Name); err != nil {
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
	if business, err = account.WithLogo(ctx, c, business); err != nil {
		return err
	}
	if err := put(archiveBusiness, record.Render(nil, business)); err != nil {
		return err
	}
	if err := put(archiveSchema, c.AppendSchema(nil)); err != nil {
		return err
	}
	everything, err := body.Parse([]byte(`{"format":"` + string(query.JSONL) + `","sort_direction":"asc"}`))
	if err != nil {
		return err
	}
	for _, k := range record.Kinds() {
		if _, err := mayExport(c.Principal, k); err != nil {
			continue // what may not be read is left out
		}
		x, err := PlanExport(ctx, e, c, k, everything)
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
