package login_test

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	peoplestore "gatehouse.internal/adapters/sqlstore/people"
	signinstore "gatehouse.internal/adapters/sqlstore/signin"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/notice"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/inbound"
	"gatehouse.internal/ports/outbound/people"
	"gatehouse.internal/ports/outbound/signin"
	"gatehouse.internal/test/harness"
)

// enter logs in by password, with or without a device.
func enter(h *harness.Service, device string) *harness.Reply {
	params := P{"email": address, "password": harness.Password}
	if device != "" {
		params["device_token"] = device
	}
	return h.Anonymous().Do("AUTH.LOGIN", params)
}

// require makes the instance ask everybody for a second factor.
func require(root *harness.Actor) {
	root.Do("POLICY.SET", P{"kind": "mfa", "values": P{"required": true}}).OK()
}

// spike switches the spike guard on for a while.
func spike(t *testing.T, h *harness.Service) {
	t.Helper()
	unit := sqlstore.NewUnit(h.Store, func(tx *sqlstore.Tx) signin.LoginFailures { return signinstore.LoginFailures(tx) })
	err := unit.Do(t.Context(), func(tx signin.LoginFailures) error {
		return tx.SetSpike(t.Context(), loginevent.Spike{StartedAt: h.Clock.Now(), Until: h.Clock.Now().Add(5 * time.Minute)})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A remembered device skips the challenge, but neither under the spike guard nor
// where the policy remembers none.
func TestRememberedDevice(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, h *harness.Service, root, alice *harness.Actor) {
		app := alice.EnrollApp()
		held := h.LoginBy(address, app)
		device := held.Do("DEVICE.TRUST", nil).String("device_token")
		skips := func(what string, want bool) {
			t.Helper()
			r := enter(h, device).OK()
			if r.Has("access_token") != want || r.Has("challenge_token") == want {
				t.Errorf("%s the device skips the challenge: %v", what, !want)
			}
		}
		if enter(h, "").OK().Has("access_token") {
			t.Error("without a device no challenge is asked")
		}
		skips("at first", true)
		spike(t, h)
		skips("under the spike guard", false)
		h.Clock.Advance(5 * time.Minute)
		skips("after it", true)
		root.Do("POLICY.SET", P{"kind": "mfa", "values": P{"remember_days": 0}}).OK()
		skips("where the policy remembers none", false)
		root.Do("POLICY.SET", P{"kind": "mfa", "values": P{"remember_days": nil}}).OK()
		skips("where it does again", true)
		amr := h.With(enter(h, device).String("access_token")).Do("AUTH.WHOAMI", nil).OK().Strings("amr")
		if slices.Contains(amr, login.ByFactors) {
			t.Errorf("a device counts as a second factor: %q", amr)
		}
		h.With(enter(h, device).String("access_token")).Do("DEVICE.TRUST", nil).Fails(fault.Auth)
	})
}

// Remembered devices end with what they stood for.
func TestRememberedDeviceEnds(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), h.SignUp(address)
	alice.Do("AUTH.VERIFY_EMAIL", P{"token": h.LastMail(address).Token()}).OK()
	app := alice.EnrollApp()
	device := h.LoginBy(address, app).Do("DEVICE.TRUST", nil).String("device_token")
	root.Do("MFA.RESET", P{"user_id": alice.UserID, "reason": "lost"}).OK()
	again := h.Login(address, harness.Password)
	app = again.EnrollApp()
	if enter(h, device).OK().Has("access_token") {
		t.Error("a device outlives the factors that were reset")
	}
	device = h.LoginBy(address, app).Do("DEVICE.TRUST", nil).String("device_token")
	h.Anonymous().Do("AUTH.FORGOT_PASSWORD", P{"email": address}).OK()
	h.Anonymous().Do("AUTH.RESET_PASSWORD", P{"token": h.LastMail(address).Token(), "password": newer}).OK()
	r := h.Anonymous().Do("AUTH.LOGIN", P{"email": address, "password": newer, "device_token": device}).OK()
	if r.Has("access_token") {
		t.Error("a device outlives the password that was reset")
	}
}

