package crm

import (
	"crypto/rand"
	"crypto/sha256"
	"hash/crc32"
	"math/big"
	"strings"

	"kith/internal/store/keep"
)

// Kinds of secrets. The prefix of each and the checksum at its end let secret scanners find a leaked one, and let us refuse a
// mistyped one without asking the database.
const (
	PersonalToken = "pat"
	AccessToken   = "at"
	RefreshToken  = "rt"
	AuthCode      = "code"
	SessionCookie = "ses"
	SingleUseLink = "link"
	EmailLink     = "mail"
	LoginTicket   = "log"
	ClientSecret  = "cs"
	Registration  = "reg"
)

const (
	secretSize   = 43 // 256 bits in base 62
	checksumSize = 6
	digits       = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// NewSecret makes a secret of a kind and the hash under which it is stored.
func NewSecret(kind string) (string, keep.Hash) {
	raw := make([]byte, 32)
	if _, err := rand.Read(raw); err != nil {
		panic(err) // crypto/rand never fails on the systems we run on
	}
	body := "kith_" + kind + "_" + base62(new(big.Int).SetBytes(raw), secretSize)
	secret := body + checksum(body)
	return secret, HashSecret(secret)
}

// HashSecret is what is stored of a secret. It is random and long, so a plain hash is enough.
func HashSecret(secret string) keep.Hash { return sha256.Sum256([]byte(secret)) }

// WellFormed tells whether a text can be a secret of a kind.
func WellFormed(kind, secret string) bool {
	if !strings.HasPrefix(secret, "kith_"+kind+"_") || len(secret) != len("kith__")+len(kind)+secretSize+checksumSize {
		return false
	}
	cut := len(secret) - checksumSize
	return checksum(secret[:cut]) == secret[cut:]
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

// checksum is that of a secret. Every request has one to check, so it does without big numbers.
func checksum(body string) string {
	var out [checksumSize]byte
	n := crc32.ChecksumIEEE([]byte(body))
	for i := checksumSize - 1; i >= 0; i-- {
		out[i] = digits[n%62]
		n /= 62
	}
	return string(out[:])
}
