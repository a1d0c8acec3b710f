package client_test

import (
	"errors"
	"io"
	"testing"

	"github.com/kith-crm/kith/client"
	"github.com/kith-crm/kith/internal/httpapi"
)

func TestFilesAreReadAsTheyCome(t *testing.T) {
	onBothEngines(t, httpapi.Options{}, func(t *testing.T, s *server) {
		ctx, c := t.Context(), s.connect(t)
		for _, name := range []string{"Anna", "Ben"} {
			must[*client.Contact](t)(c.Contacts.Create(ctx, client.ContactInput{Name: client.Set(name)}))
		}
		file, err := c.Contacts.Export(ctx, client.ExportQuery{Format: client.CSV, Order: client.Asc("name"), Fields: []string{"name"}})
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(file)
		if err := errors.Join(err, file.Close()); err != nil || string(text) != "name\r\nAnna\r\nBen\r\n" {
			t.Errorf("the file is %q, %v", text, err)
		}
		if _, err := c.Contacts.Export(ctx, client.ExportQuery{Format: "pdf"}); !errors.Is(err, client.ErrValidationFailed) {
			t.Errorf("%v", err)
		}
	})
}
