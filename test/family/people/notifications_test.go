package people_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/notice"
	"gatehouse.internal/test/harness"
)

const alice = "alice@example.com"

// kinds are those of somebody's notices, newest first.
func kinds(actor *harness.Actor, params P) []string {
	list := []string{}
	for _, item := range actor.Do("NOTIFICATION.LIST", params).List("items") {
		kind, _ := item["kind"].(string)
		list = append(list, kind)
	}
	return list
}

func wantKinds(t *testing.T, actor *harness.Actor, want ...string) {
	t.Helper()
	if got := kinds(actor, nil); !slices.Equal(got, want) {
		t.Errorf("notices %q, want %q", got, want)
	}
}

// Each event that the table names exists.
func TestEveryEventExists(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	for kind := range notice.ByEvent() {
		h.Anonymous().Do("EVENT.KIND_GET", P{"type": string(kind)}).OK()
	}
}

func TestNotificationList(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, actor := h.Superadmin(), h.SignUp(alice)
	wantKinds(t, actor)
	actor.Do("API_KEY.CREATE", P{"name": "key", "scopes": []string{}}).OK()
	actor.Do("USER.CHANGE_PASSWORD", P{"current_password": harness.Password, "new_password": "quite another battery", "keep_sessions": true}).OK()
	root.Do("USER.SET_SUPERADMIN", P{"user_id": actor.UserID, "is_superadmin": true}).OK()
	items := actor.Do("NOTIFICATION.LIST", nil).List("items")
	if got := kinds(actor, nil); !slices.Equal(got, []string{"superadmin_changed", "password_changed", "api_key_created"}) {
		t.Fatalf("notices %q", got)
	}
	own, byRoot := items[1], items[0]
	changed := h.Events("password.changed")[0]
	if own["headline"] != "Your password was changed" || own["vital"] != true || own["ip"] == "" || own["user_agent"] != "harness/1.0" ||
		own["event_id"] != changed.ID.String() || own["read_at"] != nil || !strings.HasSuffix(own["message"].(string), ".") {
		t.Errorf("the own act is shown as %v", own)
	}
	if byRoot["ip"] != "" || byRoot["user_agent"] != "" || byRoot["device"] != "" {
		t.Errorf("the act of an administrator is shown as %v", byRoot)
	}
	wantKinds(t, root)
}

func TestNotificationListPages(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	actor, bob := h.SignUp(alice), h.SignUp("bob@example.com")
	for range 3 {
		actor.Do("API_KEY.CREATE", P{"name": "key", "scopes": []string{}}).OK()
	}
	page := actor.Do("NOTIFICATION.LIST", P{"limit": 2})
	next := page.String("next_cursor")
	rest := actor.Do("NOTIFICATION.LIST", P{"limit": 2, "cursor": next})
	if len(page.List("items")) != 2 || len(rest.List("items")) != 1 || rest.Data["next_cursor"] != nil {
		t.Errorf("pages %v and %v", page.Data, rest.Data)
	}
	bob.Do("NOTIFICATION.LIST", P{"cursor": next}).Fails(fault.Validation).Field("/cursor")
	actor.Do("NOTIFICATION.LIST", P{"cursor": next, "unread": true}).Fails(fault.Validation).Field("/cursor")
}

func TestMarkRead(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	actor, bob := h.SignUp(alice), h.SignUp("bob@example.com")
	for range 3 {
		actor.Do("API_KEY.CREATE", P{"name": "key", "scopes": []string{}}).OK()
	}
	bob.Do("API_KEY.CREATE", P{"name": "key", "scopes": []string{}}).OK()
	first := actor.Do("NOTIFICATION.LIST", nil).List("items")[0]["id"]
	foreign := bob.Do("NOTIFICATION.LIST", nil).List("items")[0]["id"]
	mark := func(params P, want int) {
		t.Helper()
		if got := actor.Do("NOTIFICATION.MARK_READ", params).Int("marked"); got != want {
			t.Errorf("%d were marked, want %d", got, want)
		}
	}
	mark(P{"notification_ids": []any{first, foreign, "ntf_01jd7x9k2mf3q8v5t0abcdefgh"}}, 1)
	mark(P{"notification_ids": []any{first}}, 0)
	if got := len(kinds(actor, P{"unread": true})); got != 2 {
		t.Errorf("%d are unread", got)
	}
	mark(P{"all": true}, 2)
	if len(kinds(actor, P{"unread": true})) != 0 || len(kinds(actor, nil)) != 3 || len(kinds(bob, P{"unread": true})) != 1 {
		t.Error("something else was marked")
	}
	for _, params := range []P{nil, {"notification_ids": []any{}}, {"notification_ids": []any{first}, "all": true}, {"notification_ids": []any{"x"}}} {
		actor.Do("NOTIFICATION.MARK_READ", params).Fails(fault.Validation)
	}
	key := actor.Do("API_KEY.CREATE", P{"name": "key", "scopes": []string{}}).String("key")
	h.With(key).Do("NOTIFICATION.LIST", nil).OK()
}

