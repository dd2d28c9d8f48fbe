package signin_test

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/passkey"
	"gatehouse.internal/test/harness"
)

func TestRegistrationOptions(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp(passkeyAddress)
	r := alice.Do("WEBAUTHN.REGISTER_OPTIONS", nil).OK()
	got := r.Data["options"].(P)
	if challenge, _ := got["challenge"].(string); len(challenge) != 43 || len(r.Data) != 1 {
		t.Errorf("data = %v", r.Data)
	}
	for name, want := range (P{
		"rp":                     P{"id": "gatehouse.test", "name": "gatehouse.test"},
		"user":                   P{"id": base64.RawURLEncoding.EncodeToString([]byte(alice.UserID)), "name": passkeyAddress, "displayName": "alice"},
		"timeout":                300_000.0,
		"attestation":            "none",
		"authenticatorSelection": P{"residentKey": "preferred", "requireResidentKey": false, "userVerification": "preferred"},
		"excludeCredentials":     nil,
	}) {
		if !reflect.DeepEqual(got[name], want) {
			t.Errorf("%s = %v, want %v", name, got[name], want)
		}
	}
	device := alice.Passkey()
	excluded := options(alice)["excludeCredentials"].([]any)
	if len(excluded) != 1 || excluded[0].(P)["id"] != encoded(device) || excluded[0].(P)["type"] != "public-key" {
		t.Errorf("excluded = %v", excluded)
	}
}

func TestRegistration(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		alice, device := here.SignUp(passkeyAddress), here.Authenticator()
		credential := device.Create(options(alice))
		credential["response"].(P)["transports"] = []string{"internal", "hybrid", "carrier-pigeon"}
		credential["authenticatorAttachment"] = "platform"
		r := there.With(alice.AccessToken).Do("WEBAUTHN.REGISTER_VERIFY", P{"credential": credential, "name": "My phone"}).OK()
		made := r.Data["credential"].(P)
		for name, want := range (P{
			"name": "My phone", "webauthn_id": encoded(device), "attachment": "platform", "attestation": "packed",
			"backup_eligible": false, "backed_up": false, "last_used_at": nil, "created_at": there.Clock.Now().Format(time.RFC3339Nano),
			"transports": []any{"internal", "hybrid"},
		}) {
			if !reflect.DeepEqual(made[name], want) {
				t.Errorf("%s = %v, want %v", name, made[name], want)
			}
		}
		listed := alice.Do("WEBAUTHN.LIST_CREDENTIALS", nil).OK().List("items")
		if len(listed) != 1 || !reflect.DeepEqual(listed[0], made) {
			t.Errorf("listed %v, made %v", listed, made)
		}
		want := fmt.Sprintf(`{"passkey_id":%q,"user_id":%q,"backup_eligible":false}`, made["id"], alice.UserID)
		if got := data(here, passkey.KindRegistered); !slices.Equal(got, []string{want}) {
			t.Errorf("events = %v, want %s", got, want)
		}
		begun := options(alice)
		offered := begun["excludeCredentials"].([]any)[0].(P)["transports"]
		if !reflect.DeepEqual(offered, []any{"internal", "hybrid"}) {
			t.Errorf("transports = %v", offered)
		}
	})
}

func TestNamesOfPasskeys(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp(passkeyAddress)
	alice.Passkey()
	if got := alice.Do("WEBAUTHN.LIST_CREDENTIALS", nil).OK().List("items")[0]["name"]; got != "Passkey" {
		t.Errorf("a passkey of no browser that is known is called %v", got)
	}
	for _, name := range []any{"", strings.Repeat("n", 101), "a\nb", nil, 7} {
		alice.Do("WEBAUTHN.REGISTER_VERIFY", P{"credential": P{}, "name": name}).Fails(fault.Validation).Field("/name")
	}
}

