package operations_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	peoplestore "gatehouse.internal/adapters/sqlstore/people"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/notice"
	"gatehouse.internal/domain/risk"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/people"
	"gatehouse.internal/test/harness"
)

const (
	email   = "alice@example.com"
	firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0"
	chrome  = "Mozilla/5.0 (Windows NT 10.0) Chrome/131.0 Safari/537.36"
	home    = 7       // 10.0.0.7
	abroad  = 9 << 16 // 10.9.0.0
)

// riskEnter logs in from somewhere with something.
func riskEnter(h *harness.Service, address int, client string, more ...P) *harness.Reply {
	params := P{"email": email, "password": harness.Password}
	for _, one := range more {
		for name, value := range one {
			params[name] = value
		}
	}
	return h.Anonymous().From(address).By(client).Do("AUTH.LOGIN", params)
}

// weigh makes the instance's policy of these values alone.
func weigh(h *harness.Service, values P) {
	h.Superadmin().Do("POLICY.SET", P{"kind": "risk", "values": values}).OK()
}

// riskNames are the signals of an assessment.
func riskNames(of P) string {
	var all []string
	for _, signal := range of["signals"].([]any) {
		all = append(all, signal.(P)["name"].(string))
	}
	return strings.Join(all, ", ")
}

// known is somebody who is used to sign in from home by Firefox.
func known(h *harness.Service) *harness.Actor {
	at := h.Anonymous().From(home).By(firefox)
	made := at.Do("AUTH.SIGNUP", P{"email": email, "password": harness.Password, "display_name": "Alice"}).OK()
	alice := h.With(made.String("access_token"))
	alice.UserID = alice.Do("USER.ME", nil).String("id")
	return alice
}

// secured is the same with a second factor, which they just gave.
func secured(h *harness.Service) (*harness.Actor, *harness.App) {
	alice := known(h)
	app := alice.EnrollApp()
	h.Clock.Advance(harness.Step)
	challenge := riskEnter(h, home, firefox).OK().String("challenge_token")
	in := h.Anonymous().From(home).By(firefox).Do("AUTH.MFA_VERIFY", P{"challenge_token": challenge, "code": app.Code()}).OK()
	actor := h.With(in.String("access_token"))
	actor.UserID = alice.UserID
	return actor, app
}

// notices are the kinds of those that somebody got, newest first.
func notices(t *testing.T, h *harness.Service, of *harness.Actor) (kinds []notice.Kind) {
	t.Helper()
	list, err := peoplestore.NoticeDirectory(h.Store).List(t.Context(), people.NoticeQuery{Owner: user.ID(of.UserID)})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range list {
		kinds = append(kinds, one.Kind)
	}
	return kinds
}

func assessments(who *harness.Actor, params P) []P {
	return who.Do("RISK.ASSESSMENT_LIST", params).List("items")
}

// What is not low is kept, with the session that came of it; each sees their own.
func TestAssessments(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		alice, bob, root := known(h), h.SignUp("bob@example.com"), h.Superadmin()
		riskEnter(h, home, firefox).OK()
		if got := assessments(alice, nil); len(got) != 0 {
			t.Fatalf("a usual login left %v", got)
		}
		r := riskEnter(h, abroad, chrome).OK()
		items := assessments(alice, nil)
		if len(items) != 1 || riskNames(items[0]) != "new_device, new_range" || items[0]["score"] != 35.0 || items[0]["level"] != "medium" ||
			items[0]["ip"] != "10.9.0.0" || items[0]["device"] != "Chrome on Windows" || items[0]["verdict"] != nil || items[0]["trigger"] != "login" {
			t.Fatalf("assessed %v", items)
		}
		if sessions := h.With(r.String("access_token")).Do("SESSION.LIST", nil).List("items"); sessions[0]["id"] != items[0]["session_id"] || sessions[0]["current"] != true {
			t.Errorf("the session is %v", items[0]["session_id"])
		}
		for _, params := range []P{{"min_score": 36}, {"ip": "10.9.0.1"}, {"to": items[0]["created_at"]}, {"from": h.Clock.Now().Add(time.Minute)}} {
			if got := assessments(alice, params); len(got) != 0 {
				t.Errorf("%v finds %v", params, got)
			}
		}
		for _, params := range []P{{"min_score": 35}, {"ip": "::ffff:10.9.0.0"}, {"from": items[0]["created_at"]}, {"user_id": alice.UserID}} {
			if got := assessments(alice, params); len(got) != 1 {
				t.Errorf("%v finds %v", params, got)
			}
		}
		if n := len(assessments(root, nil)); n != 1 {
			t.Errorf("a superadmin sees %d", n)
		}
		if n := len(assessments(bob, nil)); n != 0 {
			t.Errorf("bob sees %d", n)
		}
		absent := bob.Do("RISK.ASSESSMENT_LIST", P{"user_id": "usr_01jd7x9k2mf3q8v5t0abcdefgh"}).Fails(fault.NotFound)
		if foreign := bob.Do("RISK.ASSESSMENT_LIST", P{"user_id": alice.UserID}).Fails(fault.NotFound); foreign.Failure.Message != absent.Failure.Message {
			t.Errorf("foreign: %v, absent: %v", foreign.Failure, absent.Failure)
		}
	})
}

