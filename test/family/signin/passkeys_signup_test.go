package signin_test

import (
	"encoding/base64"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/invitation"
	"gatehouse.internal/domain/passkey"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/test/harness"
)

func begins(h *harness.Service, email string) *harness.Reply {
	return h.Anonymous().Do("WEBAUTHN.SIGNUP_OPTIONS", P{"email": email, "display_name": "Newcomer"})
}

func signs(h *harness.Service, begun *harness.Reply, device *harness.Authenticator) *harness.Reply {
	return h.Anonymous().Do("WEBAUTHN.SIGNUP_VERIFY", P{
		"challenge_id": begun.String("challenge_id"), "credential": device.Create(begun.Data["options"].(P)),
	})
}

// joined signs up by a passkey.
func joined(h *harness.Service, email string) (*harness.Reply, *harness.Authenticator) {
	device := h.Authenticator()
	return signs(h, begins(h, email).OK(), device), device
}

// passkeyPeople are those who signed up.
func passkeyPeople(h *harness.Service) int {
	return len(slices.DeleteFunc(h.Events(user.KindCreated), func(e event.Record) bool { return e.Origin.ActorKind == "system" }))
}

func TestPasskeySignup(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		begun, device := begins(here, " Ada@B\u00dcCHER.example ").OK(), here.Authenticator()
		asked := begun.Data["options"].(P)
		// It will be the only way in, and is offered to nobody: it must be found.
		if got := asked["authenticatorSelection"].(P); got["userVerification"] != "required" || got["residentKey"] != "required" || got["requireResidentKey"] != true {
			t.Errorf("asked for %v", got)
		}
		if passkeyPeople(here) != 0 {
			t.Error("an account was made before its passkey")
		}
		r := signs(there, begun, device).OK()
		names := []string{}
		for name := range r.Data {
			names = append(names, name)
		}
		slices.Sort(names)
		if !slices.Equal(names, []string{"access_token", "expires_in", "organization", "refresh_token", "token_type", "user"}) {
			t.Errorf("data has %v", names)
		}
		handle, _ := base64.RawURLEncoding.DecodeString(asked["user"].(P)["id"].(string))
		if r.String("user.email") != "Ada@xn--bcher-kva.example" || r.Bool("user.email_verified") || r.Bool("user.is_superadmin") ||
			r.String("user.display_name") != "Newcomer" || !r.Bool("organization.personal") || r.String("user.id") != string(handle) {
			t.Errorf("data = %v", r.Data)
		}
		who := here.With(r.String("access_token")).Do("AUTH.WHOAMI", nil).OK()
		if who.String("subject") != r.String("user.id") || !slices.Equal(who.Strings("roles"), []string{"owner"}) ||
			!slices.Equal(who.Strings("amr"), []string{"hwk", "user", "mfa"}) {
			t.Errorf("whoami = %v", who.Data)
		}
		for _, kind := range []event.Kind{user.KindCreated, workspace.KindCreated, passkey.KindRegistered, session.KindCreated} {
			last := here.Events(kind)[0]
			if last.Origin.Command != "WEBAUTHN.SIGNUP_VERIFY" || strings.Contains(string(last.Data), "Newcomer") {
				t.Errorf("%s: %+v", kind, last)
			}
		}
		here.LoginByPasskey(device).OK()
		here.Anonymous().Do("AUTH.LOGIN", P{"email": "ada@b\u00fccher.example", "password": harness.Password}).Fails(fault.Auth)
		gone(t, signs(here, begun, device))
	})
}

// The address is asked to be verified, as after any sign-up.
func TestSignupAsksToVerify(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	r, _ := joined(h, passkeyAddress)
	var queued []struct {
		Template string
		UserID   string `db:"user_id"`
	}
	if err := h.Store.Database().Read.SelectContext(t.Context(), &queued, `SELECT template, user_id FROM mails`); err != nil {
		t.Fatal(err)
	}
	if len(queued) != 1 || queued[0].Template != "verify_email" || queued[0].UserID != r.OK().String("user.id") {
		t.Errorf("queued = %v", queued)
	}
}

// Beginning tells nothing of an address; only who has a passkey made for it learns
// that it is taken.
func TestSignupOfTakenAddress(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		here.SignUp(passkeyAddress)
		shape := func(r *harness.Reply) P {
			o := r.OK().Data["options"].(P)
			delete(o, "challenge")
			delete(o, "user")
			return o
		}
		taken, free := begins(here, passkeyAddress), begins(here, "free@example.com")
		if !reflect.DeepEqual(shape(taken), shape(free)) {
			t.Errorf("taken %v, free %v", taken.Data, free.Data)
		}
		for _, spelled := range []string{passkeyAddress, "ALICE@EXAMPLE.COM"} {
			begun := begins(here, spelled).OK()
			signs(there, begun, here.Authenticator()).Fails(fault.Validation).Field("/email")
			gone(t, signs(there, begun, here.Authenticator()))
		}
		if passkeyPeople(here) != 1 || len(here.Events(passkey.KindRegistered)) != 0 {
			t.Error("something of a refused sign-up stayed")
		}
	})
}

