package record

import (
	"crypto/rand"
	"crypto/sha256"
	"hash/crc32"
	"math/big"
	"strings"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/keep"
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
	QuoteLink     = "quote"

	// SpentChallenge is no secret but what a passkey has signed, so that it is not taken twice.
	SpentChallenge = "chal"
)

const (
	secretSize   = 43 // 256 bits in base 62
	businessSize = 22 // 128 bits
	checksumSize = 6
	digits       = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// NewSecret makes a secret of a kind and the hash under which it is stored. It ends with its business, beside which the hash is
// kept, so that it can be looked up there; the zero id is for those that belong to none, or are found by something else.
func NewSecret(kind string, business schema.UUID) (string, keep.Hash) {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // which never fails
	body := "kith_" + kind + "_" + base62(new(big.Int).SetBytes(raw), secretSize)
	if business != (schema.UUID{}) {
		body += base62(new(big.Int).SetBytes(business[:]), businessSize)
	}
	secret := body + checksum(body)
	return secret, HashSecret(secret)
}

// HashSecret is what is stored of a secret. It is random and long, so a plain hash is enough.
func HashSecret(secret string) keep.Hash { return sha256.Sum256([]byte(secret)) }

// Presented is what a well-formed secret is looked up by. The business that it names is a claim until its hash is found there.
func Presented(secret string) keep.Presented {
	p := keep.Presented{Hash: HashSecret(secret)}
	at := strings.LastIndexByte(secret, '_') + 1 + secretSize
	if len(secret) == at+businessSize+checksumSize {
		p.Business = unbase62(secret[at : at+businessSize])
	}
	return p
}

// WellFormed tells whether a text can be a secret of a kind. Those from before they named their business are shorter.
func WellFormed(kind, secret string) bool {
	size := len("kith__") + len(kind) + secretSize + checksumSize
	if !strings.HasPrefix(secret, "kith_"+kind+"_") || len(secret) != size && len(secret) != size+businessSize {
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

// unbase62 reads an id; what is none gives the zero id, or one that nobody has.
func unbase62(text string) (id schema.UUID) {
	n, radix := new(big.Int), big.NewInt(62)
	for i := range len(text) {
		digit := strings.IndexByte(digits, text[i])
		if digit < 0 {
			return schema.UUID{}
		}
		n.Add(n.Mul(n, radix), big.NewInt(int64(digit)))
	}
	if n.BitLen() <= 8*len(id) {
		n.FillBytes(id[:])
	}
	return id
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
