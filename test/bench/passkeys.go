package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/descope/virtualwebauthn"
)

// authenticator holds the passkey of one member.
type authenticator struct {
	private *ecdsa.PrivateKey
	id      string
	handle  string
	origin  string
	// data is what it says of itself each time (Web Authentication section 6.1).
	data []byte
}

// enrollPasskeys returns each connection a passkey of a member of its own.
func enrollPasskeys(ctx context.Context, c *contest) error {
	i, have := c.i, len(c.i.passkeys)
	if have >= c.connections {
		return nil
	}
	more := make([]*authenticator, c.connections-have)
	err := i.together(ctx, len(more), func(on *conversation, k int) (err error) {
		more[k], err = i.enrollPasskey(on, have+k)
		return err
	})
	if err == nil {
		i.passkeys = append(i.passkeys, more...)
	}
	return err
}

// enrollPasskey logs a member in and registers a passkey of theirs.
func (i *instance) enrollPasskey(on *conversation, number int) (*authenticator, error) {
	body, err := demand(on, post(nil, "", loginBody(email(number%i.people.users))))
	if err != nil {
		return nil, fmt.Errorf("log a member in: %w", err)
	}
	access, err := field(body, "access_token")
	if err != nil {
		return nil, err
	}
	if body, err = demand(on, post(nil, access, `{"command":"WEBAUTHN.REGISTER_OPTIONS"}`)); err != nil {
		return nil, fmt.Errorf("begin to register a passkey: %w", err)
	}
	made, answer, err := i.makePasskey(body)
	if err != nil {
		return nil, err
	}
	_, err = demand(on, post(nil, access, `{"command":"WEBAUTHN.REGISTER_VERIFY","params":{"credential":`+answer+`}}`))
	if err != nil {
		return nil, fmt.Errorf("register a passkey: %w", err)
	}
	return made, nil
}

// coseKey is how long an ES256 key is whose coordinates begin with no zero, which
// virtualwebauthn leaves out.
const coseKey = 77

// makePasskey makes the passkey that an answer of WEBAUTHN.REGISTER_OPTIONS asks for.
func (i *instance) makePasskey(body []byte) (*authenticator, string, error) {
	var asked struct {
		Data struct {
			Options json.RawMessage `json:"options"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		return nil, "", fmt.Errorf("read options: %w", err)
	}
	options, err := virtualwebauthn.ParseAttestationOptions(string(asked.Data.Options))
	if err != nil {
		return nil, "", fmt.Errorf("read options: %w", err)
	}
	credential := virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2)
	for len(credential.Key.AttestationData()) != coseKey {
		credential = virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(credential.Key.Data)
	if err != nil {
		return nil, "", fmt.Errorf("read a private key: %w", err)
	}
	private, ok := parsed.(*ecdsa.PrivateKey)
	if !ok {
		return nil, "", errors.New("the private key is no ECDSA key")
	}
	party := virtualwebauthn.RelyingParty{ID: options.RelyingPartyID, Origin: i.issuer}
	hash := sha256.Sum256([]byte(party.ID))
	const presentAndVerified = 1<<0 | 1<<2
	return &authenticator{
		private: private, id: base64url(credential.ID), handle: base64url([]byte(options.UserID)), origin: i.issuer,
		data: append(hash[:], presentAndVerified, 0, 0, 0, 0),
	}, virtualwebauthn.CreateAttestationResponse(party, virtualwebauthn.NewAuthenticator(), credential, *options), nil
}

// sign answers a challenge by a call of WEBAUTHN.LOGIN_VERIFY.
func (a *authenticator) sign(challenge string) (string, error) {
	client := []byte(`{"type":"webauthn.get","challenge":"` + challenge + `","origin":"` + a.origin + `","crossOrigin":false}`)
	hash := sha256.Sum256(client)
	digest := sha256.Sum256(append(a.data[:len(a.data):len(a.data)], hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, a.private, digest[:])
	if err != nil {
		return "", fmt.Errorf("sign: %w", err)
	}
	return `{"command":"WEBAUTHN.LOGIN_VERIFY","params":{"credential":{"id":"` + a.id + `","rawId":"` + a.id +
		`","type":"public-key","response":{"clientDataJSON":"` + base64url(client) + `","authenticatorData":"` + base64url(a.data) +
		`","signature":"` + base64url(signature) + `","userHandle":"` + a.handle + `"}}}}`, nil
}

func base64url(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

// passing logs in by a passkey: every other request begins a login, the next ends it.
type passing struct {
	by      *authenticator
	answer  string
	request []byte
}

func passingAll(c *contest) func(int) script {
	return func(connection int) script { return &passing{by: c.i.passkeys[connection]} }
}

func (p *passing) next() []byte {
	body := p.answer
	if body == "" {
		body = `{"command":"WEBAUTHN.LOGIN_OPTIONS"}`
	}
	p.request = post(p.request[:0], "", body)
	return p.request
}

func (p *passing) heard(status int, body []byte) error {
	if err := expect(200, status, body); err != nil {
		return err
	}
	if p.answer != "" {
		p.answer = ""
		return nil
	}
	challenge, err := field(body, "challenge")
	if err == nil {
		p.answer, err = p.by.sign(challenge)
	}
	return err
}