func TestForgedSignups(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp(passkeyAddress)
	taken := alice.Passkey()
	for name, c := range map[string]struct {
		device func(*harness.Authenticator)
		code   fault.Code
	}{
		"nobody verified":       {func(a *harness.Authenticator) { a.Device.Options.UserNotVerified = true }, fault.Validation},
		"nobody present":        {func(a *harness.Authenticator) { a.Device.Options.UserNotPresent = true }, fault.Validation},
		"another origin":        {func(a *harness.Authenticator) { a.Party.Origin = "https://evil.example" }, fault.Validation},
		"another relying party": {func(a *harness.Authenticator) { a.Party.ID = "evil.example" }, fault.Validation},
		"somebody's credential": {func(a *harness.Authenticator) { a.Key = taken.Key }, fault.Validation},
	} {
		begun, device := begins(h, "new@example.com").OK(), h.Authenticator()
		c.device(device)
		if r := signs(h, begun, device); r.Failure == nil || r.Failure.Code != c.code {
			t.Errorf("%s: %v", name, r.Failure)
		}
		gone(t, signs(h, begun, h.Authenticator()))
	}
	first, second := begins(h, "new@example.com").OK(), begins(h, "new@example.com").OK()
	mixed := P{"challenge_id": second.String("challenge_id"), "credential": h.Authenticator().Create(first.Data["options"].(P))}
	gone(t, h.Anonymous().Do("WEBAUTHN.SIGNUP_VERIFY", mixed))
	gone(t, signs(h, first, h.Authenticator()))
	registering := P{"challenge_id": second.String("challenge_id"), "credential": h.Authenticator().Create(options(alice))}
	gone(t, h.Anonymous().Do("WEBAUTHN.SIGNUP_VERIFY", registering))
	h.Clock.Advance(5 * time.Minute)
	gone(t, signs(h, second, h.Authenticator()))
	if passkeyPeople(h) != 1 {
		t.Errorf("%d accounts", passkeyPeople(h))
	}
}

// Of all who sign up at once one gets the address, and one the credential.
func TestSignupInParallel(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		replicas := []*harness.Service{here, there}
		begun := make([]*harness.Reply, 12)
		for i := range begun {
			begun[i] = begins(here, []string{passkeyAddress, "ALICE@example.com"}[i%2]).OK()
		}
		got := harness.Codes(harness.Together(len(begun), func(i int) *harness.Reply { return signs(replicas[i%2], begun[i], here.Authenticator()) }))
		if got[""] != 1 || got[fault.Validation] != len(begun)-1 || passkeyPeople(here) != 1 {
			t.Errorf("%d sign-ups by one address = %v, %d accounts", len(begun), got, passkeyPeople(here))
		}
		device := here.Authenticator()
		device.Device.Options.UserHandle = []byte("the same")
		for i := range begun {
			begun[i] = begins(here, string(rune('a'+i))+"@example.com").OK()
		}
		got = harness.Codes(harness.Together(len(begun), func(i int) *harness.Reply { return signs(replicas[i%2], begun[i], device.Copy()) }))
		if got[""] != 1 || got[fault.Validation] != len(begun)-1 || passkeyPeople(here) != 2 {
			t.Errorf("%d sign-ups by one credential = %v, %d accounts", len(begun), got, passkeyPeople(here))
		}
	})
}

// Closed is closed at both steps, before anything is told.
func TestClosedSignup(t *testing.T) {
	t.Parallel()
	dsn := harness.Postgres(t)
	here, there := harness.On(t, dsn), harness.On(t, dsn)
	here.SignUp(passkeyAddress)
	begun := begins(there, "new@example.com").OK()
	root := here.Superadmin()
	root.Do("SETTINGS.SET", P{"values": P{"public_registration": false}}).OK()
	for _, email := range []string{passkeyAddress, "new@example.com"} {
		begins(there, email).Fails(fault.Denied)
	}
	signs(there, begun, there.Authenticator()).Fails(fault.Denied)
	root.Do("SETTINGS.SET", P{"values": P{"public_registration": true}}).OK()
	gone(t, signs(there, begun, there.Authenticator()))
	r, _ := joined(there, "new@example.com")
	r.OK()
}

// Who signs up by a passkey has a second factor, where a policy asks for one.
func TestSignupUnderMFAPolicy(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	demanding(h)
	r, device := joined(h, passkeyAddress)
	if !r.OK().Has("access_token") {
		t.Errorf("data = %v", r.Data)
	}
	h.LoginByPasskey(device).OK()
}

