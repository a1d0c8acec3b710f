// Package oauth tells who presents a token. It mints personal access tokens and turns a bearer token into a crm.Principal; only hashes of
// secrets are ever stored.
package oauth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"hash/crc32"
	"math/big"
	"strings"
	"time"

	"kith/internal/crm"
	"kith/internal/problem"
	"kith/internal/schema"
	"kith/internal/store"
)

// prefix and checksum let secret scanners find a leaked token, and let us refuse a mistyped one without asking the database.
const (
	prefix       = "kith_pat_"
	secretSize   = 43 // 256 bits in base 62
	checksumSize = 6
	digits       = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

func newSecret() string {
	raw := make([]byte, 32)
	if _, err := rand.Read(raw); err != nil {
		panic(err) // crypto/rand never fails on the systems we run on
	}
	body := prefix + base62(new(big.Int).SetBytes(raw), secretSize)
	return body + checksum(body)
}

func base62(n *big.Int, size int) string {
	out := make([]byte, size)
	radix, digit := big.NewInt(62), new(big.Int)
	for i := size - 1; i >= 0; i-- {
		n.DivMod(n, radix, digit)
		out[i] = digits[digit.Int64()]
	}
	return string(out)
}

func checksum(body string) string {
	return base62(big.NewInt(int64(crc32.ChecksumIEEE([]byte(body)))), checksumSize)
}

func wellFormed(token string) bool {
	if !strings.HasPrefix(token, prefix) || len(token) != len(prefix)+secretSize+checksumSize {
		return false
	}
	cut := len(token) - checksumSize
	return checksum(token[:cut]) == token[cut:]
}

// Mint makes a personal access token inside a transaction. The secret is returned here and never again.
func Mint(tx *store.Tx, user schema.UUID, name string, scopes []string, expires time.Time) (id schema.UUID, secret string, err error) {
	if len(scopes) == 0 {
		var wrong problem.Fields
		wrong.Add("scopes", "required", "must name at least one scope", crm.Scopes()...)
		return id, "", wrong.Err()
	}
	if err := crm.CheckScopes(scopes); err != nil {
		return id, "", err
	}
	secret = newSecret()
	id = schema.NewID(tx.Now)
	err = tx.InsertToken(store.Token{
		ID: id, UserID: user, Name: name, Hint: secret[:len(prefix)+4], Scopes: scopes, CreatedAt: tx.Now, ExpiresAt: expires,
	}, sha256.Sum256([]byte(secret)))
	return id, secret, err
}

// Authenticate turns a bearer token into the principal who acts. Whatever is wrong with the token, the answer is the same.
func Authenticate(ctx context.Context, s *store.Store, token string) (*crm.Principal, error) {
	invalid := problem.New(problem.InvalidToken, "The access token is unknown, expired or revoked.")
	if !wellFormed(token) {
		return nil, invalid
	}
	h, err := s.Holder(ctx, sha256.Sum256([]byte(token)))
	if errors.Is(err, store.ErrNotFound) {
		return nil, invalid
	}
	if err != nil {
		return nil, err
	}
	expired := !h.Token.ExpiresAt.IsZero() && !time.Now().Before(h.Token.ExpiresAt)
	if expired || !h.Token.RevokedAt.IsZero() || h.User.Text("status") == "suspended" {
		return nil, invalid
	}
	return &crm.Principal{Tenant: h.Tenant, User: h.User.ID(), Token: h.Token.ID, Scopes: h.Token.Scopes, Role: crm.ReadRole(h.Role)}, nil
}