// Whoever is disabled, or has another password, while a second factor is waited for
// gets nothing for it.
func TestEndsWhileWaiting(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(root *harness.Actor, person string){
		"disabled": func(root *harness.Actor, person string) { root.Do("USER.DISABLE", P{"user_id": person}).OK() },
		"deleted":  func(root *harness.Actor, person string) { root.Do("USER.DELETE", P{"user_id": person}).OK() },
		"new password": func(root *harness.Actor, person string) {
			root.Do("USER.SET_PASSWORD", P{"user_id": person, "password": newer}).OK()
		},
		"sessions end": func(root *harness.Actor, person string) {
			root.Do("USER.DISABLE", P{"user_id": person}).OK()
			root.Do("USER.ENABLE", P{"user_id": person}).OK()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onEachStore(t, func(t *testing.T, h *harness.Service, root, alice *harness.Actor) {
				app := alice.EnrollApp()
				token, before := h.Challenge(address), begun(h)
				end(root, alice.UserID)
				h.Anonymous().Do("AUTH.MFA_VERIFY", P{"challenge_token": token, "code": app.Code()}).Fails(fault.Auth)
				if begun(h) != before {
					t.Error("a session was opened")
				}
			})
		})
	}
}

// One challenge opens one session, however many right answers come at once.
func TestOneChallengeOneSession(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, h *harness.Service, _, alice *harness.Actor) {
		app := alice.EnrollApp()
		token, before := h.Challenge(address), begun(h)
		var all sync.WaitGroup
		for _, code := range append(app.RecoveryCodes[:4:4], app.Code()) {
			all.Go(func() { h.Anonymous().Do("AUTH.MFA_VERIFY", P{"challenge_token": token, "code": code}) })
		}
		all.Wait()
		if n := begun(h) - before; n != 1 {
			t.Errorf("%d sessions were opened", n)
		}
	})
}

// unfinished is somebody whose login says that a second factor must be enrolled.
func unfinished(t *testing.T, h *harness.Service) (*harness.Actor, *harness.Reply) {
	t.Helper()
	r := enter(h, "").OK()
	if r.Has("access_token") || r.Has("refresh_token") || r.Has("mfa_required") || !slices.Equal(r.Strings("required_actions"), []string{"enroll_mfa"}) {
		t.Fatalf("the login answers %v", r.Data)
	}
	return h.With(r.String("challenge_token")), r
}

// The policy asks for a second factor: a login without one opens what enrolls it,
// and the next login is asked for it.
func TestRequiredFactor(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, h *harness.Service, root, alice *harness.Actor) {
		require(root)
		alice.Do("USER.ME", nil).OK()
		actor, r := unfinished(t, h)
		if r.Int("expires_in") != 600 {
			t.Errorf("it lasts %d seconds", r.Int("expires_in"))
		}
		app := actor.EnrollApp()
		actor.Do("SESSION.LIST", nil).Fails(fault.Denied)
		done := h.LoginBy(address, app)
		done.Do("SESSION.LIST", nil).OK()
		h.Clock.Advance(10 * time.Minute)
		actor.Do("USER.ME", nil).Fails(fault.TokenExpired)
		// Whoever signs up enrolls one first, too.
		made := h.Anonymous().Do("AUTH.SIGNUP", P{"email": "new@example.com", "password": harness.Password, "display_name": "New"}).OK()
		if made.Has("access_token") || !slices.Equal(made.Strings("required_actions"), []string{"enroll_mfa"}) {
			t.Errorf("the sign-up answers %v", made.Data)
		}
	})
}

// A workspace asks its members alone, wherever they log in.
func TestWorkspaceRequires(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.SignUp("bob@example.com")
	alice := h.SignUp(address)
	alice.Do("POLICY.SET", P{"kind": "mfa", "org_id": alice.OrgID, "values": P{"required": true}}).OK()
	unfinished(t, h)
	h.Login("bob@example.com", harness.Password).Do("SESSION.LIST", nil).OK()
}

