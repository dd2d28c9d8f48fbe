package people_test

import (
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/test/harness"
)

func TestCreateMakesAnAccount(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	made := root.Do("USER.CREATE", P{
		"email": " New@EXAMPLE.com", "display_name": "New", "password": strongPW, "email_verified": true,
		"external_id": "crm-1", "metadata_json": P{"plan": "pro", "gone": nil},
	}).OK()
	userSame(t, []string{made.String("user.email"), made.String("user.display_name"), made.String("user.external_id"), made.String("user.metadata_json.plan")},
		[]string{"New@example.com", "New", "crm-1", "pro"})
	if !made.Bool("user.email_verified") || made.Bool("user.is_superadmin") || made.Has("user.metadata_json.gone") {
		t.Errorf("made %v", made.Data)
	}
	id := made.String("user.id")
	events(t, h, id, map[event.Kind]int{"user.created": 1, "team.created": 1, "team_member.added": 0, "session.created": 0})
	userSame(t, h.Login("new@example.com", strongPW).Do("AUTH.WHOAMI", nil).Strings("roles"), []string{"owner"})

	bare := root.Do("USER.CREATE", P{"email": "bare@example.com"}).OK()
	if bare.Bool("user.email_verified") {
		t.Error("an address is verified that nobody proved")
	}
	h.Anonymous().Do("AUTH.LOGIN", P{"email": "bare@example.com", "password": strongPW}).Fails(fault.Auth)
	dryRunRaises(t, root.DryRun().Do("USER.CREATE", P{"email": "dry@example.com"}), "user.created", "team.created")
	root.Do("USER.GET", P{"email": "dry@example.com"}).Fails(fault.NotFound)
}

func TestCreateJoinsAWorkspace(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), h.SignUp("alice@example.com")
	mate := userMember(h, root, alice.OrgID, "mate@example.com", "admin")
	userSame(t, mate.Do("AUTH.WHOAMI", nil).Strings("roles"), []string{"admin"})
	events(t, h, mate.UserID, map[event.Kind]int{"user.created": 1, "team.created": 1, "team_member.added": 1})
	// A login without a workspace enters the one last active.
	userSame(t, within(h, mate.UserID, "mate@example.com", home(t, mate)).Do("AUTH.WHOAMI", nil).Strings("roles"), []string{"owner"})
	userSame(t, within(h, mate.UserID, "mate@example.com", "").Do("AUTH.WHOAMI", nil).Strings("roles"), []string{"owner"})
	root.Do("USER.CREATE", P{"email": "plain@example.com", "org_id": alice.OrgID}).OK()
	userSame(t, alice.Do("USER.GET", P{"email": "plain@example.com"}).OK().Strings("roles"), []string{"member"})
	root.Do("USER.CREATE", P{"email": "x@example.com", "org_id": userNowhere, "role": "member"}).Fails(fault.NotFound)
	root.Do("USER.CREATE", P{"email": "x@example.com", "org_id": alice.OrgID, "role": "emperor"}).Fails(fault.Validation).Field("/role")
	root.Do("USER.CREATE", P{"email": "x@example.com", "role": "admin"}).Fails(fault.Validation).Field("/role")
	root.Do("USER.GET", P{"email": "x@example.com"}).Fails(fault.NotFound)
}

func TestCreateRefusesWhatIsTakenOrWrong(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), h.SignUp("alice@example.com")
	root.Do("USER.UPDATE", P{"user_id": alice.UserID, "external_id": "crm-1"}).OK()
	for field, value := range map[string]any{
		"email": "ALICE@example.com", "external_id": "crm-1", "password": "password1", "display_name": "a\u0000",
		"metadata_json": P{"a": long(17 << 10)}, "org_id": "x", "is_superadmin": true,
	} {
		params := P{"email": "x@example.com", field: value}
		root.Do("USER.CREATE", params).Fails(fault.Validation).Field("/" + field)
	}
	root.Do("USER.GET", P{"email": "x@example.com"}).Fails(fault.NotFound)
	// The policies of the workspace to join hold for the first password.
	alice.Do("POLICY.SET", P{"kind": "password", "values": P{"min_length": 40}, "org_id": alice.OrgID}).OK()
	root.Do("USER.CREATE", P{"email": "x@example.com", "password": strongPW, "org_id": alice.OrgID}).Fails(fault.Validation).Field("/password")
	root.Do("USER.CREATE", P{"email": "x@example.com", "password": strongPW}).OK()
}

