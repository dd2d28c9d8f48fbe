package harness

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"testing"

	"github.com/descope/virtualwebauthn"
)

// Authenticator is a device that keeps one passkey, with the browser it belongs to.
// What a test changes of it, it tells wrongly from then on.
type Authenticator struct {
	Party  virtualwebauthn.RelyingParty
	Device virtualwebauthn.Authenticator
	Key    virtualwebauthn.Credential

	t testing.TB
}

// coseKey is how long an ES256 key is whose coordinates begin with no zero, which
// virtualwebauthn leaves out.
const coseKey = 77

// Authenticator returns a device without a passkey, whose browser shows the service.
func (h *Service) Authenticator() *Authenticator { return NewAuthenticator(h.t, Issuer) }

// NewAuthenticator is one whose browser shows the pages of an origin.
func NewAuthenticator(t testing.TB, origin string) *Authenticator {
	t.Helper()
	key := virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2)
	for len(key.Key.AttestationData()) != coseKey {
		key = virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2)
	}
	return &Authenticator{
		Party:  virtualwebauthn.RelyingParty{Origin: origin},
		Device: virtualwebauthn.NewAuthenticator(), Key: key, t: t,
	}
}

// Create makes the passkey that options ask for.
func (a *Authenticator) Create(options P) P {
	a.t.Helper()
	asked, err := virtualwebauthn.ParseAttestationOptions(a.text(options))
	if err != nil {
		a.t.Fatalf("read options of a passkey: %v", err)
	}
	if a.Party.ID == "" {
		a.Party.ID = asked.RelyingPartyID
	}
	if a.Device.Options.UserHandle == nil {
		a.Device.Options.UserHandle = []byte(asked.UserID)
	}
	return a.object(virtualwebauthn.CreateAttestationResponse(a.Party, a.Device, a.Key, *asked))
}

// Sign answers options by the passkey.
func (a *Authenticator) Sign(options P) P {
	a.t.Helper()
	asked, err := virtualwebauthn.ParseAssertionOptions(a.text(options))
	if err != nil {
		a.t.Fatalf("read options of a login: %v", err)
	}
	return a.object(virtualwebauthn.CreateAssertionResponse(a.Party, a.Device, a.Key, *asked))
}

// Forge changes what was signed, client data and authenticator data, and signs it
// anew, as an authenticator would that does not keep to the rules.
func (a *Authenticator) Forge(signed P, client func(P), data func([]byte) []byte) P {
	a.t.Helper()
	if client != nil {
		a.Reclaim(signed, client)
	}
	response := signed["response"].(P)
	text, raw := a.decode(response["clientDataJSON"]), a.decode(response["authenticatorData"])
	if data != nil {
		raw = data(raw)
	}
	hash := sha256.Sum256(text)
	digest := sha256.Sum256(append(raw, hash[:]...))
	signature, err := a.Key.Key.Sign(digest[:])
	if err != nil {
		a.t.Fatalf("sign: %v", err)
	}
	response["authenticatorData"], response["signature"] = encode(raw), encode(signature)
	return signed
}

// Reclaim changes the client data and leaves the signature as it is.
func (a *Authenticator) Reclaim(signed P, change func(P)) P {
	a.t.Helper()
	response := signed["response"].(P)
	collected := a.object(string(a.decode(response["clientDataJSON"])))
	change(collected)
	response["clientDataJSON"] = encode([]byte(a.text(collected)))
	return signed
}

func (a *Authenticator) decode(member any) []byte {
	a.t.Helper()
	text, _ := member.(string)
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		a.t.Fatalf("read what the authenticator made: %v", err)
	}
	return raw
}

// Copy is another device with the same passkey.
func (a *Authenticator) Copy() *Authenticator {
	copied, key := *a, *a.Key.Key
	copied.Key.Key = &key
	return &copied
}

func (a *Authenticator) text(options P) string {
	a.t.Helper()
	written, err := json.Marshal(options)
	if err != nil {
		a.t.Fatalf("write options: %v", err)
	}
	return string(written)
}

func (a *Authenticator) object(text string) P {
	a.t.Helper()
	var read P
	if err := json.Unmarshal([]byte(text), &read); err != nil {
		a.t.Fatalf("read what the authenticator made: %v", err)
	}
	return read
}

// Passkey registers a passkey of the actor.
func (a *Actor) Passkey() *Authenticator {
	a.h.t.Helper()
	device := a.h.Authenticator()
	options := a.Do("WEBAUTHN.REGISTER_OPTIONS", nil).OK().Data["options"].(P)
	a.Do("WEBAUTHN.REGISTER_VERIFY", P{"credential": device.Create(options)}).OK()
	return device
}

// LoginByPasskey lets somebody try to log in by a passkey.
func (h *Service) LoginByPasskey(device *Authenticator) *Reply {
	h.t.Helper()
	options := h.Anonymous().Do("WEBAUTHN.LOGIN_OPTIONS", nil).OK().Data["options"].(P)
	return h.Anonymous().Do("WEBAUTHN.LOGIN_VERIFY", P{"credential": device.Sign(options)})
}
