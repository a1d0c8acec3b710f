package notify

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/kith-crm/kith/internal/store"
)

// Browsers have a push service of their maker, which hands on what it cannot read: RFC 8030. What is sent is encrypted for the browser
// (RFC 8291) and signed with the key that the browser was shown when it subscribed (RFC 8292).

const (
	// pushTime is how long a push service may take, and mostPushAnswer how much of its answer is read.
	pushTime       = 5 * time.Second
	mostPushAnswer = 4 << 10
	// pushRecord is how many bytes a message has at most, as all push services take it.
	pushRecord = 4096
	// tokenLife is how long a signature holds; a day at most.
	tokenLife = 12 * time.Hour
)

// browser is where a browser is pushed to, and what for it is encrypted with.
type browser struct {
	Endpoint string `json:"endpoint"`
	Key      []byte `json:"key"`
	Auth     []byte `json:"auth"`
}

// pushKey is the key that all servers of a database sign with.
func pushKey(ctx context.Context, s *store.Store) (*ecdsa.PrivateKey, error) {
	secret, err := s.Secret(ctx, "push")
	if err != nil {
		return nil, err
	}
	for n := 0; ; n++ { // one number of four thousand million is no key
		seed, err := hkdf.Key(sha256.New, secret, nil, fmt.Sprint("VAPID ", n), 32)
		if err != nil {
			return nil, err
		}
		if key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), seed); err == nil {
			return key, nil
		}
	}
}

// push sends a message to a browser, and tells whether there is none any more at that address.
func push(ctx context.Context, client *http.Client, key *ecdsa.PrivateKey, origin string, to browser, message []byte) (gone bool,
	err error,
) {
	sealed, err := encrypt(to, message)
	if err != nil {
		return false, err
	}
	public, err := key.PublicKey.Bytes()
	if err != nil {
		return false, err
	}
	token, err := sign(key, to.Endpoint, origin, time.Now().Add(tokenLife))
	if err != nil {
		return false, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.Endpoint, bytes.NewReader(sealed))
	if err != nil {
		return false, err
	}
	req.Header.Set("Authorization", "vapid t="+token+", k="+base64.RawURLEncoding.EncodeToString(public))
	req.Header.Set("Content-Encoding", "aes128gcm")
	req.Header.Set("Content-Type", "application/octet-stream")
	req.Header.Set("TTL", fmt.Sprint(int(tried.Seconds())))
	res, err := client.Do(req)
	if err != nil {
		return false, err
	}
	defer res.Body.Close()
	_, _ = io.CopyN(io.Discard, res.Body, mostPushAnswer) // so that the connection may be used again
	switch {
	case res.StatusCode == http.StatusNotFound || res.StatusCode == http.StatusGone:
		return true, nil
	case res.StatusCode >= 300:
		return false, fmt.Errorf("the push service answers %d", res.StatusCode)
	}
	return false, nil
}

// encrypt makes of a message what only the browser can read: RFC 8291, as one record of RFC 8188.
func encrypt(to browser, message []byte) ([]byte, error) {
	theirs, err := ecdh.P256().NewPublicKey(to.Key)
	if err != nil {
		return nil, err
	}
	own, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	shared, err := own.ECDH(theirs)
	if err != nil {
		return nil, err
	}
	public, salt := own.PublicKey().Bytes(), make([]byte, 16)
	rand.Read(salt)
	secret, err := hkdf.Key(sha256.New, shared, to.Auth, "WebPush: info\x00"+string(to.Key)+string(public), 32)
	if err != nil {
		return nil, err
	}
	key, err := hkdf.Key(sha256.New, secret, salt, "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		return nil, err
	}
	nonce, err := hkdf.Key(sha256.New, secret, salt, "Content-Encoding: nonce\x00", 12)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	head := append(binary.BigEndian.AppendUint32(salt, pushRecord), byte(len(public)))
	head = append(head, public...)
	const last = 2 // the record behind which there is none
	sealed := aead.Seal(head, nonce, append(bytes.Clone(message), last), nil)
	if len(sealed) > pushRecord {
		return nil, fmt.Errorf("a message of %d bytes is too long to be pushed", len(message))
	}
	return sealed, nil
}

// sign says who sends to a push service, as a token of RFC 8292.
func sign(key *ecdsa.PrivateKey, endpoint, origin string, until time.Time) (string, error) {
	to, err := url.Parse(endpoint)
	if err != nil {
		return "", err
	}
	claims, err := json.Marshal(map[string]any{"aud": to.Scheme + "://" + to.Host, "exp": until.Unix(), "sub": origin})
	if err != nil {
		return "", err
	}
	coding := base64.RawURLEncoding
	text := coding.EncodeToString([]byte(`{"typ":"JWT","alg":"ES256"}`)) + "." + coding.EncodeToString(claims)
	sum := sha256.Sum256([]byte(text))
	r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
	if err != nil {
		return "", err
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return text + "." + coding.EncodeToString(signature), nil
}