// Who may in a workspace sees, and judges, the attempts to enter that one.
func TestOfAWorkspace(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		bob, alice := h.SignUp("bob@example.com"), known(h)
		org := bob.Do("TEAM.CREATE", P{"name": "Shared"}).String("organization.id")
		h.Superadmin().Do("TEAM.MEMBER_ADD", P{"user_id": alice.UserID, "org_id": org, "role": "member"}).OK()
		riskEnter(h, abroad, chrome).OK()
		private := assessments(alice, nil)[0]["id"]
		theirs := P{"org_id": org, "user_id": alice.UserID}
		if got := assessments(bob, theirs); len(got) != 0 {
			t.Errorf("bob sees %v", got)
		}
		bob.Do("RISK.FEEDBACK_SUBMIT", P{"org_id": org, "assessment_id": private, "verdict": "not_mine"}).Fails(fault.NotFound)
		riskEnter(h, abroad+1<<8, "curl/8.0", P{"org_id": org}).OK()
		got := assessments(bob, theirs)
		if len(got) != 1 {
			t.Fatalf("bob sees %v", got)
		}
		// Of what happened elsewhere nothing is told: one login there, from abroad, by curl.
		situation := P{"org_id": org, "user_id": alice.UserID, "ip": "10.9.0.0", "user_agent": chrome}
		if names := riskNames(bob.Do("RISK.EVALUATE", situation).OK().Data); names != "new_device, new_range" {
			t.Errorf("bob is told %s", names)
		}
		alice.Do("RISK.EVALUATE", P{"org_id": org, "user_id": bob.UserID}).Fails(fault.Denied)
		if names := riskNames(alice.Do("RISK.EVALUATE", P{"user_id": alice.UserID, "ip": "10.9.0.0", "user_agent": chrome}).OK().Data); names != "" {
			t.Errorf("alice is told %s", names)
		}
		if n := bob.Do("RISK.FEEDBACK_SUBMIT", P{"org_id": org, "assessment_id": got[0]["id"], "verdict": "not_mine"}).Int("sessions_revoked"); n != 1 {
			t.Errorf("%d sessions ended", n)
		}
	})
}

