package signin_test

import (
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/test/harness"
)

func TestAuthLogin(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp(authAddress)
	h.Clock.Advance(time.Hour)
	pair := login(h, " ALICE@Example.COM ", harness.Password).OK()
	if keys(pair.Data) != "access_token expires_in refresh_token token_type" || pair.Int("expires_in") != 900 || pair.String("token_type") != "Bearer" {
		t.Errorf("data = %v", pair.Data)
	}
	again := h.With(pair.String("access_token")).Do("AUTH.WHOAMI", nil).OK()
	if again.String("subject") != alice.UserID || again.String("org_id") != alice.OrgID || again.String("session_id") == alice.SessionID {
		t.Errorf("logged into %v", again.Data)
	}
	me := h.With(pair.String("access_token")).Do("USER.ME", nil)
	if at := me.String("last_login_at"); at != h.Clock.Now().Format(time.RFC3339Nano) {
		t.Errorf("last_login_at = %s", at)
	}
	same(t, "login.succeeded", data(h, loginevent.KindSucceeded), []string{`{"user_id":"` + alice.UserID + `","amr":["pwd"]}`})
	if n := len(h.Events(session.KindCreated)); n != 2 {
		t.Errorf("%d sessions began, want 2", n)
	}
	if e := h.Events(loginevent.KindSucceeded)[0]; e.UserID != alice.UserID || e.Outcome != "success" || e.Origin.ActorKind != "anonymous" || e.Origin.IP == "" {
		t.Errorf("event = %+v", e)
	}
	refresh(h, alice.RefreshToken).OK() // the first session goes on
}

// Unknown, wrong, locked, disabled and passwordless are one answer, whatever was
// sent; the event log alone tells them apart.
func TestRefusedLoginsAreAlike(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	wrong, locked, disabled := h.SignUp("wrong@example.com"), h.SignUp("locked@example.com"), h.SignUp("disabled@example.com")
	bare := root.Do("USER.CREATE", P{"email": "bare@example.com"}).String("user.id")
	guess(h, "locked@example.com", 10)
	root.Do("USER.DISABLE", P{"user_id": disabled.UserID}).OK()
	before := len(h.Events(loginevent.KindFailed))
	want := login(h, "unknown@example.com", harness.Password).Fails(fault.Auth).Failure
	for _, email := range []string{"wrong@example.com", "locked@example.com", "disabled@example.com", "bare@example.com", "unknown@example.com"} {
		for _, password := range []string{"x", harness.Password, strings.Repeat("\u00fc", 256)} {
			if email == "wrong@example.com" && password == harness.Password {
				continue
			}
			for _, org := range []string{"", nowhere, wrong.OrgID} {
				params := P{"email": email, "password": password}
				if org != "" {
					params["org_id"] = org
				}
				got := h.Anonymous().Do("AUTH.LOGIN", params).Fails(fault.Auth).Failure
				if got.Message != want.Message || got.Fields != nil || got.Flow != nil || got.RetryAfter != 0 {
					t.Errorf("%s is told %+v, an unknown one %+v", email, got, want)
				}
			}
		}
	}
	reasons := map[string]int{}
	for _, e := range h.Events(loginevent.KindFailed)[:len(h.Events(loginevent.KindFailed))-before] {
		if e.Outcome != "failure" || strings.Contains(string(e.Data), "@") {
			t.Errorf("event = %+v", e)
		}
		reasons[e.UserID+string(e.Data)]++
	}
	for _, c := range []struct {
		user, reason string
		n            int
	}{
		{"", loginevent.UnknownUser, 10},
		{wrong.UserID, loginevent.WrongPassword, 6},
		{locked.UserID, loginevent.AccountLocked, 9},
		{disabled.UserID, loginevent.WrongPassword, 6},
		{disabled.UserID, loginevent.UserDisabled, 3},
		{bare, loginevent.WrongPassword, 9},
	} {
		content := `{"user_id":"` + c.user + `","reason":"` + c.reason + `"}`
		if c.user == "" {
			content = `{"reason":"` + c.reason + `"}`
		}
		if got := reasons[c.user+content]; got != c.n {
			t.Errorf("%d events %s, want %d", got, content, c.n)
		}
	}
	login(h, "wrong@example.com", harness.Password).OK()
}