// passing are the commands that take somebody who is held up, which must be those that
// a rule says; all others of the catalog refuse them in these words.
func passing(t *testing.T, h *harness.Service, who *harness.Actor, takes func(access.Rule) bool, refusals ...*fault.Error) []string {
	t.Helper()
	var passed []string
	for _, d := range h.Engine.Registry.All() {
		if !d.Access.Honors() {
			continue
		}
		// A dry run, since none of them is to do anything.
		failure := who.DryRun().Do(d.Name, nil).Failure
		if d.Access.Anonymous() && !takes(d.Access) && failure != nil && failure.Code == fault.Validation {
			continue // Who may call is told once the parameters are right.
		}
		refused := failure != nil && slices.ContainsFunc(refusals, func(r *fault.Error) bool { return failure.Message == r.Message })
		if foreign := d.Access.Fits(access.Person) != nil; refused == (takes(d.Access) || foreign) {
			t.Errorf("%s: %v", d.Name, failure)
		}
		if !refused && takes(d.Access) {
			passed = append(passed, d.Name)
		}
	}
	return passed
}

// An unfinished token opens the commands that say so, and no other of the catalog.
func TestUnfinishedMatrix(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	h.SignUp(address)
	require(root)
	person, _ := unfinished(t, h)
	for name, actor := range map[string]*harness.Actor{
		"a person":     person,
		"a superadmin": h.With(h.Anonymous().Do("AUTH.LOGIN", P{"email": harness.AdminEmail, "password": harness.Password}).String("challenge_token")),
	} {
		passed := passing(t, h, actor, access.Rule.TakesUnfinished, access.ErrUnfinished)
		want := []string{
			"AUTH.LOGOUT", "AUTH.MFA_SETUP_EMAIL", "AUTH.MFA_SETUP_TOTP", "AUTH.MFA_VERIFY", "AUTH.VERIFY_EMAIL", "AUTH.WHOAMI", "BRANDING.GET",
			"OAUTH.END_SESSION", "USER.CHANGE_PASSWORD", "USER.ME", "WEBAUTHN.REGISTER_OPTIONS", "WEBAUTHN.REGISTER_VERIFY",
		}
		if !slices.Equal(passed, want) {
			t.Errorf("%s may call %q, want %q", name, passed, want)
		}
	}
}

// Where domains decide who is let in, an address that nobody proved opens what verifies
// it and no other command of the catalog, by whatever it comes.
func TestUnprovedMatrix(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), h.SignUp(address)
	link := P{"token": h.LastMail(address).Token()}
	key := h.With(alice.Do("API_KEY.CREATE", P{"name": "k", "scopes": []string{"*"}}).OK().String("key"))
	root.Do("POLICY.SET", P{"kind": "signup", "values": P{"allowed_domains": []string{"example.com"}}}).OK()
	in := h.Anonymous().Do("AUTH.LOGIN", P{"email": address, "password": harness.Password}).OK()
	want := []string{"AUTH.LOGOUT", "AUTH.VERIFY_EMAIL", "AUTH.WHOAMI", "BRANDING.GET", "OAUTH.END_SESSION", "USER.ME"}
	for name, actor := range map[string]*harness.Actor{
		"a session from before": alice,
		"a login":               h.With(in.String("challenge_token")),
	} {
		passed := passing(t, h, actor, access.Rule.TakesUnproved, access.ErrUnfinished, access.ErrUnproved)
		if !slices.Equal(passed, want) {
			t.Errorf("%s may call %q, want %q", name, passed, want)
		}
	}
	key.Do("SESSION.LIST", nil).Fails(fault.Denied)
	root.Do("SESSION.LIST", nil).OK()
	alice.Do("AUTH.VERIFY_EMAIL", link).OK()
	alice.Do("SESSION.LIST", nil).OK()
	key.Do("API_KEY.LIST", nil).OK()
}

// An unfinished token is no login to anybody: it does not refresh, and its audience
// is not that of the service.
func TestUnfinishedToken(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	h.SignUp(address)
	require(root)
	actor, r := unfinished(t, h)
	token := r.String("challenge_token")
	h.Anonymous().Do("AUTH.REFRESH", P{"refresh_token": token}).Fails(fault.Auth)
	h.Anonymous().Do("AUTH.MFA_VERIFY", P{"challenge_token": token, "code": "123456"}).Fails(fault.Auth)
	actor.Do("AUTH.REAUTHENTICATE", P{"password": harness.Password}).Fails(fault.Denied)
	payload, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
	if err != nil {
		t.Fatal(err)
	}
	var claims struct {
		Audience string `json:"aud"`
		Issuer   string `json:"iss"`
	}
	if err := json.Unmarshal(payload, &claims); err != nil {
		t.Fatal(err)
	}
	if claims.Issuer != harness.Issuer || claims.Audience != harness.Issuer+"/required-actions" {
		t.Errorf("the token is of %s for %s", claims.Issuer, claims.Audience)
	}
	h.Anonymous().Do("M2M.INTROSPECT", P{"token": token}).OK()
	actor.Do("AUTH.LOGOUT", nil).OK()
	actor.Do("USER.ME", nil).Fails(fault.Auth)
}