// subjects are those of the mails that alice got.
func subjects(h *harness.Service) []string {
	list := []string{}
	for _, letter := range h.Mail(alice) {
		list = append(list, letter.Subject)
	}
	return list
}

func TestPreferences(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	actor := h.LoginBy(alice, h.SignUp(alice).EnrollApp())
	all := actor.Do("NOTIFICATION.PREFERENCE_GET", nil).OK().Data["preferences"].(P)
	for _, of := range notice.All() {
		if all[string(of.Kind)] != true {
			t.Errorf("%s comes by mail: %v", of.Kind, all[string(of.Kind)])
		}
	}
	set := func(preferences P) *harness.Reply {
		return actor.Do("NOTIFICATION.PREFERENCE_SET", P{"preferences": preferences})
	}
	if set(P{"device_trusted": false}).Bool("preferences.device_trusted") {
		t.Error("what was declined comes by mail")
	}
	actor.Do("DEVICE.TRUST", nil).OK()
	if got := subjects(h); slices.Contains(got, "A device was remembered") {
		t.Errorf("mails %q", got)
	}
	if !set(P{"device_trusted": nil}).Bool("preferences.device_trusted") {
		t.Error("the default is not to mail")
	}
	actor.Do("DEVICE.TRUST", nil).OK()
	if got := subjects(h); !slices.Contains(got, "A device was remembered") {
		t.Errorf("mails %q", got)
	}
	if events := h.Events(notice.KindPreferenceSet); len(events) != 2 || string(events[1].Data) != `{"user_id":"`+actor.UserID+`","changed":["device_trusted"]}` {
		t.Errorf("events %v", events)
	}
	refused := set(P{"password_changed": false, "new_device": false}).Fails(fault.Validation).Field("/preferences/password_changed")
	if !strings.Contains(refused.Failure.Message, "always emailed") || len(refused.Failure.Fields) != 1 {
		t.Errorf("refused with %v", refused.Failure)
	}
	if !actor.Do("NOTIFICATION.PREFERENCE_GET", nil).Bool("preferences.new_device") {
		t.Error("what was refused changed something")
	}
	set(P{"password_changed": true}).OK()
	for _, bad := range []P{{}, {"weather": false}, {"new_device": "no"}} {
		set(bad).Fails(fault.Validation)
	}
}

// The mail tells what happened, and from where.
func TestMail(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, actor := h.Superadmin(), h.SignUp(alice)
	actor.Do("USER.CHANGE_PASSWORD", P{"current_password": harness.Password, "new_password": "quite another battery"}).OK()
	letter := h.LastMail(alice)
	if letter.Subject != "Your password was changed" || !strings.Contains(letter.Text, "From: 10.") || !strings.Contains(letter.Text, "The password of your account was changed.") {
		t.Errorf("mailed %q: %s", letter.Subject, letter.Text)
	}
	root.Do("USER.SET_PASSWORD", P{"user_id": actor.UserID, "password": "one more battery"}).OK()
	letter = h.LastMail(alice)
	if letter.Subject != "An administrator set your password" || strings.Contains(letter.Text, "From:") || strings.Contains(letter.Text, harness.AdminEmail) {
		t.Errorf("mailed %q: %s", letter.Subject, letter.Text)
	}
}

// A lock is told once, however long it is hammered.
func TestLock(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	actor := h.SignUp(alice)
	lock := func() {
		for range 25 {
			h.Anonymous().Do("AUTH.LOGIN", P{"email": alice, "password": "wrong"}).Fails(fault.Auth)
		}
	}
	lock()
	wantKinds(t, actor, "account_locked")
	h.Clock.Advance(15*time.Minute - time.Second)
	actor = h.With(actor.Do("AUTH.REFRESH", P{"refresh_token": actor.RefreshToken}).String("access_token"))
	h.Clock.Advance(time.Second)
	lock()
	wantKinds(t, actor, "account_locked", "account_locked")
	mailed := slices.DeleteFunc(subjects(h), func(subject string) bool { return subject != "Your account is temporarily locked" })
	if len(mailed) != 2 {
		t.Errorf("mailed %q", mailed)
	}
}

// A deletion under way is no reason to fail, and takes the notices along.
func TestNotificationDeletion(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	actor := h.SignUp(alice)
	actor.Do("API_KEY.CREATE", P{"name": "key", "scopes": []string{}}).OK()
	actor.Do("USER.DELETE", P{"password": harness.Password}).OK()
	rows, err := ops.Upkeep(h.Store).Rows(context.Background())
	if err != nil || rows["notifications"] != 0 {
		t.Errorf("%d notices are left, %v", rows["notifications"], err)
	}
}