// What does not verify registers nothing, and uses the ceremony up.
func TestForgedRegistrations(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp(passkeyAddress)
	client := func(change func(P)) func(*harness.Authenticator, P) P {
		return func(a *harness.Authenticator, begun P) P { return a.Reclaim(a.Create(begun), change) }
	}
	forged := map[string]func(a *harness.Authenticator, begun P) P{
		"another origin": func(a *harness.Authenticator, begun P) P {
			a.Party.Origin = "https://evil.example"
			return a.Create(begun)
		},
		"another relying party": func(a *harness.Authenticator, begun P) P {
			a.Party.ID = "evil.example"
			return a.Create(begun)
		},
		"nobody present": func(a *harness.Authenticator, begun P) P {
			a.Device.Options.UserNotPresent = true
			return a.Create(begun)
		},
		"copied though it may not": func(a *harness.Authenticator, begun P) P {
			a.Device.Options.BackupState = true
			return a.Create(begun)
		},
		"another type":       client(func(c P) { c["type"] = "webauthn.get" }),
		"in a foreign frame": client(func(c P) { c["crossOrigin"] = true }),
		"data not signed":    client(func(c P) { c["extra"] = "not signed" }),
		"another credential's": func(a *harness.Authenticator, begun P) P {
			c := a.Create(begun)
			c["id"] = encoded(h.Authenticator())
			c["rawId"] = c["id"]
			return c
		},
	}
	for name, forge := range forged {
		begun, device := options(alice), h.Authenticator()
		credential := forge(device, begun)
		r := alice.Do("WEBAUTHN.REGISTER_VERIFY", P{"credential": credential}).Fails(fault.Validation).Field("/credential")
		if r.Failure.Message != "the new passkey could not be verified: start again" {
			t.Errorf("%s: message = %q", name, r.Failure.Message)
		}
		gone(t, alice.Do("WEBAUTHN.REGISTER_VERIFY", P{"credential": h.Authenticator().Create(begun)}))
	}
	if got := alice.Do("WEBAUTHN.LIST_CREDENTIALS", nil).OK().List("items"); len(got) != 0 {
		t.Errorf("registered: %v", got)
	}
}

func TestMalformedRegistrations(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, device := h.SignUp(passkeyAddress), h.Authenticator()
	begun := options(alice)
	for name, change := range map[string]func(P){
		"no response":      func(c P) { delete(c, "response") },
		"no attestation":   response("attestationObject", func(string) any { return nil }),
		"no CBOR":          response("attestationObject", func(string) any { return "AAAA" }),
		"half of it":       response("attestationObject", func(text string) any { return text[:100] }),
		"something behind": response("attestationObject", func(text string) any { return text + "AAAA" }),
		"no client data":   response("clientDataJSON", func(string) any { return "" }),
		"another type":     func(c P) { c["type"] = "public" },
		"too long":         func(c P) { c["clientExtensionResults"] = P{"x": strings.Repeat("x", 16<<10)} },
		"a login's":        func(c P) { c["response"] = device.Sign(asked(h, nil))["response"] },
	} {
		credential := device.Create(begun)
		change(credential)
		if r := alice.Do("WEBAUTHN.REGISTER_VERIFY", P{"credential": credential}); r.Failure == nil || r.Failure.Code != fault.Validation {
			t.Errorf("%s: %v", name, r.Failure)
		}
	}
	alice.Do("WEBAUTHN.REGISTER_VERIFY", P{"credential": device.Create(begun)}).OK()
}

// A ceremony is its person's, works once, for 5 minutes, and for a registration.
func TestForeignRegistrations(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		alice, bob := here.SignUp(passkeyAddress), here.SignUp("bob@example.com")
		verify := func(who *harness.Actor, begun P) *harness.Reply {
			return there.With(who.AccessToken).Do("WEBAUTHN.REGISTER_VERIFY", P{"credential": here.Authenticator().Create(begun)})
		}
		begun := options(alice)
		gone(t, verify(bob, begun))
		gone(t, verify(alice, begun))

		begun = options(alice)
		verify(alice, begun).OK()
		gone(t, verify(alice, begun))

		begun = options(alice)
		here.Clock.Advance(5 * time.Minute)
		there.Clock.Advance(5 * time.Minute)
		gone(t, verify(alice, begun))

		begun = options(alice)
		begun["challenge"] = asked(here, nil)["challenge"]
		gone(t, verify(alice, begun))
		begun["challenge"] = here.Anonymous().Do("WEBAUTHN.SIGNUP_OPTIONS", P{"email": "n@example.com", "display_name": "N"}).OK().Data["options"].(P)["challenge"]
		gone(t, verify(alice, begun))
	})
}

