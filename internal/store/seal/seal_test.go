package seal

import (
	"errors"
	"strings"
	"testing"
)

func read(t *testing.T, keys ...string) *Keys {
	t.Helper()
	k, err := ReadKeys("# the newest first\n\n  " + strings.Join(keys, "  \n") + "\n")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// What is sealed opens under its key and in its context alone, also when a newer key seals.
func TestSealedOpensWhereItBelongs(t *testing.T) {
	old, new := NewKey(), NewKey()
	before, both := read(t, old), read(t, new, old)
	closed := before.Seal("webhook 1", "s3cret")
	if strings.Contains(closed, "s3cret") || !IsSealed(closed) || !before.Sealed(closed) || KeyOf(closed) != before.First() {
		t.Errorf("sealed: %q", closed)
	}
	if again := before.Seal("webhook 1", "s3cret"); again == closed {
		t.Error("the same secret is sealed alike twice, so that equal ones are seen")
	}
	if both.Sealed(closed) || !both.Sealed(both.Seal("webhook 1", "s3cret")) {
		t.Error("the first key seals, and what another sealed is to be sealed anew")
	}
	for _, k := range []*Keys{before, both} {
		if secret, err := k.Open("webhook 1", closed); secret != "s3cret" || err != nil {
			t.Errorf("opens as %q, %v", secret, err)
		}
		if secret, err := k.Open("webhook 2", closed); err == nil {
			t.Errorf("opens elsewhere as %q", secret)
		}
	}
	for i := range closed {
		changed := []byte(closed)
		changed[i] ^= 1
		if secret, err := both.Open("webhook 1", string(changed)); err == nil && IsSealed(string(changed)) {
			t.Errorf("opens as %q with byte %d changed", secret, i)
		}
	}
	for _, k := range []*Keys{nil, read(t, new)} {
		if secret, err := k.Open("webhook 1", closed); !errors.Is(err, ErrOtherKey) {
			t.Errorf("opens without its key as %q, %v", secret, err)
		}
		if text, err := k.Open("webhook 1", "from before"); text != "from before" || err != nil {
			t.Errorf("what is not sealed is given as %q, %v", text, err)
		}
	}
}

func TestKeysAreReadStrictly(t *testing.T) {
	key := NewKey()
	for _, text := range []string{
		"", "# nothing\n", key[:len(key)-1], key + "A", strings.TrimPrefix(key, KeyPrefix), key + " " + key, key + "\nnonsense",
	} {
		if _, err := ReadKeys(text); err == nil {
			t.Errorf("%q is taken for keys", text)
		} else if strings.Contains(err.Error(), key[len(KeyPrefix):len(KeyPrefix)+20]) {
			t.Errorf("the refusal tells the key: %v", err)
		}
	}
}