func TestDeleteOneself(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	other := h.Login("alice@example.com", harness.Password)
	alice.Do("USER.DELETE", nil).Fails(fault.Validation).Field("/password")
	alice.Do("USER.DELETE", P{"password": "wrong"}).Fails(fault.Auth)
	dryRunRaises(t, alice.DryRun().Do("USER.DELETE", P{"password": harness.Password}), "session.revoked", "session.revoked", "user.deleted")
	other.Do("USER.ME", nil).OK()
	alice.Do("USER.DELETE", P{"user_id": alice.UserID, "password": harness.Password}).OK()
	for _, gone := range []*harness.Actor{alice, other} {
		gone.Do("USER.ME", nil).Fails(fault.Auth)
		h.Anonymous().Do("AUTH.REFRESH", P{"refresh_token": gone.RefreshToken}).Fails(fault.Auth)
	}
	h.Anonymous().Do("AUTH.LOGIN", P{"email": "alice@example.com", "password": harness.Password}).Fails(fault.Auth)
	events(t, h, alice.UserID, map[event.Kind]int{"user.created": 1, "user.deleted": 1, "session.revoked": 2})
	root := h.Superadmin()
	root.Do("USER.GET", P{"user_id": alice.UserID}).Fails(fault.NotFound)
	root.Do("USER.LIST", P{"org_id": alice.OrgID}).Fails(fault.NotFound)
	h.SignUp("alice@example.com")
}

func TestDeleteCountsWrongPasswords(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	for range 10 {
		alice.Do("USER.DELETE", P{"password": "wrong"}).Fails(fault.Auth)
	}
	alice.Do("USER.DELETE", P{"password": harness.Password}).Fails(fault.Auth)
	events(t, h, alice.UserID, map[event.Kind]int{"session.guessed": 1, "user.deleted": 0})
}

func TestDeleteOthers(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), h.SignUp("alice@example.com")
	mate := userMember(h, root, alice.OrgID, "mate@example.com", "admin")
	alice.Do("USER.DELETE", P{"user_id": mate.UserID, "password": harness.Password}).Fails(fault.NotFound)
	root.Do("USER.DELETE", P{"user_id": mate.UserID}).OK()
	mate.Do("USER.ME", nil).Fails(fault.Auth)
	// A visited personal workspace is not one's own.
	alice.Do("USER.ME", nil).OK()
	userSame(t, emails(alice.Do("USER.LIST", nil)), []string{"alice@example.com"})
	root.Do("USER.DELETE", P{"user_id": mate.UserID}).Fails(fault.NotFound)
}

func TestDisableAndEnable(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), h.SignUp("alice@example.com")
	stop := P{"user_id": alice.UserID, "reason": "left the company"}
	dryRunRaises(t, root.DryRun().Do("USER.DISABLE", stop), "user.disabled", "session.revoked")
	if got := root.Do("USER.DISABLE", stop).OK().String("user.status"); got != "disabled" {
		t.Errorf("status = %q", got)
	}
	alice.Do("USER.ME", nil).Fails(fault.Auth)
	h.Anonymous().Do("AUTH.REFRESH", P{"refresh_token": alice.RefreshToken}).Fails(fault.Auth)
	h.Anonymous().Do("AUTH.LOGIN", P{"email": "alice@example.com", "password": harness.Password}).Fails(fault.Auth)
	if got := root.Do("USER.ENABLE", P{"user_id": alice.UserID}).OK().String("user.status"); got != "active" {
		t.Errorf("status = %q", got)
	}
	root.Do("USER.ENABLE", P{"user_id": alice.UserID}).OK()
	alice.Do("USER.ME", nil).Fails(fault.Auth)
	h.Login("alice@example.com", harness.Password)
	events(t, h, alice.UserID, map[event.Kind]int{"user.disabled": 1, "user.enabled": 1, "session.revoked": 1})
}

func TestDisableUntil(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), h.SignUp("alice@example.com")
	now := h.Clock.Now()
	for _, until := range []time.Time{now, now.Add(-time.Second)} {
		root.Do("USER.DISABLE", P{"user_id": alice.UserID, "until": at(until)}).Fails(fault.Validation).Field("/until")
	}
	stopped := root.Do("USER.DISABLE", P{"user_id": alice.UserID, "until": at(now.Add(time.Hour))}).OK()
	if stopped.String("user.disabled_until") != at(now.Add(time.Hour)) {
		t.Errorf("answered %v", stopped.Data)
	}
	h.Clock.Advance(time.Hour)
	if got := h.Login("alice@example.com", harness.Password).Do("USER.ME", nil).String("status"); got != "active" {
		t.Errorf("status = %q", got)
	}
	root = h.Superadmin()
	root.Do("USER.DISABLE", P{"user_id": root.UserID}).Fails(fault.Validation).Field("/user_id")
}

func TestUnlock(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), h.SignUp("alice@example.com")
	root.Do("USER.UNLOCK", P{"user_id": alice.UserID}).OK()
	events(t, h, alice.UserID, map[event.Kind]int{"user.unlocked": 0})
	lock(h, "alice@example.com")
	h.Anonymous().Do("AUTH.LOGIN", P{"email": "alice@example.com", "password": harness.Password}).Fails(fault.Auth)
	dryRunRaises(t, root.DryRun().Do("USER.UNLOCK", P{"user_id": alice.UserID}), "user.unlocked")
	if !root.Do("USER.UNLOCK", P{"user_id": alice.UserID}).Bool("unlocked") {
		t.Error("not unlocked")
	}
	h.Login("alice@example.com", harness.Password)
	events(t, h, alice.UserID, map[event.Kind]int{"user.unlocked": 1})
}

