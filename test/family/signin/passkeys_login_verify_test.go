package signin_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/test/harness"
)

func TestLoginByPasskey(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		alice := here.SignUp(passkeyAddress)
		device := alice.Passkey()
		there.Clock.Advance(time.Hour)
		device.Key.Counter = 7
		pair := there.LoginByPasskey(device).OK()
		who := there.With(pair.String("access_token")).Do("AUTH.WHOAMI", nil).OK()
		if who.String("subject") != alice.UserID || who.String("org_id") != alice.OrgID {
			t.Errorf("whoami = %v", who.Data)
		}
		if got := who.Strings("amr"); !slices.Equal(got, []string{"hwk", "user", "mfa"}) {
			t.Errorf("amr = %v", got)
		}
		here.Anonymous().Do("AUTH.REFRESH", P{"refresh_token": pair.String("refresh_token")}).OK()
		want := `{"user_id":"` + alice.UserID + `","amr":["hwk","user","mfa"]}`
		if got := data(here, loginevent.KindSucceeded); len(got) != 1 || got[0] != want {
			t.Errorf("events = %v, want %s", got, want)
		}
		item := there.With(pair.String("access_token")).Do("WEBAUTHN.LIST_CREDENTIALS", nil).OK().List("items")[0]
		if item["last_used_at"] != there.Clock.Now().Format(time.RFC3339Nano) {
			t.Errorf("last used at %v", item["last_used_at"])
		}
		device.Key.Counter = 8
		there.LoginByPasskey(device).OK()
	})
}

// A passkey that may be copied says so in the session.
func TestLoginBySyncedPasskey(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, device := h.SignUp(passkeyAddress), h.Authenticator()
	device.Device.Options.BackupEligible = true
	made := alice.Do("WEBAUTHN.REGISTER_VERIFY", P{"credential": device.Create(options(alice))}).OK()
	if !made.Bool("credential.backup_eligible") || made.Bool("credential.backed_up") {
		t.Errorf("credential = %v", made.Data)
	}
	device.Device.Options.BackupState = true
	if got := amr(h, h.LoginByPasskey(device).OK()); !slices.Equal(got, []string{"swk", "user", "mfa"}) {
		t.Errorf("amr = %v", got)
	}
	if item := alice.Do("WEBAUTHN.LIST_CREDENTIALS", nil).OK().List("items")[0]; item["backed_up"] != true {
		t.Errorf("listed = %v", item)
	}
}

// Whoever holds the key learns that it has to be registered again: what may be copied never changes, but some
// password managers say so of passkeys that they kept before they could. Somebody without the key does not.
func TestChangedPasskey(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp(passkeyAddress)
	device := alice.Passkey()
	changed := func(from *harness.Authenticator) *harness.Reply {
		return answer(h, from.Forge(from.Sign(asked(h, nil)), nil, flip(flagsAt, eligible)))
	}
	if r := changed(device).Fails(fault.Auth); !strings.Contains(r.Failure.Message, "register it again") {
		t.Errorf("message = %q", r.Failure.Message)
	}
	if got, want := data(h, loginevent.KindFailed)[0], failed(alice.UserID, loginevent.ChangedPasskey); got != want {
		t.Errorf("told %s, want %s", got, want)
	}
	other := device.Copy()
	other.Key.Key = h.Authenticator().Key.Key
	refused(t, h, changed(other), alice.UserID, loginevent.WrongPasskey)
	h.LoginByPasskey(device).OK()
}

// forgery is an answer that must not let anybody in.
type forgery struct {
	// device changes the authenticator, or what the browser shows, before it signs.
	device func(*harness.Authenticator)
	// client and raw change what is signed, and credential what was.
	client     func(P)
	raw        func([]byte) []byte
	credential func(P)
	// passkeyNobody reports whether no account is named by it.
	nobody bool
	reason string
}

// response changes a member of the response.
func response(member string, change func(string) any) func(P) {
	return func(credential P) {
		inner := credential["response"].(P)
		text, _ := inner[member].(string)
		if inner[member] = change(text); inner[member] == nil {
			delete(inner, member)
		}
	}
}

// The flags of authenticator data (Web Authentication section 6.1) and their place.
const (
	flagsAt         = 32
	present         = 1 << 0
	passkeyVerified = 1 << 2
	eligible        = 1 << 3
	backedUp        = 1 << 4
	extensioned     = 1 << 7
	lastOfParty     = 31
	firstOfCount    = 33
)

func flip(at int, bits byte) func([]byte) []byte {
	return func(raw []byte) []byte {
		raw[at] ^= bits
		return raw
	}
}

