package oauth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
)

// The cost of a password hash: what OWASP recommends as the least for argon2id, so that a small machine can bear several log-ins at once.
const (
	passes    = 2
	memoryKiB = 19 * 1024
	lanes     = 1
	keySize   = 32
	// MinPassword is how many characters a password must have (NIST SP 800-63B), MostPassword how many it may.
	MinPassword  = 8
	MostPassword = 1000
)

// recipe is all that is needed to compute the hash of a password but the password: what a stored hash has in front of its key.
// Passwords with the same recipe are checked with one computation.
type recipe string

// newRecipe makes a recipe with a salt of its own.
func newRecipe() recipe {
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // it never fails
	return recipe(fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$", argon2.Version, memoryKiB, passes, lanes,
		base64.RawStdEncoding.EncodeToString(salt)))
}

// split takes a stored hash apart. What is not one of ours has no recipe.
func split(hash string) (recipe, []byte) {
	at := strings.LastIndexByte(hash, '$') + 1
	key, err := base64.RawStdEncoding.DecodeString(hash[at:])
	r := recipe(hash[:at])
	if _, ok := r.parse(); err != nil || len(key) != keySize || !ok {
		return "", nil
	}
	return r, key
}

// cost is what a recipe says.
type cost struct {
	salt         []byte
	time, memory uint32
	threads      uint8
}

func (r recipe) parse() (c cost, ok bool) {
	var version int
	var salt string
	n, err := fmt.Sscanf(string(r), "$argon2id$v=%d$m=%d,t=%d,p=%d$%s", &version, &c.memory, &c.time, &c.threads, &salt)
	if n != 5 || err != nil || version != argon2.Version || c.time < 1 || c.memory < 1 || c.threads < 1 {
		return c, false
	}
	salt, ok = strings.CutSuffix(salt, "$")
	c.salt, err = base64.RawStdEncoding.DecodeString(salt)
	return c, ok && err == nil && len(salt) > 0
}

// derive computes the key of a password, when it is its turn.
func (r recipe) derive(ctx context.Context, password string) (key []byte, err error) {
	c, ok := r.parse()
	if !ok {
		return nil, nil
	}
	err = hashing.run(ctx, func() { key = argon2.IDKey([]byte(password), c.salt, c.time, c.memory, c.threads, keySize) })
	return key, err
}

// hash gives what is stored of a password.
func (r recipe) hash(ctx context.Context, password string) (string, error) {
	key, err := r.derive(ctx, password)
	if err != nil {
		return "", err
	}
	return r.with(key), nil
}

func (r recipe) with(key []byte) string { return string(r) + base64.RawStdEncoding.EncodeToString(key) }

// CheckNewPassword refuses passwords that are too short or too long.
func CheckNewPassword(password string) error {
	var wrong problem.Fields
	if n := utf8.RuneCountInString(password); n < MinPassword || n > MostPassword {
		wrong.Add("password", "out_of_range", fmt.Sprintf("must have from %d to %d characters", MinPassword, MostPassword))
	}
	return wrong.Err()
}

// HashPassword gives what is stored of a password.
func HashPassword(password string) (string, error) {
	if err := CheckNewPassword(password); err != nil {
		return "", err
	}
	return newRecipe().hash(context.Background(), password)
}

// HashPasswordFor gives what is stored of a password of someone with an e-mail address. All passwords of an address, one for each business,
// share a recipe: so a log-in, which has to try them all, computes one hash, and how long it takes does not tell how many there are.
func HashPasswordFor(ctx context.Context, s *store.Store, email, password string) (string, error) {
	if err := CheckNewPassword(password); err != nil {
		return "", err
	}
	r, err := recipeOf(ctx, s, email)
	if err != nil {
		return "", err
	}
	if r == "" {
		r = newRecipe()
	}
	return r.hash(ctx, password)
}

// recipeOf is the recipe of the passwords of an address, or nothing where it has none of the cost that is asked for today.
func recipeOf(ctx context.Context, s *store.Store, email string) (recipe, error) {
	all, err := keep.Identities(ctx, s, email)
	for _, id := range all {
		if r, _ := split(id.Hash); r.current() {
			return r, err
		}
	}
	return "", err
}

// current tells whether a recipe costs what a new one does.
func (r recipe) current() bool {
	c, ok := r.parse()
	return ok && c.time == passes && c.memory == memoryKiB && c.threads == lanes
}

// CheckPassword compares a password with a stored hash in constant time.
func CheckPassword(hash, password string) bool {
	r, key := split(hash)
	if key == nil {
		return false
	}
	derived, err := r.derive(context.Background(), password)
	return err == nil && subtle.ConstantTimeCompare(key, derived) == 1
}