// Without a password, presence is proved again by the passkey, which must verify its
// person then.
func TestPresenceByPasskey(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	r, device := joined(h, passkeyAddress)
	later(h)
	pair := h.Anonymous().Do("AUTH.REFRESH", P{"refresh_token": r.OK().String("refresh_token")}).OK()
	who := h.With(pair.String("access_token"))
	who.Do("WEBAUTHN.REGISTER_OPTIONS", nil).Fails(fault.Auth)
	token := who.Do("AUTH.REAUTHENTICATE", nil).OK().String("challenge_token")
	begun := asked(h, P{"challenge_token": token})
	if begun["userVerification"] != "required" {
		t.Errorf("options = %v", begun)
	}
	absent := device.Copy()
	absent.Device.Options.UserNotVerified = true
	answer(h, absent.Sign(begun)).Fails(fault.Auth)
	again := answer(h, device.Sign(asked(h, P{"challenge_token": token}))).OK()
	fresh := h.With(again.String("access_token"))
	fresh.Do("WEBAUTHN.REGISTER_OPTIONS", nil).OK()
	if got := len(h.Events(session.KindReauthenticated)); got != 1 {
		t.Errorf("%d events", got)
	}
}

func TestPasskeySignupParameters(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	good := func() P { return P{"email": passkeyAddress, "display_name": "Alice"} }
	for path, value := range map[string]any{
		"/email": "a@b, c@d.example", "/display_name": "", "/is_superadmin": true, "/user_id": passkeyNobody,
	} {
		params := good()
		params[path[1:]] = value
		h.Anonymous().Do("WEBAUTHN.SIGNUP_OPTIONS", params).Fails(fault.Validation).Field(path)
	}
	h.Anonymous().Do("WEBAUTHN.SIGNUP_VERIFY", P{"challenge_id": "x", "credential": P{}}).Fails(fault.Validation).Field("/credential")
}

// Who comes by an invitation makes an account although registration is closed, for that
// passkeyAddress alone; of two who come by one, one does.
func TestSignUpByInvitation(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		host := here.SignUpVerified("host@example.com")
		host.Do("TEAM.INVITE", P{"email": "guest@example.com", "role": "member"}).OK()
		token := here.LastMail("guest@example.com").Token()
		here.Superadmin().Do("SETTINGS.SET", P{"values": P{"public_registration": false}}).OK()
		begin := func(h *harness.Service, email string) *harness.Reply {
			return h.Anonymous().Do("WEBAUTHN.SIGNUP_OPTIONS", P{"email": email, "display_name": "Guest", "invitation_token": token})
		}
		begin(here, "eve@example.com").Fails(fault.Denied)
		begun := []*harness.Reply{begin(here, "guest@example.com").OK(), begin(here, "guest@example.com").OK()}
		replies := harness.Together(2, func(i int) *harness.Reply {
			return signs([]*harness.Service{here, there}[i], begun[i], here.Authenticator())
		})
		made := replies[0]
		if made.Failure != nil {
			made = replies[1]
		}
		if codes := harness.Codes(replies); codes[""] != 1 || !made.Bool("user.email_verified") {
			t.Fatalf("answered %v: %v", codes, made.Data)
		}
		if events := here.Events(invitation.KindAccepted); len(events) != 1 || events[0].UserID != made.String("user.id") {
			t.Errorf("told %v", events)
		}
		if got := host.Do("TEAM.LIST_MEMBERS", nil).OK().List("items"); len(got) != 2 {
			t.Errorf("%d belong to the workspace", len(got))
		}
		begin(here, "guest@example.com").Fails(fault.Auth)
	})
}

// An invitation whose sender lost the role while the guest made the passkey is revoked.
func TestSignUpByAnInvitationThatIsWithdrawn(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		boss, host := here.SignUp("boss@example.com"), here.SignUpVerified("host@example.com")
		root := here.Superadmin()
		root.Do("TEAM.MEMBER_ADD", P{"org_id": boss.OrgID, "user_id": host.UserID, "role": "admin"}).OK()
		host.Do("TEAM.INVITE", P{"org_id": boss.OrgID, "email": "guest@example.com", "role": "member"}).OK()
		begun := here.Anonymous().Do("WEBAUTHN.SIGNUP_OPTIONS", P{
			"email": "guest@example.com", "display_name": "Guest", "invitation_token": here.LastMail("guest@example.com").Token(),
		}).OK()
		boss.Do("USER.SET_ROLE", P{"user_id": host.UserID, "role": "member"}).OK()
		boss.Do("USER.UNSET_ROLE", P{"user_id": host.UserID, "role": "admin"}).OK()
		refused := signs(there, begun, here.Authenticator()).Fails(fault.Denied)
		if !strings.Contains(refused.Failure.Message, "ask") || len(here.Events(invitation.KindRevoked)) != 1 {
			t.Errorf("said %q, revoked %d", refused.Failure.Message, len(here.Events(invitation.KindRevoked)))
		}
		if left := boss.Do("TEAM.INVITATION_LIST", P{"status": "pending"}).OK().List("items"); len(left) != 0 {
			t.Errorf("%v is pending", left)
		}
		here.Anonymous().Do("AUTH.LOGIN", P{"email": "guest@example.com", "password": harness.Password}).Fails(fault.Auth)
	})
}
