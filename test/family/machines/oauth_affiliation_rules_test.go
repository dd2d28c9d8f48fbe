package machines_test

import (
	"strings"
	"testing"

	"gatehouse.internal/test/harness"
)

// lent are a workspace of ada with an app, and eve, a member who acts in her personal workspace.
type lent struct {
	here, there    *harness.Service
	org            string
	ada, root, eve *harness.Actor
	app, search    oauthMachine
}

func newLent(here, there *harness.Service) *lent {
	ada, root := here.SignUp("ada@example.com"), here.Superadmin()
	org := ada.Do("TEAM.CREATE", P{"name": "Engines"}).OK().String("organization.id")
	ada = here.With(ada.Do("TEAM.SWITCH", P{"org_id": org}).OK().String("access_token"))
	eve := here.SignUp("eve@guests.example")
	root.Do("TEAM.MEMBER_ADD", P{"user_id": eve.UserID, "org_id": org, "role": "member"}).OK()
	grants := []string{"authorization_code", "refresh_token", "device_code"}
	app := oauthRegister(ada, "wiki", P{"type": "web", "redirect_urls": []string{callback}, "grant_types": grants})
	return &lent{here: here, there: there, org: org, ada: ada, root: root, eve: eve, app: app, search: exchanger(ada, "search", "wiki")}
}

// given returns the tokens that somebody lets the app have.
func (l *lent) given(t *testing.T, by *harness.Actor, more string) *harness.Reply {
	t.Helper()
	return l.app.redeem(l.there, codeOf(t, by, P{"scope": strings.TrimSpace("openid roles " + more)})).OK()
}

// told checks whether the app is told by tokens that the person is a member.
func (l *lent) told(t *testing.T, what string, tokens *harness.Reply, want bool) {
	t.Helper()
	places := map[string]P{"userinfo": userinfo(l.there, tokens)}
	if tokens.Has("id_token") {
		places["ID token"] = claimsOf(t, tokens.String("id_token"))
	}
	for place, claims := range places {
		if got := claims["roles"] != nil; got != want {
			t.Errorf("%s: roles of the %s: %v, want some: %v", what, place, claims["roles"], want)
		}
	}
}

// An app is told roles and groups of the workspace that owns it only by a session that meets the
// sign-in rules there, whatever workspace the person acts in.
func TestAffiliationMeetsTheSignInRules(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string]struct{ tighten, lift func(l *lent) }{
		"factor":  {setMFA(true), setMFA(false)},
		"methods": {setMethods("passkey"), setMethods()},
		"flow": {
			func(l *lent) { guestFlow(l.ada, "login") },
			func(l *lent) { l.ada.Do("FLOW.DISABLE", P{"name": "login-guard", "scope": "workspace"}).OK() },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
				l := newLent(here, there)
				online, offline := l.given(t, l.eve, ""), l.given(t, l.eve, "offline_access")
				exchanged := func() *harness.Reply { return l.search.exchange(there, offline.String("access_token"), nil).OK() }
				before := exchanged()
				l.told(t, "before", online, true)
				l.told(t, "before, by an exchange", before, true)

				rule.tighten(l)
				for what, tokens := range map[string]*harness.Reply{"online": online, "offline": offline, "exchanged": before} {
					if userinfo(there, tokens)["roles"] != nil {
						t.Errorf("%s: roles after the rules were tightened", what)
					}
				}
				offline = l.app.refresh(there, offline.String("refresh_token")).OK()
				l.told(t, "a refresh", offline, false)
				l.told(t, "a refresh in a session", l.app.refresh(there, online.String("refresh_token")).OK(), false)
				l.told(t, "an exchange", exchanged(), false)
				l.told(t, "a new code", l.given(t, l.eve, ""), false)
				begun := l.app.begin(here, P{"scope": "openid roles"}).OK()
				answer(l.eve, begun, true).OK()
				l.told(t, "a device", l.app.poll(there, begun).OK(), false)

				rule.lift(l)
				l.told(t, "without rules", l.app.refresh(there, offline.String("refresh_token")).OK(), true)
				l.told(t, "without rules, by a new code", l.given(t, l.eve, ""), true)
			})
		})
	}
}

func setMFA(required bool) func(l *lent) {
	return func(l *lent) {
		l.root.Do("POLICY.SET", P{"org_id": l.org, "kind": "mfa", "values": P{"required": required}}).OK()
	}
}

func setMethods(allowed ...string) func(l *lent) {
	return func(l *lent) {
		l.root.Do("TEAM.UPDATE", P{"org_id": l.org, "allowed_methods": append([]string{}, allowed...)}).OK()
	}
}

// A session that meets the rules without having been in the workspace need not go there, and a grant
// meets tightened rules again at its next refresh.
func TestAffiliationOfSessionsThatMeetTheRules(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		l := newLent(here, there)
		before := l.given(t, l.eve, "offline_access")
		setMethods("password")(l)
		if userinfo(there, before)["roles"] != nil {
			t.Error("roles of rules that were not looked at yet")
		}
		l.told(t, "a refresh", l.app.refresh(there, before.String("refresh_token")).OK(), true)
		l.told(t, "a code", l.given(t, l.eve, ""), true)
		begun := l.app.begin(here, P{"scope": "openid roles"}).OK()
		answer(l.eve, begun, true).OK()
		l.told(t, "a device", l.app.poll(there, begun).OK(), true)

		// Who met the rules by a switch has met them.
		guestFlow(l.ada, "refresh") // decides about nothing here
		setMethods("password", "passkey")(l)
		moved := here.With(l.eve.Do("TEAM.SWITCH", P{"org_id": l.org}).OK().String("access_token"))
		moved = here.With(moved.Do("TEAM.SWITCH", P{"org_id": l.eve.OrgID}).OK().String("access_token"))
		l.told(t, "after a switch", l.given(t, moved, ""), true)
	})
}

// Addresses that the workspace denies are not told roles, and do not let others be told.
func TestAffiliationMeetsTheIPRules(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		const office, home = 1, 2
		l := newLent(here, there)
		l.ada.From(office).Do("IP_RULE.CREATE", P{"cidr": "10.0.0.2", "action": "deny"}).OK()
		l.told(t, "a code from home", l.given(t, l.eve.From(home), "offline_access"), false)
		tokens := l.given(t, l.eve.From(office), "offline_access")
		l.told(t, "a code from the office", tokens, true)
		ask := there.With(tokens.String("access_token"))
		if ask.From(home).Do("OAUTH.USERINFO", nil).OK().Data["claims"].(P)["roles"] != nil {
			t.Error("the UserInfo endpoint tells roles to a denied address")
		}
		if ask.From(office).Do("OAUTH.USERINFO", nil).OK().Data["claims"].(P)["roles"] == nil {
			t.Error("the UserInfo endpoint tells no roles to another address")
		}
	})
}
