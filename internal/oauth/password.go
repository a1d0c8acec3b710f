package oauth

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"kith/internal/problem"
)

// The cost of a password hash: what OWASP recommends as the least for argon2id, so that a small machine can bear several log-ins at once.
const (
	passes    = 2
	memoryKiB = 19 * 1024
	lanes     = 1
	keySize   = 32
	// MinPassword is how many characters a password must have (NIST SP 800-63B).
	MinPassword = 8
)

// hashing bounds how many hashes are computed at once, and so the memory that log-ins can take.
var hashing = make(chan struct{}, 4)

func derive(password string, salt []byte, passes, memory uint32, lanes uint8, size uint32) []byte {
	hashing <- struct{}{}
	defer func() { <-hashing }()
	return argon2.IDKey([]byte(password), salt, passes, memory, lanes, size)
}

// HashPassword gives what is stored of a password.
func HashPassword(password string) (string, error) {
	if n := utf8.RuneCountInString(password); n < MinPassword || n > 1000 {
		var wrong problem.Fields
		wrong.Add("password", "out_of_range", fmt.Sprintf("must have from %d to 1000 characters", MinPassword))
		return "", wrong.Err()
	}
	salt := make([]byte, 16)
	if _, err := rand.Read(salt); err != nil {
		return "", err
	}
	key := derive(password, salt, passes, memoryKiB, lanes, keySize)
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, memoryKiB, passes, lanes,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(key)), nil
}

// CheckPassword compares a password with a stored hash in constant time.
func CheckPassword(hash, password string) bool {
	var version, memory, time, threads int
	var salt64, key64 string
	n, err := fmt.Sscanf(hash, "$argon2id$v=%d$m=%d,t=%d,p=%d$%s", &version, &memory, &time, &threads, &salt64)
	if n != 5 || err != nil || version != argon2.Version || time < 1 || memory < 1 || threads < 1 || threads > 255 {
		return false
	}
	for i := range salt64 {
		if salt64[i] == '$' {
			salt64, key64 = salt64[:i], salt64[i+1:]
			break
		}
	}
	salt, err1 := base64.RawStdEncoding.DecodeString(salt64)
	key, err2 := base64.RawStdEncoding.DecodeString(key64)
	if err1 != nil || err2 != nil || len(key) == 0 || time < 1 || memory < 1 || threads < 1 || threads > 255 {
		return false
	}
	return subtle.ConstantTimeCompare(key, derive(password, salt, uint32(time), uint32(memory), uint8(threads), uint32(len(key)))) == 1
}