func forgeries(t *testing.T, bob *harness.Actor) map[string]forgery {
	set := func(member string, value any) func(P) { return func(client P) { client[member] = value } }
	return map[string]forgery{
		"another origin":             {client: set("origin", "https://gatehouse.test.evil.example")},
		"another scheme":             {client: set("origin", "https://gatehouse.test")},
		"another port":               {client: set("origin", "http://gatehouse.test:8400")},
		"a host below":               {client: set("origin", "http://app.gatehouse.test")},
		"no origin":                  {client: set("origin", "")},
		"another type":               {client: set("type", "webauthn.create")},
		"no type":                    {client: set("type", "")},
		"in a foreign frame":         {client: set("crossOrigin", true)},
		"a foreign top origin":       {client: func(c P) { c["crossOrigin"], c["topOrigin"] = true, "https://evil.example" }},
		"another relying party":      {device: func(a *harness.Authenticator) { a.Party.ID = "evil.example" }},
		"a bit of the relying party": {raw: flip(lastOfParty, 1)},
		"nobody present":             {raw: flip(flagsAt, present)},
		"nobody verified":            {raw: flip(flagsAt, passkeyVerified)},
		"copied though it may not":   {raw: flip(flagsAt, backedUp)},
		"extensions that lack":       {raw: flip(flagsAt, extensioned), nobody: true, reason: "malformed"},
		"data that lacks":            {raw: func(raw []byte) []byte { return raw[:firstOfCount] }, nobody: true, reason: "malformed"},
		"another key":                {device: func(a *harness.Authenticator) { a.Key.Key = harness.NewAuthenticator(t, harness.Issuer).Key.Key }},
		"another's handle":           {device: func(a *harness.Authenticator) { a.Device.Options.UserHandle = []byte(bob.UserID) }},
		"a handle of nobody":         {device: func(a *harness.Authenticator) { a.Device.Options.UserHandle = []byte(passkeyNobody) }},
		"no handle":                  {credential: response("userHandle", func(string) any { return nil })},
		"a handle that is none":      {device: func(a *harness.Authenticator) { a.Device.Options.UserHandle = []byte{0, 255} }},
		"a flipped signature":        {credential: response("signature", func(text string) any { return "AA" + text[2:] })},
		"half a signature":           {credential: response("signature", func(text string) any { return text[:40] })},
		"no signature":               {credential: response("signature", func(string) any { return "" })},
		"data that was not signed":   {credential: response("authenticatorData", func(text string) any { return text[:len(text)-2] + "AQ" })},
		"a passkey that is not known": {
			device: func(a *harness.Authenticator) { a.Key.ID = slices.Concat([]byte("not"), a.Key.ID) }, nobody: true,
		},
	}
}

func (f forgery) of(h *harness.Service, genuine *harness.Authenticator) P {
	device := genuine.Copy()
	if f.device != nil {
		f.device(device)
	}
	credential := device.Sign(asked(h, nil))
	if f.client != nil || f.raw != nil {
		credential = device.Forge(credential, f.client, f.raw)
	}
	if f.credential != nil {
		f.credential(credential)
	}
	return credential
}

// What does not verify lets nobody in, is told alike, and uses the ceremony up.
func TestForgedAnswers(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		alice, bob := here.SignUp(passkeyAddress), here.SignUp("bob@example.com")
		device := alice.Passkey()
		sessions := len(here.Events(session.KindCreated))
		for name, f := range forgeries(t, bob) {
			t.Run(name, func(t *testing.T) {
				credential := f.of(here, device)
				if f.reason == "malformed" {
					answer(there, credential).Fails(fault.Validation).Field("/credential")
					return
				}
				owner := alice.UserID
				if f.nobody {
					owner = ""
				}
				refused(t, there, answer(there, credential), owner, loginevent.WrongPasskey)
				gone(t, answer(here, credential))
			})
		}
		if got := len(here.Events(session.KindCreated)); got != sessions {
			t.Errorf("%d sessions began", got-sessions)
		}
		here.LoginByPasskey(device).OK()
	})
}

// gone holds an answer to be to a ceremony that there is not.
func gone(t *testing.T, r *harness.Reply) {
	t.Helper()
	if r.Fails(fault.Auth); !strings.HasPrefix(r.Failure.Message, "invalid_grant:") {
		t.Errorf("message = %q", r.Failure.Message)
	}
}

// A refused answer uses the ceremony up, also for the right one.
func TestCeremonyWorksOnce(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, h, _ *harness.Service) {
		alice := h.SignUp(passkeyAddress)
		device := alice.Passkey()

		once := device.Sign(asked(h, nil))
		answer(h, once).OK()
		gone(t, answer(h, once))

		begun := asked(h, nil)
		wrong := device.Forge(device.Sign(begun), func(client P) { client["origin"] = "https://evil.example" }, nil)
		refused(t, h, answer(h, wrong), alice.UserID, loginevent.WrongPasskey)
		gone(t, answer(h, device.Sign(begun)))

		late := device.Sign(asked(h, nil))
		h.Clock.Advance(5*time.Minute - time.Microsecond)
		answer(h, late).OK()
		late = device.Sign(asked(h, nil))
		h.Clock.Advance(5 * time.Minute)
		gone(t, answer(h, late))
	})
}