// A credential is one person's, and one passkey of theirs.
func TestCredentialThatIsTaken(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		alice, bob := here.SignUp(passkeyAddress), here.SignUp("bob@example.com")
		device := alice.Passkey()
		for _, who := range []*harness.Actor{alice, bob} {
			begun := options(who)
			verify := func() *harness.Reply {
				return there.With(who.AccessToken).Do("WEBAUTHN.REGISTER_VERIFY", P{"credential": device.Create(begun)})
			}
			if r := verify().Fails(fault.Validation).Field("/credential"); !strings.Contains(r.Failure.Message, "already registered") {
				t.Errorf("message = %q", r.Failure.Message)
			}
			gone(t, verify())
		}
		here.LoginByPasskey(device).OK()
	})
}

func TestRegistrationInParallel(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		alice := here.SignUp(passkeyAddress)
		credential := here.Authenticator().Create(options(alice))
		got := harness.Codes(harness.Together(8, func(i int) *harness.Reply {
			h := []*harness.Service{here, there}[i%2]
			return h.With(alice.AccessToken).Do("WEBAUTHN.REGISTER_VERIFY", P{"credential": credential})
		}))
		if got[""] != 1 || got[fault.Auth] != 7 {
			t.Errorf("8 answers to one ceremony = %v", got)
		}
	})
}

// Nobody has more than 25 passkeys, however many register at once.
func TestNumberOfPasskeys(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		alice := here.SignUp(passkeyAddress)
		for range passkey.MaxHeld - 1 {
			alice.Passkey()
		}
		begun := make([]P, 4)
		for i := range begun {
			begun[i] = here.Authenticator().Create(options(alice))
		}
		got := harness.Codes(harness.Together(len(begun), func(i int) *harness.Reply {
			h := []*harness.Service{here, there}[i%2]
			return h.With(alice.AccessToken).Do("WEBAUTHN.REGISTER_VERIFY", P{"credential": begun[i]})
		}))
		if got[""] != 1 || got[fault.Validation] != len(begun)-1 {
			t.Errorf("%d registrations for one place = %v", len(begun), got)
		}
		alice.Do("WEBAUTHN.REGISTER_OPTIONS", nil).Fails(fault.Validation)
		alice.Do("WEBAUTHN.REVOKE", P{"credential_id": passkeyID(alice)}).OK()
		alice.Passkey()
	})
}

// A passkey needs no second factor beside it, so somebody who did not give the one
// that there is gets none: neither behind a remembered device nor in a session from
// before.
func TestRegisterNeedsTheSecondFactor(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, _ *harness.Service) {
		alice, earlier := here.SignUp(passkeyAddress), here.Login(passkeyAddress, harness.Password)
		device := here.Authenticator()
		begun := P{"credential": device.Create(options(earlier))}
		app := alice.EnrollApp()
		strong := here.LoginBy(passkeyAddress, app)
		trusted := strong.Do("DEVICE.TRUST", nil).OK().String("device_token")
		weak := here.With(here.Anonymous().Do("AUTH.LOGIN", P{
			"email": passkeyAddress, "password": harness.Password, "device_token": trusted,
		}).OK().String("access_token"))
		earlier.Do("WEBAUTHN.REGISTER_VERIFY", begun).Fails(fault.Auth)
		for _, one := range []*harness.Actor{earlier, weak} {
			if r := one.Do("WEBAUTHN.REGISTER_OPTIONS", nil).Fails(fault.Auth); !strings.Contains(r.Failure.Message, "AUTH.REAUTHENTICATE") {
				t.Errorf("told %q", r.Failure.Message)
			}
		}
		begun = P{"credential": here.Authenticator().Create(options(strong))}
		strong.Do("WEBAUTHN.REGISTER_VERIFY", begun).OK()
		held := P{"credential_id": passkeyID(strong)}
		weak.Do("WEBAUTHN.REVOKE", held).Fails(fault.Auth)
		strong.Do("WEBAUTHN.REVOKE", held).OK()
	})
}
