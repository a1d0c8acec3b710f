package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
	"github.com/kith-crm/kith/internal/store/seal"
	"github.com/kith-crm/kith/internal/store/sqlite"
)

// keyWords stand in the file of a new key.
const keyWords = `# The secret key of a kith database. Secrets in the database that have to be read again are sealed under it:
# those of authenticator apps, of identity providers.
# Keep a copy where the backups of the database are not: without this key these secrets are lost, and with both whoever has them can
# read them.
# To change it, put a new line above the old one and start the server again; the old line may go when the log says that all are sealed
# under the new key.
`

// isKey is the rule of --secret-key: a file, or the key itself.
func isKey(text string) string {
	if !strings.HasPrefix(text, seal.KeyPrefix) {
		return ""
	}
	if _, err := seal.ReadKeys(text); err != nil {
		return err.Error()
	}
	return ""
}

// useKeys has secrets sealed under the operator's key, which is made where there is none yet and the database is a file.
func (c *invocation) useKeys(ctx context.Context, s *store.Store, given string, log *slog.Logger) error {
	known, err := s.KeyKnown(ctx)
	if err != nil {
		return err
	}
	text, where, made := given, "the option", false
	beside, file := sqlite.KeyFile(c.db)
	if known != "" && given == "" && !(file && exists(beside)) {
		// A copy that was brought here without the key. Where nothing in it is sealed, nobody misses it.
		sealed, err := keep.AnySealed(ctx, s)
		if err == nil && !sealed {
			known, err = "", s.ForgetKey(ctx)
		}
		if err != nil {
			return err
		}
	}
	switch {
	case strings.HasPrefix(given, seal.KeyPrefix):
	case given != "":
		where = given
	case file:
		where = beside
	case known != "":
		return fmt.Errorf("secrets in the database are sealed under the key %s; give it with --secret-key (or KITH_SECRET_KEY)", known)
	default:
		log.Info("there is no --secret-key: secrets of authenticator apps and identity providers are not sealed in the database")
		return nil
	}
	if where != "the option" {
		read, err := os.ReadFile(where)
		if errors.Is(err, fs.ErrNotExist) && known == "" && given == "" {
			if read, err = makeKey(where); err == nil {
				made = true
				c.tellOfKey(where, log)
			}
		}
		if errors.Is(err, fs.ErrNotExist) && known != "" {
			return fmt.Errorf("secrets in the database are sealed under the key %s, and there is no file %s; bring it from where the key "+
				"was kept, or see kith key forget --help if it is lost", known, where)
		}
		if err != nil {
			return fmt.Errorf("--secret-key: %w", err)
		}
		text = string(read)
	}
	keys, err := seal.ReadKeys(text)
	if err != nil {
		return fmt.Errorf("--secret-key: %s: %w", where, err)
	}
	whole, err := s.UseKeys(ctx, keys)
	switch {
	case errors.Is(err, seal.ErrOtherKey):
		return fmt.Errorf("secrets in the database are sealed under the key %s, which is not that of %s; see kith key forget --help if "+
			"it is lost", known, where)
	case err != nil || whole:
		return err
	}
	if err := keep.Reseal(ctx, s); err != nil {
		return fmt.Errorf("seal the secrets in the database: %w", err)
	}
	if !made {
		log.Info("all secrets in the database are sealed under the first key")
	}
	return nil
}

// tellOfKey tells that a key was made: people on a terminal in words, programs in the log.
func (c *invocation) tellOfKey(file string, log *slog.Logger) {
	const says = "a secret key was made; keep a copy of it elsewhere, for without it the secrets that are sealed under it are lost"
	if onTerminal(c.errs) {
		fmt.Fprintf(c.errs, "%s: %s\n", says, file)
		return
	}
	log.Info(says, "file", file)
}

// exists tells whether there is a file.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// makeKey makes the file of a key, for its owner only. It is on disk before anything is sealed under it.
func makeKey(path string) ([]byte, error) {
	text := []byte(keyWords + seal.NewKey() + "\n")
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return nil, err
	}
	if folder, err := os.Open(filepath.Dir(path)); err == nil { // some systems cannot, and do not need to
		_ = folder.Sync()
		_ = folder.Close()
	}
	return text, nil
}

// keyForget lets the server begin with a new key where that of the database is lost.
func keyForget(ctx context.Context, c *invocation) error {
	c.jsonFlag()
	if err := c.parse(); err != nil {
		return err
	}
	engine, err := c.open(ctx)
	if err != nil {
		return err
	}
	known, err := engine.Store().KeyKnown(ctx)
	if err != nil {
		return err
	}
	if known == "" {
		return errors.New("nothing in the database is sealed under a key")
	}
	if err := engine.Store().ForgetKey(ctx); err != nil {
		return err
	}
	return c.print(map[string]string{"forgotten": known},
		"The server begins with another key when it starts the next time. What was sealed under "+known+" stays lost:",
		"users log in with a recovery code or passkey, or after kith user reset-factor, and set up their authenticator app anew;",
		"businesses that log in by an identity provider give its client secret again.")
}

// aboutKey is what is said with a copy of the database whose secrets are sealed.
func aboutKey(ctx context.Context, s *store.Store) []string {
	known, err := s.KeyKnown(ctx)
	if err != nil || known == "" {
		return nil
	}
	return []string{"Secrets in it are sealed under the key " + known + ", which is not part of it: who serves it needs that key too " +
		"(--secret-key)."}
}
