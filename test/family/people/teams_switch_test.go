package people_test

import (
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/test/harness"
)

// switched is an actor by the pair that TEAM.SWITCH answered.
func switched(h *harness.Service, a *harness.Actor, org string) *harness.Actor {
	return after(h, a.Do("TEAM.SWITCH", P{"org_id": org}).OK())
}

// after is an actor by a token pair.
func after(h *harness.Service, pair *harness.Reply) *harness.Actor {
	a := h.With(pair.String("access_token"))
	a.RefreshToken = pair.String("refresh_token")
	who := a.Do("AUTH.WHOAMI", nil).OK()
	a.UserID, a.OrgID, a.SessionID = who.String("subject"), who.String("org_id"), who.String("session_id")
	return a
}

func refreshed(h *harness.Service, token string) *harness.Reply {
	return h.Anonymous().Do("AUTH.REFRESH", P{"refresh_token": token})
}

func TestSwitch(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUp("ada@example.com")
	org := ada.Do("TEAM.CREATE", P{"name": "Engines"}).OK().String("organization.id")
	in := switched(h, ada, org)
	if in.OrgID != org || in.SessionID != ada.SessionID {
		t.Errorf("acts in %s by %s", in.OrgID, in.SessionID)
	}
	if recorded := h.Events(session.KindTeamSwitched)[0]; recorded.OrgID != org || recorded.UserID != ada.UserID {
		t.Errorf("told %+v", recorded)
	}
	ada.Do("USER.ME", nil).Fails(fault.TokenExpired)
	// The refresh token from before is that of an answer that was lost.
	lost := refreshed(h, ada.RefreshToken).OK()
	if got := lost.String("refresh_token"); got != in.RefreshToken || after(h, lost).OrgID != org {
		t.Error("a retry by the token from before is answered with another pair")
	}
	h.Clock.Advance(11 * time.Second)
	next := after(h, refreshed(h, in.RefreshToken).OK())
	refreshed(h, in.RefreshToken).OK()
	if next.OrgID != org {
		t.Errorf("a refresh leads to %s", next.OrgID)
	}
	refreshed(h, ada.RefreshToken).Fails(fault.Auth)
	next.Do("USER.ME", nil).Fails(fault.Auth) // it was reuse
	if h.Login("ada@example.com", harness.Password).OrgID != org {
		t.Error("a login does not enter the workspace last active")
	}
}

// The same call under its key is answered again, though the access token has expired by it.
func TestSwitchAgainUnderItsKey(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUp("ada@example.com")
	org := ada.Do("TEAM.CREATE", P{"name": "Engines"}).OK().String("organization.id")
	first := ada.Idempotent("k").Do("TEAM.SWITCH", P{"org_id": org}).OK()
	again := ada.Idempotent("k").Do("TEAM.SWITCH", P{"org_id": org}).OK()
	if !again.Replayed || again.String("refresh_token") != first.String("refresh_token") {
		t.Error("another answer")
	}
	ada.Idempotent("k").Do("TEAM.SWITCH", P{"org_id": ada.OrgID}).Fails(fault.TokenExpired)
}

func TestSwitchIsForMembers(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada, eve := founded(h, "ada@example.com", "Engines"), h.SignUp("eve@example.com")
	none := eve.Do("TEAM.SWITCH", P{"org_id": "org_01jd7x9k2mf3q8v5t0abcdefgh"}).Fails(fault.NotFound)
	for _, who := range []*harness.Actor{eve, h.Superadmin()} {
		if got := who.Do("TEAM.SWITCH", P{"org_id": ada.OrgID}).Fails(fault.NotFound); got.Failure.Message != none.Failure.Message {
			t.Errorf("answered %v and %v", got.Failure, none.Failure)
		}
	}
	if eve.Do("AUTH.WHOAMI", nil).OK().String("org_id") != eve.OrgID {
		t.Error("a refused switch moved the session")
	}
}

