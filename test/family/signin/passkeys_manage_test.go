package signin_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/family/passkeys"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/passkey"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/test/harness"
)

func TestListCredentials(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice, bob := h.Superadmin(), h.SignUp(passkeyAddress), h.SignUp("bob@example.com")
	alice.Passkey()
	alice.Passkey()
	ids := func(r *harness.Reply) []string {
		found := []string{}
		for _, item := range r.OK().List("items") {
			found = append(found, item["id"].(string))
		}
		return found
	}
	own := ids(alice.Do("WEBAUTHN.LIST_CREDENTIALS", nil))
	if len(own) != 2 || own[0] < own[1] {
		t.Errorf("listed %v, want two, newest first", own)
	}
	key := h.With(alice.Do("API_KEY.CREATE", P{"name": "k", "scopes": []string{}}).OK().String("key"))
	machine := root.Machine("helpdesk", "users:manage")
	machine.Do("WEBAUTHN.LIST_CREDENTIALS", nil).Fails(fault.Denied)
	root.Machine("other", "users:read").Do("WEBAUTHN.LIST_CREDENTIALS", P{"user_id": alice.UserID}).Fails(fault.NotFound)
	for _, who := range []*harness.Actor{alice, root, key, machine} {
		if got := ids(who.Do("WEBAUTHN.LIST_CREDENTIALS", P{"user_id": alice.UserID})); !slices.Equal(got, own) {
			t.Errorf("listed %v, want %v", got, own)
		}
	}
	if got := ids(bob.Do("WEBAUTHN.LIST_CREDENTIALS", nil)); len(got) != 0 {
		t.Errorf("bob has %v", got)
	}
	root.Do("WEBAUTHN.LIST_CREDENTIALS", P{"user_id": passkeyNobody}).Fails(fault.NotFound)
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice, bob := h.Superadmin(), h.SignUp(passkeyAddress), h.SignUp("bob@example.com")
	alice.Passkey()
	id := passkeyID(alice)
	if r := alice.Do("WEBAUTHN.UPDATE", P{"credential_id": id, "name": "Work phone"}).OK(); r.String("credential.name") != "Work phone" {
		t.Errorf("data = %v", r.Data)
	}
	alice.Do("WEBAUTHN.UPDATE", P{"credential_id": id, "name": "Work phone"}).OK()
	want := fmt.Sprintf(`{"passkey_id":%q,"user_id":%q,"changed":["name"]}`, id, alice.UserID)
	if got := data(h, passkey.KindUpdated); !slices.Equal(got, []string{want}) {
		t.Errorf("events = %v", got)
	}
	absent := alice.Do("WEBAUTHN.UPDATE", P{"credential_id": passkeyNothing, "name": "n"}).Fails(fault.NotFound)
	for _, other := range []*harness.Actor{bob, root} {
		foreign := other.Do("WEBAUTHN.UPDATE", P{"credential_id": id, "name": "mine"}).Fails(fault.NotFound)
		if foreign.Failure.Message != absent.Failure.Message {
			t.Errorf("foreign is told as %q, absent as %q", foreign.Failure.Message, absent.Failure.Message)
		}
	}
}

func TestPasskeyRevoke(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		root, alice := here.Superadmin(), here.SignUp(passkeyAddress)
		lost := alice.Passkey()
		first := passkeyID(alice)
		kept := alice.Passkey()
		alice.Do("WEBAUTHN.REVOKE", P{"credential_id": first}).OK()
		there.LoginByPasskey(lost).Fails(fault.Auth)
		alice.Do("WEBAUTHN.REVOKE", P{"credential_id": first}).Fails(fault.NotFound)
		second := passkeyID(alice)
		there.LoginByPasskey(kept).OK()
		root.Do("WEBAUTHN.REVOKE", P{"credential_id": second}).OK()
		there.LoginByPasskey(kept).Fails(fault.Auth)
		want := []string{
			fmt.Sprintf(`{"passkey_id":%q,"user_id":%q,"reason":"revoked_by_admin"}`, second, alice.UserID),
			fmt.Sprintf(`{"passkey_id":%q,"user_id":%q,"reason":"revoked"}`, first, alice.UserID),
		}
		if got := data(here, passkey.KindRevoked); !slices.Equal(got, want) {
			t.Errorf("events = %v, want %v", got, want)
		}
		// A revoked credential may be registered anew.
		alice.Do("WEBAUTHN.REGISTER_VERIFY", P{"credential": lost.Create(options(alice))}).OK()
		there.LoginByPasskey(lost).OK()
	})
}

// Who manages users without being a superadmin reaches none of those. No role holds
// users:manage yet, so the handlers are called as the engine will call them.
func TestManagersDoNotReachSuperadmins(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice, bob := h.Superadmin(), h.SignUp(passkeyAddress), h.SignUp("bob@example.com")
	manager := access.Caller{Kind: access.Person, User: user.ID(bob.UserID), Permissions: access.Permissions{"users:manage"}}
	call := func(name string, params any) error {
		found, ok := h.Engine.Registry.Find(name)
		if !ok {
			t.Fatalf("no command %s", name)
		}
		_, err := found.Handle(t.Context(), command.Call{Caller: manager}, params)
		return err
	}
	for who, want := range map[*harness.Actor]fault.Code{root: fault.Denied, alice: ""} {
		who.Passkey()
		err := call("WEBAUTHN.REVOKE", passkeys.RevokeParams{CredentialID: passkey.ID(passkeyID(who))})
		if (err == nil) != (want == "") || (err != nil && fault.From(err).Code != want) {
			t.Errorf("WEBAUTHN.REVOKE = %v, want %q", err, want)
		}
		if err := call("WEBAUTHN.LIST_CREDENTIALS", passkeys.ListCredentialsParams{UserID: user.ID(who.UserID)}); err != nil {
			t.Errorf("WEBAUTHN.LIST_CREDENTIALS = %v", err)
		}
	}
}