func TestLock(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp(authAddress)
	guess(h, authAddress, 9)
	login(h, authAddress, harness.Password).OK() // sets the counter back
	guess(h, "Alice@EXAMPLE.com", 9)
	if n := len(h.Events(credential.KindLocked)); n != 0 {
		t.Fatalf("locked after 9 failures")
	}
	guess(h, authAddress, 1)
	until := h.Clock.Now().Add(15 * time.Minute)
	same(t, "user.locked", data(h, credential.KindLocked), []string{`{"user_id":"` + alice.UserID + `","until":"` + until.Format(time.RFC3339Nano) + `"}`})
	login(h, authAddress, harness.Password).Fails(fault.Auth)
	alice.Do("AUTH.WHOAMI", nil).OK()
	refresh(h, alice.RefreshToken).OK()

	// Hammering does not lengthen it, nor is it counted for the time after.
	h.Clock.Advance(15*time.Minute - time.Second)
	guess(h, authAddress, 20)
	login(h, authAddress, harness.Password).Fails(fault.Auth)
	h.Clock.Advance(time.Second)
	guess(h, authAddress, 9)
	login(h, authAddress, harness.Password).OK()
	if n := len(h.Events(credential.KindLocked)); n != 1 {
		t.Errorf("%d events user.locked, want 1", n)
	}
}

// A failure counts for 15 minutes, wherever they begin.
func TestOldFailuresDoNotCount(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.SignUp(authAddress)
	guess(h, authAddress, 5)
	h.Clock.Advance(14 * time.Minute)
	guess(h, authAddress, 4)
	h.Clock.Advance(time.Minute)
	guess(h, authAddress, 5) // nine of them count
	login(h, authAddress, harness.Password).OK()
}

func TestLockoutPolicyHolds(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	root.Do("POLICY.SET", P{"kind": "lockout", "values": P{"max_failures": 3, "duration_minutes": 1}}).OK()
	h.SignUp(authAddress)
	guess(h, authAddress, 3)
	login(h, authAddress, harness.Password).Fails(fault.Auth)
	h.Clock.Advance(time.Minute)
	login(h, authAddress, harness.Password).OK()
}

// A guess in a dry run is a guess; a login in one opens nothing.
func TestDryLogins(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.SignUp(authAddress)
	dry := func(password string) *harness.Reply {
		return h.Anonymous().DryRun().Do("AUTH.LOGIN", P{"email": authAddress, "password": password})
	}
	r := dry(harness.Password).OK()
	if r.String("access_token") != "" || r.String("refresh_token") != "" {
		t.Error("a dry login hands tokens out")
	}
	same(t, "events of a dry run", r.Strings("dry_run.events"), []string{"session.created", "login.succeeded"})
	for range 10 {
		dry("wrong").Fails(fault.Auth)
	}
	if n, m, o := len(h.Events(loginevent.KindFailed)), len(h.Events(credential.KindLocked)), len(h.Events(session.KindCreated)); n != 10 || m != 1 || o != 1 {
		t.Errorf("%d failures, %d locks and %d sessions are stored, want 10, 1 and 1", n, m, o)
	}
	dry(harness.Password).Fails(fault.Auth)
	login(h, authAddress, harness.Password).Fails(fault.Auth)
}

func TestWorkspaceOfALogin(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, bob := h.SignUp(authAddress), h.SignUp("bob@example.com")
	into := func(org string) *harness.Reply {
		return h.Anonymous().Do("AUTH.LOGIN", P{"email": authAddress, "password": harness.Password, "org_id": org})
	}
	before := len(h.Events(""))
	foreign, absent := into(bob.OrgID).Fails(fault.NotFound).Failure, into(nowhere).Fails(fault.NotFound).Failure
	if foreign.Message != absent.Message {
		t.Errorf("a foreign workspace: %q, none: %q", foreign.Message, absent.Message)
	}
	if after := len(h.Events("")); after != before+2 || len(h.Events(loginevent.KindSucceeded)) != 0 {
		t.Errorf("%d events of two logins that opened nothing, want one each", after-before)
	}
	refused := `{"user_id":"` + alice.UserID + `","reason":"` + loginevent.NotAMember + `"}`
	same(t, "login.failed", data(h, loginevent.KindFailed), []string{refused, refused})
	into(alice.OrgID).OK()
}

