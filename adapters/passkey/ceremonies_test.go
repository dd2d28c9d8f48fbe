package passkey_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/adapters/passkey"
	"gatehouse.internal/adapters/system"
	domainpasskey "gatehouse.internal/domain/passkey"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/signin"
	"gatehouse.internal/test/harness"
)

const (
	origin = "https://login.example.com"
	person = user.ID("usr_01jd7x9k2mf3q8v5t0abcdefgh")
)

// androidApp is the origin of an Android app.
const androidApp = "android:apk-key-hash:Xg1TChGFwLRePIQvqYGwEcYwQn0bS7Q2VX0fYwwXcFg"

// party is a relying party with two origins of its own, one of another domain, and an app.
func party(t *testing.T) *passkey.Ceremonies {
	t.Helper()
	c, err := passkey.New(passkey.RelyingParty{
		ID: "example.com", Origins: []string{origin, "https://app.example.com:8443", "https://example.org", androidApp}, Life: time.Minute,
	}, system.Random{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func object(t *testing.T, text []byte) harness.P {
	t.Helper()
	var read harness.P
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	return read
}

func text(t *testing.T, value any) []byte {
	t.Helper()
	written, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return written
}

// registered makes a passkey and returns it as it would be stored.
func registered(t *testing.T, c *passkey.Ceremonies, device *harness.Authenticator) domainpasskey.Snapshot {
	t.Helper()
	begun, err := c.Create(signin.PasskeyCreation{Owner: person, Name: "ada@example.com", DisplayName: "Ada"})
	if err != nil {
		t.Fatal(err)
	}
	given, err := c.Created(text(t, device.Create(object(t, begun.Options))))
	if err != nil {
		t.Fatal(err)
	}
	record, err := given.Verify(begun.State, person)
	if err != nil || given.Challenge() != begun.Challenge {
		t.Fatalf("Verify() = %v, challenge %s", err, given.Challenge())
	}
	return domainpasskey.Snapshot{ID: "pky_1", UserID: person, CredentialID: given.CredentialID(), Record: record}
}

// A passkey serves the domain, at each of its origins and at no other.
func TestOrigins(t *testing.T) {
	t.Parallel()
	c := party(t)
	device := harness.NewAuthenticator(t, origin)
	held := registered(t, c, device)
	for at, ok := range map[string]bool{
		origin: true, "https://app.example.com:8443": true, "https://example.org": true, androidApp: true, "https://LOGIN.example.com": false, "https://login.example.com:443": false,
		"https://app.example.com": false, "http://login.example.com": false, "https://example.com": false, "null": false,
		"https://login.example.com.evil.example": false, "android:apk-key-hash:AAAA": false, "file://": false,
	} {
		begun, err := c.Request(signin.PasskeyRequest{Verified: true})
		if err != nil {
			t.Fatal(err)
		}
		device.Party.Origin = at
		given, err := c.Asserted(text(t, device.Sign(object(t, begun.Options))))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := given.Verify(held); (err == nil) != ok || (err != nil && !errors.Is(err, domainpasskey.ErrRefused)) {
			t.Errorf("%s: %v, want it taken %v", at, err, ok)
		}
	}
}

// What is judged belongs to one owner and one passkey.
func TestWhatIsJudged(t *testing.T) {
	t.Parallel()
	c := party(t)
	device := harness.NewAuthenticator(t, origin)
	held := registered(t, c, device)
	begun, err := c.Request(signin.PasskeyRequest{Verified: true})
	if err != nil {
		t.Fatal(err)
	}
	given, err := c.Asserted(text(t, device.Sign(object(t, begun.Options))))
	if err != nil {
		t.Fatal(err)
	}
	use, err := given.Verify(held)
	if err != nil || !use.UserVerified || given.Owner() != person || given.CredentialID() != held.CredentialID || given.Challenge() != begun.Challenge {
		t.Errorf("Verify() = %+v, %v; challenge %s", use, err, given.Challenge())
	}
	foreign, renamed, rekeyed := held, held, held
	foreign.UserID = "usr_01jd7x9k2mf3q8v5t0abcdefgj"
	renamed.CredentialID = base64.RawURLEncoding.EncodeToString([]byte("another"))
	rekeyed.Record = registered(t, c, harness.NewAuthenticator(t, origin)).Record
	for name, by := range map[string]domainpasskey.Snapshot{
		"somebody else's": foreign, "another passkey": renamed, "another key": rekeyed,
	} {
		if _, err := given.Verify(by); !errors.Is(err, domainpasskey.ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A passkey whose authenticator reports another backup eligibility than before is told apart, if nothing else is
// wrong.
func TestChangedBackupEligibility(t *testing.T) {
	t.Parallel()
	const flags, eligible = 32, 0x08
	c := party(t)
	device := harness.NewAuthenticator(t, origin)
	held := registered(t, c, device)
	foreign := held
	foreign.Record = registered(t, c, harness.NewAuthenticator(t, origin)).Record
	begun, err := c.Request(signin.PasskeyRequest{Verified: true})
	if err != nil {
		t.Fatal(err)
	}
	signed := device.Forge(device.Sign(object(t, begun.Options)), nil, func(data []byte) []byte {
		data[flags] ^= eligible
		return data
	})
	given, err := c.Asserted(text(t, signed))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := given.Verify(held); !errors.Is(err, domainpasskey.ErrChanged) {
		t.Errorf("Verify() = %v", err)
	}
	if _, err := given.Verify(foreign); !errors.Is(err, domainpasskey.ErrRefused) {
		t.Errorf("Verify() by another key = %v", err)
	}
}

// What the browser says of a new key decides whether it can sign in by itself.
func TestKeysThatSignIn(t *testing.T) {
	t.Parallel()
	c := party(t)
	for extensions, want := range map[string]bool{`{}`: true, `{"credProps":{"rk":true}}`: true, `{"credProps":{"rk":false}}`: false} {
		begun, err := c.Create(signin.PasskeyCreation{Owner: person, Name: "n", DisplayName: "n"})
		if err != nil || !strings.Contains(string(begun.Options), `"credProps":true`) {
			t.Fatalf("Create() = %s, %v", begun.Options, err)
		}
		made := harness.NewAuthenticator(t, origin).Create(object(t, begun.Options))
		made["clientExtensionResults"] = object(t, []byte(extensions))
		given, err := c.Created(text(t, made))
		if err != nil {
			t.Fatal(err)
		}
		if record, err := given.Verify(begun.State, person); err != nil || record.SignsIn() != want {
			t.Errorf("%s: %+v, %v", extensions, record, err)
		}
	}
}

// The state of a registration is taken for what it is, or not at all.
func TestStateOfRegistration(t *testing.T) {
	t.Parallel()
	c := party(t)
	begun, err := c.Create(signin.PasskeyCreation{Owner: person, Name: "n", DisplayName: "n"})
	if err != nil {
		t.Fatal(err)
	}
	given, err := c.Created(text(t, harness.NewAuthenticator(t, origin).Create(object(t, begun.Options))))
	if err != nil {
		t.Fatal(err)
	}
	other, err := c.Create(signin.PasskeyCreation{Owner: person, Name: "n", DisplayName: "n"})
	if err != nil {
		t.Fatal(err)
	}
	for _, state := range []string{string(other.State), "", "null", "{}", `{"challenge":""}`, "[]"} {
		if _, err := given.Verify([]byte(state), person); err == nil {
			t.Errorf("the state %q is taken", state)
		}
	}
	if _, err := given.Verify(begun.State, person); err != nil {
		t.Errorf("its own state: %v", err)
	}
}

// The ceremonies of one kind are not those of the other.
func TestKindsOfAnswers(t *testing.T) {
	t.Parallel()
	c := party(t)
	device := harness.NewAuthenticator(t, origin)
	begun, err := c.Create(signin.PasskeyCreation{Owner: person, Name: "n", DisplayName: "n", Verified: true})
	if err != nil || !strings.Contains(string(begun.Options), `"userVerification":"required"`) {
		t.Fatalf("Create() = %s, %v", begun.Options, err)
	}
	made := text(t, device.Create(object(t, begun.Options)))
	asked, err := c.Request(signin.PasskeyRequest{})
	if err != nil {
		t.Fatal(err)
	}
	signed := text(t, device.Sign(object(t, asked.Options)))
	if _, err := c.Asserted(made); !errors.Is(err, domainpasskey.ErrMalformed) {
		t.Errorf("Asserted() of a new passkey = %v", err)
	}
	if _, err := c.Created(signed); !errors.Is(err, domainpasskey.ErrMalformed) {
		t.Errorf("Created() of an assertion = %v", err)
	}
}

func TestValidID(t *testing.T) {
	t.Parallel()
	for domain, want := range map[string]bool{
		"localhost": true, "example.com": true, "auth.example.com": true, "xn--bcher-kva.example": true,
		"": false, "com": false, "b\u00fccher.example": false, "127.0.0.1": false, "::1": false, "https://example.com": false, "example.com:8400": false,
		"example.com/path": false, "user@example.com": false, "-.com": false, "exa mple.com": false,
	} {
		if got := passkey.ValidID(domain); got != want {
			t.Errorf("ValidID(%q) = %v, want %v", domain, got, want)
		}
	}
}

// Any bytes are read without harm.
func FuzzAnswers(f *testing.F) {
	c, err := passkey.New(passkey.RelyingParty{ID: "example.com", Origins: []string{origin}, Life: time.Minute}, system.Random{})
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(`{"id":"AA","rawId":"AA","type":"public-key","response":{"clientDataJSON":"e30","authenticatorData":"","signature":""}}`))
	f.Add([]byte(`{"id":"AA","rawId":"AA","type":"public-key","response":{"clientDataJSON":"e30","attestationObject":"o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YUA"}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if given, err := c.Asserted(raw); err == nil {
			if _, err := given.Verify(domainpasskey.Snapshot{CredentialID: given.CredentialID()}); err == nil {
				t.Error("an assertion of nobody verifies")
			}
		}
		if given, err := c.Created(raw); err == nil {
			if _, err := given.Verify([]byte(`{"challenge":"x"}`), person); err == nil {
				t.Error("a passkey of nobody verifies")
			}
		}
	})
}