// The last way to log in stays, whoever would take it, also when two go at once.
func TestLastWayIn(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		root := here.Superadmin()
		for i := range 4 {
			r, device := joined(here, fmt.Sprintf("p%d@example.com", i))
			who := here.With(r.OK().String("access_token"))
			last := passkeyID(who)
			for _, by := range []*harness.Actor{who, root} {
				if r := by.Do("WEBAUTHN.REVOKE", P{"credential_id": last}).Fails(fault.Validation); !strings.Contains(r.Failure.Message, "only way") {
					t.Errorf("message = %q", r.Failure.Message)
				}
			}
			there.LoginByPasskey(device).OK()
			who.Passkey()
			ids := []string{passkeyID(who), last}
			got := harness.Codes(harness.Together(2, func(i int) *harness.Reply {
				h := []*harness.Service{here, there}[i]
				return h.With(who.AccessToken).Do("WEBAUTHN.REVOKE", P{"credential_id": ids[i]})
			}))
			if got[""] != 1 || got[fault.Validation] != 1 {
				t.Errorf("two revocations of two = %v", got)
			}
		}
	})
}

// A login that waits for a factor does not outlive the passkey that it may have begun
// by; sessions go on, and their person is told so.
func TestRevokeEndsWaitingLogins(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp(passkeyAddress)
	owner := h.LoginBy(passkeyAddress, alice.EnrollApp())
	device := owner.Passkey()
	began := h.With(h.LoginByPasskey(device).OK().String("access_token"))
	token := h.Challenge(passkeyAddress)
	owner.Do("WEBAUTHN.REVOKE", P{"credential_id": passkeyID(owner)}).OK()
	gone(t, h.Anonymous().Do("AUTH.MFA_SEND_CODE", P{"challenge_token": token}))
	began.Do("USER.ME", nil).OK()
	if letter := h.LastMail(passkeyAddress); !strings.Contains(letter.Text, "Sessions that it started stay signed in") {
		t.Errorf("told %q: %s", letter.Subject, letter.Text)
	}
	began.Do("SESSION.REVOKE_ALL", nil).OK()
	owner.Do("USER.ME", nil).Fails(fault.Auth)
}

// A passkey that does not verify its person is no way in alone, until it does.
func TestPasskeyWithoutVerificationCannotSignIn(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	r, _ := joined(h, passkeyAddress)
	alice := h.With(r.OK().String("access_token"))
	first := P{"credential_id": passkeyID(alice)}
	device := h.Authenticator()
	device.Device.Options.UserNotVerified = true
	made := alice.Do("WEBAUTHN.REGISTER_VERIFY", P{"credential": device.Create(options(alice))}).OK()
	if !made.Bool("credential.second_factor_only") {
		t.Errorf("made %v", made.Data)
	}
	h.LoginByPasskey(device).Fails(fault.Auth)
	alice.Do("WEBAUTHN.REVOKE", first).Fails(fault.Validation)
	device.Device.Options.UserNotVerified = false
	h.LoginByPasskey(device).OK()
	alice.Do("WEBAUTHN.REVOKE", first).OK()
}

// A key that no browser finds without its name is a second factor only, and no start of an account.
func TestUndiscoverablePasskeyCannotSignIn(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	r, _ := joined(h, passkeyAddress)
	alice := h.With(r.OK().String("access_token"))
	first := passkeyID(alice)
	hidden := func(device *harness.Authenticator, from P) P {
		made := device.Create(from)
		made["clientExtensionResults"] = P{"credProps": P{"rk": false}}
		return made
	}
	made := alice.Do("WEBAUTHN.REGISTER_VERIFY", P{"credential": hidden(h.Authenticator(), options(alice))}).OK()
	if !made.Bool("credential.second_factor_only") {
		t.Errorf("made %v", made.Data)
	}
	for _, one := range alice.Do("WEBAUTHN.LIST_CREDENTIALS", nil).OK().List("items") {
		if one["second_factor_only"] != (one["id"] != first) {
			t.Errorf("listed %v", one)
		}
	}
	alice.Do("WEBAUTHN.REVOKE", P{"credential_id": first}).Fails(fault.Validation)
	begun := begins(h, "new@example.com").OK()
	refusal := h.Anonymous().Do("WEBAUTHN.SIGNUP_VERIFY", P{
		"challenge_id": begun.String("challenge_id"), "credential": hidden(h.Authenticator(), begun.Data["options"].(P)),
	})
	refusal.Fails(fault.Validation).Field("/credential")
}

// Where a policy asks for a second factor, nobody takes their last one away.
func TestLastSecondFactor(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp(passkeyAddress)
	alice.Passkey()
	alice.Passkey()
	root := demanding(h)
	alice.Do("WEBAUTHN.REVOKE", P{"credential_id": passkeyID(alice)}).OK()
	last := passkeyID(alice)
	alice.Do("WEBAUTHN.REVOKE", P{"credential_id": last}).Fails(fault.Validation)
	root.Do("WEBAUTHN.REVOKE", P{"credential_id": last}).OK()
}