func TestLoginLimit(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.SignUp(authAddress)
	here := h.Anonymous().From(7)
	for range 10 {
		here.Do("AUTH.LOGIN", P{"email": authAddress, "password": harness.Password}).OK()
	}
	if wait := here.Do("AUTH.LOGIN", P{"email": authAddress, "password": harness.Password}).Fails(fault.RateLimited).Failure.RetryAfter; wait != time.Minute {
		t.Errorf("told to wait %v", wait)
	}
	login(h, authAddress, harness.Password).OK()
}

func TestLoginParameters(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	for path, params := range map[string]P{
		"/email":        {"email": "alice", "password": "x"},
		"/password":     {"email": authAddress, "password": ""},
		"/user_id":      {"email": authAddress, "password": "x", "user_id": authNobody},
		"/device_token": {"email": authAddress, "password": "x", "device_token": ""},
	} {
		h.Anonymous().Do("AUTH.LOGIN", params).Fails(fault.Validation).Field(path)
	}
}

// The password that is typed with other code points is the same.
func TestPasswordsAreNormalized(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Anonymous().Do("AUTH.SIGNUP", P{"email": authAddress, "password": "cr\u00e8me br\u00fbl\u00e9e!", "display_name": "A"}).OK()
	login(h, authAddress, "cre\u0300me bru\u0302le\u0301e!").OK()
	login(h, authAddress, "creme brulee!").Fails(fault.Auth)
}

// A hash under other settings, or of another system, is replaced at the first
// right login, and only then.
func TestHashesAreUpgraded(t *testing.T) {
	t.Parallel()
	dsn := harness.Postgres(t)
	old := harness.On(t, dsn)
	alice := old.SignUp(authAddress)
	old.Superadmin().Do("USER.BULK_IMPORT", P{"users": []P{{"email": "zoe@example.com", "password_hash": bcryptHash}}}).OK()
	zoe := old.Superadmin().Do("USER.GET", P{"email": "zoe@example.com"}).String("user.id")

	h := harness.On(t, dsn, "ARGON2_TIME=2")
	for _, who := range []struct{ id, email, password string }{{alice.UserID, authAddress, harness.Password}, {zoe, "zoe@example.com", authUpstream}} {
		before := hash(t, h, who.id)
		login(h, who.email, "wrong").Fails(fault.Auth)
		if hash(t, h, who.id) != before {
			t.Error("a wrong password replaced the hash")
		}
		h.Anonymous().DryRun().Do("AUTH.LOGIN", P{"email": who.email, "password": who.password}).OK()
		if hash(t, h, who.id) != before {
			t.Error("a dry run replaced the hash")
		}
		for r, n := range harness.Codes(harness.Together(8, func(int) *harness.Reply { return login(h, who.email, who.password) })) {
			if r != "" {
				t.Errorf("%d of the first logins failed with %s", n, r)
			}
		}
		upgraded := hash(t, h, who.id)
		if !strings.HasPrefix(upgraded, "$argon2id$v=19$m=1024,t=2,p=1$") {
			t.Errorf("hash = %.40s of %s", upgraded, who.email)
		}
		login(h, who.email, who.password).OK()
		if hash(t, h, who.id) != upgraded {
			t.Error("a hash of the settings in force was replaced")
		}
	}
}

// What is counted is exact however many guess at once, on both databases; nobody
// gets an internal error for the crowd.
func TestParallelGuesses(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		here.SignUp(authAddress)
		here.Superadmin().Do("POLICY.SET", P{"kind": "lockout", "values": P{"max_failures": 51}}).OK()
		replies := harness.Together(50, func(i int) *harness.Reply {
			return login([]*harness.Service{here, there}[i%2], authAddress, "wrong")
		})
		if got := harness.Codes(replies); got[fault.Auth] != 50 {
			t.Errorf("50 guesses = %v", got)
		}
		if n := len(here.Events(loginevent.KindFailed)); n != 50 {
			t.Errorf("%d events login.failed, want 50", n)
		}
		var counted int
		if err := here.Store.Database().Read.GetContext(t.Context(), &counted, `SELECT SUM(count) FROM login_failures`); err != nil || counted != 50 {
			t.Errorf("%d failures counted, %v, want 50", counted, err)
		}
		guess(there, authAddress, 1)
		login(here, authAddress, harness.Password).Fails(fault.Auth)
		if n := len(here.Events(credential.KindLocked)); n != 1 {
			t.Errorf("%d locks, want 1", n)
		}
	})
}