// The policies of the target hold on a switch, and at login.
func TestAllowedMethods(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := founded(h, "ada@example.com", "Engines")
	h.Superadmin().Do("TEAM.UPDATE", P{"org_id": ada.OrgID, "allowed_methods": []string{"passkey", "email_code"}}).OK()
	device := ada.Passkey()
	if got := after(h, h.LoginByPasskey(device).OK()); got.OrgID != ada.OrgID {
		t.Errorf("a login by passkey enters %s, want the workspace last active", got.OrgID)
	}
	byPassword := h.Login("ada@example.com", harness.Password)
	if byPassword.OrgID == ada.OrgID {
		t.Error("a login by password enters the workspace last active, which does not allow it")
	}
	for what, refused := range map[string]*harness.Reply{
		"switch": byPassword.Do("TEAM.SWITCH", P{"org_id": ada.OrgID}),
		"login":  h.Anonymous().Do("AUTH.LOGIN", P{"email": "ada@example.com", "password": harness.Password, "org_id": ada.OrgID}),
	} {
		if message := refused.Fails(fault.Auth).Failure.Message; !strings.Contains(message, "passkey, email_code") {
			t.Errorf("%s: refused by %q", what, message)
		}
	}
	begun := h.Anonymous().Do("AUTH.PASSWORDLESS_START", P{"email": "ada@example.com"}).OK()
	answer := P{"challenge_id": begun.String("challenge_id"), "code": h.MailedCode("ada@example.com"), "org_id": ada.OrgID}
	if got := after(h, h.Anonymous().Do("AUTH.PASSWORDLESS_VERIFY", answer).OK()); got.OrgID != ada.OrgID {
		t.Errorf("a login by code enters %s", got.OrgID)
	}
}

// Where the target asks for a second factor that the session has not given, the switch
// waits for it.
func TestSwitchAsksForTheSecondFactor(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada, grace := founded(h, "ada@example.com", "Engines"), h.SignUp("grace@example.com")
	root := h.Superadmin()
	app := h.Login("grace@example.com", harness.Password).EnrollApp() // in another session
	plain := h.SignUp("plain@example.com")
	ada.Do("POLICY.SET", P{"org_id": ada.OrgID, "kind": "mfa", "values": P{"required": true}}).OK()
	for _, person := range []*harness.Actor{grace, plain} {
		root.Do("TEAM.MEMBER_ADD", P{"user_id": person.UserID, "org_id": ada.OrgID, "role": "member"}).OK()
	}
	plain.Do("TEAM.SWITCH", P{"org_id": ada.OrgID}).Fails(fault.Auth)
	waits := grace.Do("TEAM.SWITCH", P{"org_id": ada.OrgID}).OK()
	if !waits.Bool("mfa_required") || waits.Has("access_token") || len(waits.Strings("methods")) == 0 {
		t.Fatalf("answered %v", waits.Data)
	}
	if grace.Do("AUTH.WHOAMI", nil).OK().String("org_id") != grace.OrgID {
		t.Error("the session moved before the factor was given")
	}
	h.Clock.Advance(harness.Step)
	in := after(h, h.Anonymous().Do("AUTH.MFA_VERIFY", P{"challenge_token": waits.String("challenge_token"), "code": app.Code()}).OK())
	if in.OrgID != ada.OrgID || in.SessionID != grace.SessionID {
		t.Errorf("acts in %s by %s", in.OrgID, in.SessionID)
	}
	grace.Do("USER.ME", nil).Fails(fault.TokenExpired)
}

// Who was removed while the switch waited for the factor does not enter.
func TestSwitchThatWaitedIsJudgedAgain(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada, grace := founded(h, "ada@example.com", "Engines"), h.SignUp("grace@example.com")
	app := h.Login("grace@example.com", harness.Password).EnrollApp() // in another session
	ada.Do("POLICY.SET", P{"org_id": ada.OrgID, "kind": "mfa", "values": P{"required": true}}).OK()
	h.Superadmin().Do("TEAM.MEMBER_ADD", P{"user_id": grace.UserID, "org_id": ada.OrgID, "role": "member"}).OK()
	waits := grace.Do("TEAM.SWITCH", P{"org_id": ada.OrgID}).OK()
	ada.Do("TEAM.MEMBER_REMOVE", P{"user_id": grace.UserID}).OK()
	h.Clock.Advance(harness.Step)
	h.Anonymous().Do("AUTH.MFA_VERIFY", P{"challenge_token": waits.String("challenge_token"), "code": app.Code()}).Fails(fault.NotFound)
	if grace.Do("AUTH.WHOAMI", nil).OK().String("org_id") != grace.OrgID {
		t.Error("the session moved")
	}
}
