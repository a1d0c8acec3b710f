package oauth

import (
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/problem"
)

func TestPasswords(t *testing.T) {
	const password = "correct horse 🐎"
	hash, err := HashPassword(password)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") || strings.Contains(hash, "horse") {
		t.Errorf("kept is %s", hash)
	}
	if !CheckPassword(hash, password) {
		t.Error("the password does not match its hash")
	}
	if CheckPassword(hash, password+" ") {
		t.Error("another password matches the hash")
	}
	again, err := HashPassword(password)
	if err != nil || again == hash {
		t.Errorf("the hash of a password is the same twice: %v", err)
	}
}

func TestPasswordsHaveALength(t *testing.T) {
	for _, password := range []string{"", "1234567", "äöüäöüä", strings.Repeat("x", 1001)} {
		if hash, err := HashPassword(password); hash != "" || problem.As(err) == nil {
			t.Errorf("%.10q is taken: %v", password, err)
		}
	}
}

func TestHashesThatAreNoneMatchNothing(t *testing.T) {
	for _, hash := range []string{
		"", "x", "$argon2id$", "$argon2i$v=19$m=8,t=1,p=1$c2FsdA$a2V5", "$argon2id$v=18$m=8,t=1,p=1$c2FsdA$a2V5",
		"$argon2id$v=19$m=8,t=1,p=1$c2FsdA", "$argon2id$v=19$m=8,t=1,p=1$c2FsdA$", "$argon2id$v=19$m=8,t=1,p=1$!!$!!", "plain password",
		"$argon2id$v=19$m=8,t=0,p=1$c2FsdA$a2V5", "$argon2id$v=19$m=8,t=1,p=0$c2FsdA$a2V5", "$argon2id$v=19$m=8,t=1,p=256$c2FsdA$a2V5",
		"$argon2id$v=19$m=-8,t=1,p=1$c2FsdA$a2V5",
	} {
		if CheckPassword(hash, "") || CheckPassword(hash, "plain password") {
			t.Errorf("%q matches", hash)
		}
	}
}