// A challenge serves what it was made for, and nothing that nobody made.
func TestForeignChallenges(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, h, _ *harness.Service) {
		alice := h.SignUp(passkeyAddress)
		device := alice.Passkey()
		signup := h.Anonymous().Do("WEBAUTHN.SIGNUP_OPTIONS", P{"email": "new@example.com", "display_name": "New"}).OK()
		for name, challenge := range map[string]any{
			"of a registration":     options(alice)["challenge"],
			"of a sign-up":          signup.Data["options"].(P)["challenge"],
			"the name of a sign-up": signup.String("challenge_id"),
			"of nobody":             "l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs",
			"empty":                 "",
		} {
			begun := asked(h, nil)
			credential := device.Forge(device.Sign(begun), func(client P) { client["challenge"] = challenge }, nil)
			if r := answer(h, credential); r.Failure == nil || r.Failure.Code != fault.Auth {
				t.Errorf("%s: %v", name, r.Failure)
			}
			answer(h, device.Sign(begun)).OK()
		}
	})
}

func TestChallengeID(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp(passkeyAddress)
	device := alice.Passkey()
	first, second := h.Anonymous().Do("WEBAUTHN.LOGIN_OPTIONS", nil).OK(), h.Anonymous().Do("WEBAUTHN.LOGIN_OPTIONS", nil).OK()
	verify := func(of *harness.Reply, id string) *harness.Reply {
		credential := device.Sign(of.Data["options"].(P))
		return h.Anonymous().Do("WEBAUTHN.LOGIN_VERIFY", P{"credential": credential, "challenge_id": id})
	}
	verify(first, first.String("challenge_id")).OK()
	refused(t, h, verify(second, first.String("challenge_id")), "", loginevent.WrongPasskey)
	gone(t, verify(second, second.String("challenge_id")))
}

// What is no credential at all is told by the parameter, and uses nothing up.
func TestMalformedAnswers(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	device := h.SignUp(passkeyAddress).Passkey()
	begun := asked(h, nil)
	without := func(member string) func(P) { return func(c P) { delete(c, member) } }
	for name, change := range map[string]func(P){
		"no id":              without("id"),
		"no type":            without("type"),
		"no response":        without("response"),
		"another type":       func(c P) { c["type"] = "password" },
		"an id that is none": func(c P) { c["id"] = "not base64!" },
		"two ids":            func(c P) { c["rawId"] = "AAAA" },
		"a number":           func(c P) { c["response"] = 7 },
		"null":               func(c P) { c["response"] = nil },
		"no client data":     response("clientDataJSON", func(string) any { return nil }),
		"no JSON":            response("clientDataJSON", func(string) any { return "AAAA" }),
		"no data":            response("authenticatorData", func(string) any { return "" }),
		"padding":            response("userHandle", func(string) any { return "!!" }),
		"too long":           func(c P) { c["clientExtensionResults"] = P{"x": strings.Repeat("x", 16<<10)} },
		"too many members": func(c P) {
			for _, name := range "abcdefghijklmn" {
				c[string(name)] = 1
			}
		},
	} {
		credential := device.Sign(begun)
		change(credential)
		if r := answer(h, credential); r.Failure == nil || r.Failure.Code != fault.Validation {
			t.Errorf("%s: %v", name, r.Failure)
		}
	}
	answer(h, device.Sign(begun)).OK()
}

// Members that the library does not know, and results of extensions that nobody asked
// for, do no harm: password managers send both.
func TestUnaskedExtensions(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	device := h.SignUp(passkeyAddress).Passkey()
	credential := device.Sign(asked(h, nil))
	credential["authenticatorAttachment"], credential["clientExtensionResults"] = "platform", P{"credProps": P{"rk": true}, "appid": true}
	answer(h, credential).OK()
}

func TestClonedPasskey(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, h, _ *harness.Service) {
		alice := h.SignUp(passkeyAddress)
		device := alice.Passkey()
		device.Key.Counter = 5
		h.LoginByPasskey(device).OK()
		for _, counter := range []uint32{4, 5, 1, 0} {
			device.Key.Counter = counter
			refused(t, h, h.LoginByPasskey(device), alice.UserID, loginevent.ClonedPasskey)
		}
		device.Key.Counter = 6
		h.LoginByPasskey(device).OK()
	})
}

// Disabling, deleting and revoking hold on every replica with the next answer, also
// to ceremonies that were begun before.
func TestAccountsThatEnd(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		root := here.Superadmin()
		for name, c := range map[string]struct {
			end    func(who *harness.Actor)
			reason string
			known  bool
		}{
			"disabled": {func(who *harness.Actor) { root.Do("USER.DISABLE", P{"user_id": who.UserID}).OK() }, loginevent.UserDisabled, true},
			"deleted":  {func(who *harness.Actor) { root.Do("USER.DELETE", P{"user_id": who.UserID}).OK() }, loginevent.WrongPasskey, false},
			"revoked": {func(who *harness.Actor) {
				who.Do("WEBAUTHN.REVOKE", P{"credential_id": passkeyID(who)}).OK()
			}, loginevent.WrongPasskey, false},
		} {
			who := here.SignUp(name + "@example.com")
			device := who.Passkey()
			credential := device.Sign(asked(there, nil))
			c.end(who)
			owner := ""
			if c.known {
				owner = who.UserID
			}
			refused(t, there, answer(there, credential), owner, c.reason)
			refused(t, here, here.LoginByPasskey(device), owner, c.reason)
		}
	})
}
