package machines_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/application/account"
	"gatehouse.internal/test/harness"
)

const newPassword = "quiet lanterns drift past"

// held is one thing that gives access to an account; works tries it, once.
type held struct {
	name  string
	works func() bool
}

// victim is somebody whose account has one of everything that may end.
type victim struct {
	h   *harness.Service
	app *harness.App
	// in is the session that the person acts by.
	in         *harness.Actor
	email      string
	wiki, home oauthMachine
}

// owner owns the apps that act for victims.
const owner = "owner@example.com"

func (v *victim) tried(command string, params P) bool {
	return v.h.Anonymous().Do(command, params).Failure == nil
}

// everything makes one of each kind of access. A kind in account.Parts without one here fails the test.
func (v *victim) everything(t *testing.T) map[account.Part][]held {
	t.Helper()
	h := v.h
	remembered := v.in.Do("DEVICE.TRUST", nil).OK().String("device_token")
	key := h.With(v.in.Do("API_KEY.CREATE", P{"name": "k", "scopes": []string{"*"}}).OK().String("key"))
	offline := v.wiki.redeem(h, codeOf(t, v.in, P{"scope": "openid users:read offline_access"})).OK()
	device := v.home.begin(h, nil).OK()
	answer(v.in, device, true).OK()
	h.Clock.Advance(harness.Step)
	other := h.LoginBy(v.email, v.app)
	h.Clock.Advance(harness.Step)
	waiting := h.Challenge(v.email)
	begun := h.Anonymous().Do("AUTH.PASSWORDLESS_START", P{"email": v.email}).OK()
	mailed := h.MailedCode(v.email)
	h.Anonymous().Do("AUTH.PASSWORDLESS_START", P{"email": v.email, "method": "link"}).OK()
	link := h.LastMail(v.email).Token()
	code := codeOf(t, v.in, P{"scope": "openid users:read offline_access"})
	return map[account.Part][]held{
		account.Sessions: {{"another session", func() bool { return other.Do("AUTH.WHOAMI", nil).Failure == nil }}},
		account.Codes: {
			{"a mailed code", func() bool {
				return v.tried("AUTH.PASSWORDLESS_VERIFY", P{"challenge_id": begun.String("challenge_id"), "code": mailed})
			}},
			{"a mailed link", func() bool { return v.tried("AUTH.PASSWORDLESS_VERIFY", P{"token": link}) }},
			{"a sign-in that waits for a second factor", func() bool {
				return v.tried("AUTH.MFA_VERIFY", P{"challenge_token": waiting, "code": v.app.Code()})
			}},
		},
		account.Devices: {{"a remembered device", func() bool {
			for _, password := range []string{harness.Password, newPassword} {
				r := h.Anonymous().Do("AUTH.LOGIN", P{"email": v.email, "password": password, "device_token": remembered})
				if r.Failure == nil {
					return r.Has("access_token")
				}
			}
			return false
		}}},
		account.Keys: {{"an API key", func() bool { return key.Do("AUTH.WHOAMI", nil).Failure == nil }}},
		account.Apps: {
			{"an access token of an app", func() bool { return h.With(offline.String("access_token")).Do("OAUTH.USERINFO", nil).Failure == nil }},
			{"a refresh token of an app", func() bool { return v.wiki.refresh(h, offline.String("refresh_token")).Failure == nil }},
			{"an authorization code", func() bool { return v.wiki.redeem(h, code).Failure == nil }},
			{"an approved device", func() bool { return v.home.poll(h, device).Failure == nil }},
			{"a consent", func() bool {
				return slices.ContainsFunc(h.Login(owner, harness.Password).Do("OAUTH.CONSENT_LIST", P{"app_id": v.wiki.id}).OK().List("items"), func(one P) bool {
					return one["user_id"] == v.in.UserID
				})
			}},
		},
	}
}

// door ends an account's access; kept is what it leaves.
type door struct {
	open func(v *victim) *harness.Reply
	kept []account.Part
}