// What an administrator requires stands before all else, in one answer.
func TestRequiredActions(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), h.SignUp(address)
	app := alice.EnrollApp()
	root.Do("USER.SET_REQUIRED_ACTIONS", P{"user_id": alice.UserID, "actions": []string{"change_password"}}).OK()
	r := h.Anonymous().Do("AUTH.MFA_VERIFY", P{"challenge_token": h.Challenge(address), "code": app.Code()}).OK()
	if r.Has("access_token") || !slices.Equal(r.Strings("required_actions"), []string{string(user.ChangePassword)}) {
		t.Fatalf("the login answers %v", r.Data)
	}
	actor := h.With(r.String("challenge_token"))
	actor.Do("USER.UPDATE", P{"display_name": "x"}).Fails(fault.Denied)
	actor.Do("USER.CHANGE_PASSWORD", P{"current_password": harness.Password, "new_password": newer}).OK()
	h.Clock.Advance(harness.Step)
	login := h.Anonymous().Do("AUTH.LOGIN", P{"email": address, "password": newer}).OK()
	h.Anonymous().Do("AUTH.MFA_VERIFY", P{"challenge_token": login.String("challenge_token"), "code": app.Code()}).OK().String("access_token")
}

// by logs in with a client.
func by(t *testing.T, h *harness.Service, userAgent string) {
	t.Helper()
	raw, err := json.Marshal(P{"email": address, "password": harness.Password})
	if err != nil {
		t.Fatal(err)
	}
	reply := h.Engine.Execute(t.Context(), inbound.Request{Command: "AUTH.LOGIN", Params: raw, UserAgent: userAgent, RequestID: "r"})
	if reply.Failure != nil {
		t.Fatal(reply.Failure)
	}
}

// A login from a client that the account has not used lately is told, the first
// one and a familiar one are not.
func TestNewDevice(t *testing.T) {
	t.Parallel()
	const firefox, chrome, day = "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0", "Mozilla/5.0 (Windows NT 10.0) Chrome/131.0 Safari/537.36", 24 * time.Hour
	onEachStore(t, func(t *testing.T, h *harness.Service, _, alice *harness.Actor) {
		alice.Verify(address)
		wantNotices := func(want int) {
			t.Helper()
			list, err := peoplestore.NoticeDirectory(h.Store).List(t.Context(), people.NoticeQuery{Owner: user.ID(alice.UserID)})
			if err != nil {
				t.Fatal(err)
			}
			got := 0
			for _, one := range list {
				if one.Kind == notice.NewDevice {
					got++
				}
			}
			if got != want {
				t.Errorf("%d notices, want %d", got, want)
			}
		}
		wantNotices(0) // of the sign-up
		h.Login(address, harness.Password)
		wantNotices(0)
		by(t, h, firefox)
		wantNotices(1)
		by(t, h, strings.ReplaceAll(firefox, "133", "134"))
		wantNotices(1)
		by(t, h, chrome)
		wantNotices(2)
		by(t, h, firefox)
		wantNotices(2)
		by(t, h, "gatehouse/v1.2.3")
		wantNotices(3)
		by(t, h, "gatehouse/v1.3.0")
		wantNotices(3)
		h.Clock.Advance(179 * day)
		by(t, h, firefox)
		wantNotices(3)
		h.Clock.Advance(day)
		by(t, h, chrome)
		wantNotices(4)
		list, _ := peoplestore.NoticeDirectory(h.Store).List(t.Context(), people.NoticeQuery{Owner: user.ID(alice.UserID), Limit: 1})
		if list[0].UserAgent != chrome || list[0].EventID != "" {
			t.Errorf("told %+v", list[0])
		}
		if letter := h.LastMail(address); letter.Subject != "New sign-in to your account" || !strings.Contains(letter.Text, "Chrome on Windows") {
			t.Errorf("mailed %q: %s", letter.Subject, letter.Text)
		}
	})
}