// High risk asks for a second factor also on a remembered device, and is told once an hour.
func TestHigh(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		actor, app := secured(h)
		device := P{"device_token": actor.Do("DEVICE.TRUST", nil).String("device_token")}
		riskEnter(h, home, firefox, device).OK().String("access_token")
		weigh(h, P{"new_range": 80})
		before := len(notices(t, h, actor))
		newNotices := func() []notice.Kind {
			all := notices(t, h, actor)
			return all[:len(all)-before]
		}
		h.Clock.Advance(harness.Step)
		challenged := riskEnter(h, abroad, chrome, device).OK().String("challenge_token")
		if got := newNotices(); !slices.Equal(got, []notice.Kind{notice.RiskyLogin}) {
			t.Errorf("told of %v", got)
		}
		if letter := h.LastMail(email); letter.Subject != "Unusual sign-in to your account" || !strings.Contains(letter.Text, "Chrome on Windows") {
			t.Errorf("mailed %q: %s", letter.Subject, letter.Text)
		}
		if got := assessments(actor, nil); len(got) != 1 || got[0]["session_id"] != nil || got[0]["level"] != "high" {
			t.Errorf("assessed %v", got)
		}
		h.Anonymous().From(abroad).By(chrome).Do("AUTH.MFA_VERIFY", P{"challenge_token": challenged, "code": app.Code()}).OK().String("access_token")
		if got := assessments(actor, nil); len(got) != 1 || got[0]["session_id"] == nil {
			t.Errorf("then %v", got)
		}
		riskEnter(h, abroad+5<<8, chrome, device).OK().String("challenge_token")
		if got := newNotices(); len(got) != 1 {
			t.Errorf("told of %v within an hour", got)
		}
		h.Clock.Advance(time.Hour + time.Second)
		riskEnter(h, abroad+6<<8, chrome, device).OK().String("challenge_token")
		if got := newNotices(); got[0] != notice.RiskyLogin {
			t.Errorf("told of %v an hour later", got)
		}
		weigh(h, P{"second_factor": false, "notice": false})
		n := len(newNotices())
		riskEnter(h, abroad+7<<8, chrome, device).OK().String("access_token")
		if got := newNotices(); len(got) != n {
			t.Errorf("told of %v though nobody wants to", got)
		}
	})
}

// "That was not me" undoes the login, and remembers where it came from.
func TestNotMine(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		alice := known(h)
		thief := h.With(riskEnter(h, abroad, chrome).OK().String("access_token"))
		thief.Do("SESSION.LIST", nil).OK()
		one := assessments(alice, nil)[0]["id"]
		answer := func(verdict string) *harness.Reply {
			return alice.Do("RISK.FEEDBACK_SUBMIT", P{"assessment_id": one, "verdict": verdict})
		}
		h.SignUp("bob@example.com").Do("RISK.FEEDBACK_SUBMIT", P{"assessment_id": one, "verdict": "mine"}).Fails(fault.NotFound)
		if n := answer("mine").Int("sessions_revoked"); n != 0 {
			t.Errorf("%d sessions ended by their owner's own", n)
		}
		if n := alice.DryRun().Do("RISK.FEEDBACK_SUBMIT", P{"assessment_id": one, "verdict": "not_mine"}).Int("sessions_revoked"); n != 1 {
			t.Errorf("a dry run would end %d", n)
		}
		thief.Do("SESSION.LIST", nil).OK()
		if n := answer("not_mine").Int("sessions_revoked"); n != 1 {
			t.Errorf("%d sessions ended", n)
		}
		if n := answer("not_mine").Int("sessions_revoked"); n != 0 {
			t.Errorf("%d sessions ended the second time", n)
		}
		thief.Do("SESSION.LIST", nil).Fails(fault.Auth)
		alice.Do("SESSION.LIST", nil).OK()
		if e := h.Events(risk.KindFeedbackSubmitted); len(e) != 2 || e[0].UserID != alice.UserID || len(h.Events(session.KindRevoked)) != 1 {
			t.Errorf("events %v", e)
		}
		if got := riskEnter(h, home, firefox).OK().Strings("required_actions"); !slices.Equal(got, []string{"change_password"}) {
			t.Errorf("required %v", got)
		}
		evaluate := func(at time.Time) P {
			return alice.Do("RISK.EVALUATE", P{"user_id": alice.UserID, "ip": "10.9.0.99", "user_agent": chrome, "at": at}).OK().Data
		}
		if got := evaluate(h.Clock.Now()); got["score"] != 70.0 || got["level"] != "high" {
			t.Errorf("from there again: %v", got)
		}
		if got := evaluate(h.Clock.Now().AddDate(0, 0, 31)); got["score"] != 35.0 {
			t.Errorf("a month later: %v", got)
		}
		bob := h.Login("bob@example.com", harness.Password)
		if got := bob.Do("RISK.EVALUATE", P{"user_id": bob.UserID, "ip": "10.9.0.99"}).OK().Data; strings.Contains(riskNames(got), "denied") || got["score"].(float64) > 15 {
			t.Errorf("for another account: %v", got)
		}
	})
}