func doors() map[string]door {
	changed := func(more P) func(v *victim) *harness.Reply {
		return func(v *victim) *harness.Reply {
			params := P{"current_password": harness.Password, "new_password": newPassword}
			for name, value := range more {
				params[name] = value
			}
			return v.in.Do("USER.CHANGE_PASSWORD", params)
		}
	}
	root := func(command string, more P) func(v *victim) *harness.Reply {
		return func(v *victim) *harness.Reply {
			params := P{"user_id": v.in.UserID}
			for name, value := range more {
				params[name] = value
			}
			return v.h.Superadmin().Do(command, params)
		}
	}
	reset := func(v *victim, token string) *harness.Reply {
		return v.h.Anonymous().Do("AUTH.RESET_PASSWORD", P{"token": token, "password": newPassword})
	}
	hash := "$2a$04$26iWKg8CdNTzXm3iSkyS4uQJGxysx.0ZTSZGbN4SSO6V.aErOXaMW"
	return map[string]door{
		"a mailed reset": {open: func(v *victim) *harness.Reply {
			v.h.Anonymous().Do("AUTH.FORGOT_PASSWORD", P{"email": v.email}).OK()
			return reset(v, v.h.LastMail(v.email).Token())
		}},
		"a reset by a ticket": {open: func(v *victim) *harness.Reply {
			return reset(v, root("USER.TICKET_CREATE", P{"purpose": "password_reset"})(v).OK().String("token"))
		}},
		"a password that is set": {open: root("USER.SET_PASSWORD", P{"password": newPassword})},
		"a hash that is set":     {open: root("USER.SET_PASSWORD", P{"hash": hash})},
		"an import of a hash": {open: func(v *victim) *harness.Reply {
			return v.h.Superadmin().Do("USER.BULK_IMPORT", P{"on_conflict": "update", "users": []P{{"email": v.email, "password_hash": hash}}})
		}},
		"a disabled account":            {open: root("USER.DISABLE", nil)},
		"a changed password":            {changed(nil), []account.Part{account.Keys}},
		"a changed password, with keys": {changed(P{"end_keys": true}), nil},
		"a changed password, keeping what may be kept": {
			changed(P{"keep_sessions": true, "end_grants": false}), []account.Part{account.Sessions, account.Keys, account.Apps},
		},
		"sessions that are revoked": {
			func(v *victim) *harness.Reply { return v.in.Do("SESSION.REVOKE_ALL", nil) },
			[]account.Part{account.Codes, account.Devices, account.Keys, account.Apps},
		},
		"sessions and apps that are revoked": {
			func(v *victim) *harness.Reply { return v.in.Do("SESSION.REVOKE_ALL", P{"end_grants": true}) },
			[]account.Part{account.Codes, account.Devices, account.Keys},
		},
	}
}

// Everything in account.Parts ends by every door, for good: enabling an account revives nothing.
func TestWhatEndsWithTheCredentials(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		by := h.SignUp(owner)
		web, device := wiki(by), tv(by)
		number := 0
		for name, d := range doors() {
			number++
			v := &victim{h: h, wiki: web, home: device, email: fmt.Sprintf("victim%d@example.com", number)}
			v.in = h.SignUp(v.email)
			v.in.Do("AUTH.VERIFY_EMAIL", P{"token": h.LastMail(v.email).Token()}).OK()
			v.app = v.in.EnrollApp()
			v.in = h.LoginBy(v.email, v.app)
			things := v.everything(t)
			counted(t, name, d, d.open(v).OK())
			h.Clock.Advance(harness.Step)
			h.Superadmin().Do("USER.ENABLE", P{"user_id": v.in.UserID}).OK()
			for _, part := range account.Parts() {
				if len(things[part]) == 0 {
					t.Fatalf("nothing here gives access as %s: make one", part)
				}
				for _, one := range things[part] {
					if kept := slices.Contains(d.kept, part); one.works() != kept {
						t.Errorf("after %s, %s works: %t", name, one.name, !kept)
					}
				}
			}
			h.Clock.Advance(time.Minute)
		}
	})
}

// counted checks the numbers in the answer of a door, as far as it has them.
func counted(t *testing.T, name string, d door, r *harness.Reply) {
	t.Helper()
	for field, want := range map[string]struct {
		part account.Part
		n    int
	}{
		"grants_revoked": {account.Apps, 3}, "keys_revoked": {account.Keys, 1}, "codes_revoked": {account.Codes, 3},
	} {
		if slices.Contains(d.kept, want.part) {
			want.n = 0
		}
		if r.Has(field) && r.Int(field) != want.n {
			t.Errorf("%s: %s is %d, want %d", name, field, r.Int(field), want.n)
		}
	}
}