// Wrong codes of a second factor lock as well: its person is told once, and the
// helpdesk lifts the lock.
func TestUnlockSecondFactor(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root, alice := h.Superadmin(), h.SignUp("alice@example.com")
		app := alice.EnrollApp()
		verify := func(code string) *harness.Reply {
			return h.Anonymous().Do("AUTH.MFA_VERIFY", P{"challenge_token": h.Challenge("alice@example.com"), "method": "recovery_code", "code": code})
		}
		lockNotices := func() int {
			n := 0
			for _, one := range alice.Do("NOTIFICATION.LIST", nil).OK().List("items") {
				if one["kind"] == "mfa_locked" {
					n++
				}
			}
			return n
		}
		for i := range 12 {
			if got, want := lockNotices(), i/10; got != want {
				t.Fatalf("after %d wrong codes: told %d times, want %d", i, got, want)
			}
			verify("0000-0000-0000-0000").Fails(fault.Auth)
		}
		if n := lockNotices(); n != 1 {
			t.Errorf("told %d times of one lock", n)
		}
		until := "This ends on " + h.Clock.Now().Add(15*time.Minute).Format(mail.TimeFormat)
		if letter := h.LastMail("alice@example.com"); !strings.Contains(letter.Text, until) || !strings.Contains(letter.Text, "use a passkey") {
			t.Errorf("mailed %q: %s", letter.Subject, letter.Text)
		}
		if letter := h.LastMail("alice@example.com"); !strings.Contains(letter.Subject, "second factor is temporarily locked") {
			t.Errorf("the last mail is %q", letter.Subject)
		}
		verify(app.RecoveryCodes[0]).Fails(fault.Auth)
		dryRunRaises(t, root.DryRun().Do("USER.UNLOCK", P{"user_id": alice.UserID}), "user.unlocked")
		verify(app.RecoveryCodes[0]).Fails(fault.Auth)
		root.Do("USER.UNLOCK", P{"user_id": alice.UserID}).OK()
		verify(app.RecoveryCodes[0]).OK()
		root.Do("USER.UNLOCK", P{"user_id": alice.UserID}).OK()
		events(t, h, alice.UserID, map[event.Kind]int{"user.unlocked": 1, "user.locked": 0})
	})
}

func TestSuperadmins(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), h.SignUp("alice@example.com")
	set := func(by *harness.Actor, id string, super bool) *harness.Reply {
		return by.Do("USER.SET_SUPERADMIN", P{"user_id": id, "is_superadmin": super})
	}
	set(root, root.UserID, false).Fails(fault.Validation)
	root.Do("USER.DELETE", P{"password": harness.Password}).Fails(fault.Validation)
	dryRunRaises(t, root.DryRun().Do("USER.SET_SUPERADMIN", P{"user_id": alice.UserID, "is_superadmin": true}), "user.superadmin_changed")
	if !set(root, alice.UserID, true).OK().Bool("user.is_superadmin") {
		t.Error("not a superadmin")
	}
	set(root, alice.UserID, true).OK()
	events(t, h, alice.UserID, map[event.Kind]int{"user.superadmin_changed": 1})
	root.Do("USER.DISABLE", P{"user_id": alice.UserID}).OK()
	// A disabled superadmin is no help to anybody.
	set(root, root.UserID, false).Fails(fault.Validation)
	root.Do("USER.DELETE", P{"password": harness.Password}).Fails(fault.Validation)
	root.Do("USER.ENABLE", P{"user_id": alice.UserID}).OK()
	set(root, root.UserID, false).OK()
	set(root, root.UserID, true).Fails(fault.Denied)
	alice = h.Login("alice@example.com", harness.Password)
	alice.Do("USER.DELETE", P{"password": harness.Password}).Fails(fault.Validation)
	set(alice, root.UserID, true).OK()
	alice.Do("USER.DELETE", P{"password": harness.Password}).OK()
}

// Somebody who finds an open browser deletes no account without a password either.
func TestDeleteWithoutPasswordNeedsPresence(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Superadmin().Do("USER.CREATE", P{"email": "alice@example.com", "display_name": "Alice"}).OK()
	enter := func() *harness.Reply {
		begun := h.Anonymous().Do("AUTH.PASSWORDLESS_START", P{"email": "alice@example.com"}).OK()
		return h.Anonymous().Do("AUTH.PASSWORDLESS_VERIFY", P{
			"challenge_id": begun.String("challenge_id"), "code": h.MailedCode("alice@example.com"),
		}).OK()
	}
	stale := enter()
	h.Clock.Advance(16 * time.Minute)
	again := h.Anonymous().Do("AUTH.REFRESH", P{"refresh_token": stale.String("refresh_token")}).OK()
	h.With(again.String("access_token")).Do("USER.DELETE", nil).Fails(fault.Auth)
	h.With(enter().String("access_token")).Do("USER.DELETE", nil).OK()
}