// A remembered device of the same kind is forgotten with it.
func TestNotMineForgetsTheDevice(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		alice, _ := secured(h)
		trust := func(client string) P {
			return P{"device_token": alice.By(client).Do("DEVICE.TRUST", nil).String("device_token")}
		}
		own, stolen := trust(firefox), trust(chrome)
		riskEnter(h, abroad, chrome, stolen).OK().String("access_token")
		alice.Do("RISK.FEEDBACK_SUBMIT", P{"assessment_id": assessments(alice, nil)[0]["id"], "verdict": "not_mine"}).OK()
		h.Superadmin().Do("USER.SET_REQUIRED_ACTIONS", P{"user_id": alice.UserID, "actions": []string{}}).OK()
		riskEnter(h, home, chrome, stolen).OK().String("challenge_token")
		riskEnter(h, home, firefox, own).OK().String("access_token")
	})
}

// What was kept goes after 90 days.
func TestAssessmentsAreDeletedAfter90Days(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		known(h)
		riskEnter(h, abroad, chrome).OK()
		for _, step := range []struct{ days, removed int }{{89, 0}, {1, 1}} {
			h.Clock.Advance(time.Duration(step.days) * 24 * time.Hour)
			r := h.Superadmin().Do("SYSTEM.PURGE_EXPIRED", P{"kinds": []string{"risk_assessments"}})
			if got := r.Int("deleted.risk_assessments"); got != step.removed {
				t.Errorf("%d were removed, want %d", got, step.removed)
			}
		}
	})
}

// A session that goes on in another browser is assessed where it enters a workspace.
func TestSwitch(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		known(h)
		weigh(h, P{"user_agent_change": 90})
		alice := h.With(riskEnter(h, home, firefox).OK().String("access_token")).From(home)
		org := alice.Do("TEAM.CREATE", P{"name": "Other"}).String("organization.id")
		back := P{"org_id": alice.Do("TEAM.CREATE", P{"name": "Third"}).String("organization.id")}
		switched := alice.By(firefox).Do("TEAM.SWITCH", P{"org_id": org}).OK()
		if got := assessments(h.With(switched.String("access_token")), nil); len(got) != 0 {
			t.Errorf("the same browser is assessed: %v", got)
		}
		r := h.With(switched.String("access_token")).From(home).By(chrome).Do("TEAM.SWITCH", back).OK()
		got := assessments(h.With(r.String("access_token")), nil)
		if len(got) != 1 || riskNames(got[0]) != "new_device, user_agent_change" || got[0]["level"] != "high" {
			t.Errorf("assessed %v", got)
		}
	})
}

// Failures of the account, and of many accounts from an address, count.
func TestFailures(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		alice := known(h)
		signals := func() string {
			return riskNames(h.Superadmin().Do("RISK.EVALUATE", P{"user_id": alice.UserID, "ip": "10.0.0.9"}).OK().Data)
		}
		guess(h, email, 2)
		if got := signals(); got != "" {
			t.Errorf("after two failures: %s", got)
		}
		guess(h, email, 1)
		if got := signals(); got != "account_failures" {
			t.Errorf("after three: %s", got)
		}
		for range 10 {
			h.Anonymous().From(9).Do("AUTH.LOGIN", P{"email": "nobody@example.com", "password": "wrong"}).Fails(fault.Auth)
		}
		if got := signals(); got != "account_failures, address_accounts" {
			t.Errorf("after ten elsewhere: %s", got)
		}
		h.Clock.Advance(time.Hour + time.Second)
		if got := signals(); got != "" {
			t.Errorf("an hour later: %s", got)
		}
	})
}

func TestStatus(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root := h.Superadmin()
		guess(h, email, 3)
		r := root.Do("RISK.STATUS_GET", nil).OK()
		if r.Int("failures_per_minute") != 3 || r.Int("usual") != 5 || r.Data["spike"] != false || len(r.Strings("measures")) != 0 || r.Data["since"] != nil {
			t.Errorf("status %v", r.Data)
		}
		h.SignUp("bob@example.com").Do("RISK.STATUS_GET", nil).Fails(fault.Denied)
	})
}
