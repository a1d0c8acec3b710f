package testworld

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"testing"
)

// Passkey is a key as a browser and its authenticator have it, written apart from what checks it.
type Passkey struct {
	// Origin is where the browser is.
	Origin string
	// Unverified keys do not ask their owner for a finger or a number.
	Unverified bool
	// Count is how often it has signed.
	Count uint32

	key    *ecdsa.PrivateKey
	id     []byte
	handle string
	host   string
}

type passkeyOptions struct {
	Challenge string
	RP        struct{ ID string }
	RPID      string `json:"rpId"`
	User      struct{ ID string }
}

func parse(tb testing.TB, options string) (asked passkeyOptions) {
	tb.Helper()
	if err := json.Unmarshal([]byte(options), &asked); err != nil || asked.Challenge == "" {
		tb.Fatal(options, err)
	}
	return asked
}

func (k *Passkey) clientData(tb testing.TB, kind, challenge string) []byte {
	return marshal(tb, map[string]any{"type": kind, "challenge": challenge, "origin": k.Origin, "crossOrigin": false})
}

func marshal(tb testing.TB, doc any) []byte {
	text, err := json.Marshal(doc)
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

// authenticatorData is what is signed beside the client's: host, flags, count.
func (k *Passkey) authenticatorData(flags byte) []byte {
	host := sha256.Sum256([]byte(k.host))
	flags |= 1 // somebody was there
	if !k.Unverified {
		flags |= 4
	}
	return binary.BigEndian.AppendUint32(append(host[:], flags), k.Count)
}

// Create answers what a page asks for in order to register a passkey.
func (k *Passkey) Create(tb testing.TB, options string) string {
	tb.Helper()
	asked := parse(tb, options)
	var err error
	if k.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		tb.Fatal(err)
	}
	k.id = make([]byte, 32)
	_, _ = rand.Read(k.id) // never fails
	k.handle, k.host = asked.User.ID, asked.RP.ID
	public, err := k.key.PublicKey.Bytes() // 4, x, y
	if err != nil {
		tb.Fatal(err)
	}
	data := append(k.authenticatorData(0x40), make([]byte, 16)...) // of no known make
	data = append(binary.BigEndian.AppendUint16(data, uint16(len(k.id))), k.id...)
	data = append(data, 0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32) // CBOR: a map of five; EC2, ES256, P-256, x
	data = append(append(data, public[1:33]...), 0x22, 0x58, 32)
	data = append(data, public[33:]...)
	object := append([]byte{0xa3, 0x63}, "fmt"...) // CBOR: a map of three
	object = append(append(object, 0x64), "none"...)
	object = append(append(object, 0x67), "attStmt"...)
	object = append(append(object, 0xa0, 0x68), "authData"...)
	object = append(binary.BigEndian.AppendUint16(append(object, 0x59), uint16(len(data))), data...)
	client := k.clientData(tb, "webauthn.create", asked.Challenge)
	return k.response(tb, map[string]any{"clientDataJSON": encode(client), "attestationObject": encode(object)})
}

// Get answers what a page asks for in order to see a passkey.
func (k *Passkey) Get(tb testing.TB, options string) string {
	tb.Helper()
	asked := parse(tb, options)
	k.Count++
	client, data := k.clientData(tb, "webauthn.get", asked.Challenge), k.authenticatorData(0)
	sum := sha256.Sum256(client)
	signed := sha256.Sum256(append(data[:len(data):len(data)], sum[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, k.key, signed[:])
	if err != nil {
		tb.Fatal(err)
	}
	return k.response(tb, map[string]any{
		"clientDataJSON": encode(client), "authenticatorData": encode(data),
		"signature": encode(signature), "userHandle": k.handle,
	})
}

func (k *Passkey) response(tb testing.TB, response map[string]any) string {
	return string(marshal(tb, map[string]any{
		"id": encode(k.id), "rawId": encode(k.id), "type": "public-key",
		"clientExtensionResults": map[string]any{}, "response": response,
	}))
}
