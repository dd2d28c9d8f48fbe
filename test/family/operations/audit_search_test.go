package operations_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	workspacesstore "gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/workspaces"
	"gatehouse.internal/test/harness"
)

// store records events as if they came from a request.
func store(t *testing.T, h *harness.Service, origin event.Origin, happened ...event.Data) {
	t.Helper()
	ctx := event.WithOrigin(context.Background(), origin)
	unit := sqlstore.NewUnit(h.Store, func(tx *sqlstore.Tx) outbound.Events { return tx.Events() })
	if err := unit.Do(ctx, func(tx outbound.Events) error { return tx.Record(ctx, happened...) }); err != nil {
		t.Fatal(err)
	}
}

// auditEnter makes somebody a member of another's workspace and logs them into it.
func auditEnter(t *testing.T, h *harness.Service, who, owner *harness.Actor, email, name string) *harness.Actor {
	t.Helper()
	unit := sqlstore.NewUnit(h.Store, func(tx *sqlstore.Tx) workspaces.Workspaces { return workspacesstore.Workspaces(tx) })
	err := unit.Do(context.Background(), func(tx workspaces.Workspaces) error {
		m := workspace.JoinOther(workspace.ID(owner.OrgID), user.ID(who.UserID), workspace.Builtin(name), h.Clock.Now())
		return tx.SaveMember(context.Background(), m)
	})
	if err != nil {
		t.Fatal(err)
	}
	pair := h.Anonymous().Do("AUTH.LOGIN", harness.P{"email": email, "password": harness.Password, "org_id": owner.OrgID}).OK()
	return h.With(pair.String("access_token"))
}

// found are the values under a key of what a search answers.
func found(t *testing.T, who *harness.Actor, params harness.P, key string) []string {
	t.Helper()
	values := []string{}
	for _, item := range who.Do("AUDIT.SEARCH", params).OK().List("items") {
		text, _ := item[key].(string)
		values = append(values, text)
	}
	return values
}

func TestEntry(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	items := alice.Do("AUDIT.SEARCH", harness.P{"type": "session.created"}).OK().List("items")
	if len(items) != 1 {
		t.Fatalf("%d events", len(items))
	}
	stored := h.Events("session.created")[0]
	if items[0]["ip"] != stored.Origin.IP || stored.Origin.IP == "" {
		t.Errorf("ip %v, stored %q", items[0]["ip"], stored.Origin.IP)
	}
	at, err := time.Parse(time.RFC3339Nano, items[0]["at"].(string))
	if err != nil || !at.Equal(h.Clock.Now()) {
		t.Errorf("at %v, %v", items[0]["at"], err)
	}
	delete(items[0], "ip")
	delete(items[0], "at")
	want := harness.P{
		"id": stored.ID.String(), "type": "session.created", "outcome": "success",
		"user_id": alice.UserID, "org_id": alice.OrgID, "actor": harness.P{"kind": "anonymous", "id": nil},
		"session_id": nil, "api_key_id": nil, "user_agent": "harness/1.0", "request_id": "harness-AUTH.SIGNUP", "command": "AUTH.SIGNUP",
		"data": harness.P{
			"session_id": alice.SessionID, "user_id": alice.UserID, "org_id": alice.OrgID, "amr": []any{"pwd"},
		},
	}
	if !equal(t, items[0], want) {
		t.Errorf("entry %v\nwant %v", items[0], want)
	}
	alice.Do("AUTH.LOGOUT", nil).OK()
	again := h.Login("alice@example.com", harness.Password)
	ended := again.Do("AUDIT.SEARCH", harness.P{"type": "session.revoked"}).OK().List("items")[0]
	if ended["session_id"] != alice.SessionID || !equal(t, ended["actor"], harness.P{"kind": "user", "id": alice.UserID}) {
		t.Errorf("entry %v", ended)
	}
}

func equal(t *testing.T, a, b any) bool {
	t.Helper()
	one, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	other, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	return string(one) == string(other)
}

func TestBackgroundWorkHasNoRequest(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	store(t, h, event.Origin{ActorKind: "system"}, loginevent.SpikeEnded{StartedAt: h.Clock.Now()})
	entry := h.Superadmin().Do("AUDIT.SEARCH", harness.P{"type": "risk.spike_ended"}).OK().List("items")[0]
	for _, key := range []string{"user_id", "org_id", "session_id", "api_key_id", "ip", "user_agent", "request_id", "command"} {
		if value, present := entry[key]; !present || value != nil {
			t.Errorf("%s = %v, present %t", key, value, present)
		}
	}
	if !equal(t, entry["actor"], harness.P{"kind": "system", "id": nil}) {
		t.Errorf("actor %v", entry["actor"])
	}
}

func TestWhoSeesWhat(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, bob, carol := h.SignUp("alice@example.com"), h.SignUp("bob@example.com"), h.SignUp("carol@example.com")
	member := auditEnter(t, h, bob, alice, "bob@example.com", role.Member)
	admin := auditEnter(t, h, carol, alice, "carol@example.com", role.Admin)
	root := h.Superadmin()
	request := func(actor *harness.Actor, name string) event.Origin {
		return event.Origin{ActorKind: "user", ActorID: actor.UserID, RequestID: name}
	}
	person := func(a *harness.Actor) user.ID { return user.ID(a.UserID) }
	org := workspace.ID(alice.OrgID)
	store(t, h, request(alice, "alice-in-org"), workspace.RoleAssigned{OrgID: org, UserID: person(carol), Role: "admin"})
	store(t, h, request(bob, "bob-in-org"), session.Refreshed{SessionID: "ses_x", UserID: person(bob), OrgID: org})
	store(t, h, request(bob, "bob-elsewhere"), loginevent.Succeeded{UserID: person(bob)})
	store(t, h, request(bob, "bob-on-alice"), loginevent.Succeeded{UserID: person(alice)})
	store(t, h, request(root, "root-on-instance"), loginevent.SpikeEnded{})

	all := []string{"root-on-instance", "bob-on-alice", "bob-elsewhere", "bob-in-org", "alice-in-org"}
	for name, c := range map[string]struct {
		who  *harness.Actor
		want []string
	}{
		"superadmin":              {root, all},
		"owner":                   {alice, []string{"bob-on-alice", "bob-in-org", "alice-in-org"}},
		"admin of the workspace":  {admin, []string{"bob-in-org", "alice-in-org"}},
		"admin out of it":         {carol, []string{"alice-in-org"}},
		"member of the workspace": {member, []string{"bob-on-alice", "bob-elsewhere", "bob-in-org"}},
		"member out of it":        {bob, []string{"bob-on-alice", "bob-elsewhere", "bob-in-org"}},
	} {
		seen := slices.DeleteFunc(found(t, c.who, harness.P{"limit": 200}, "request_id"), func(id string) bool {
			return !slices.Contains(all, id)
		})
		if !slices.Equal(seen, c.want) {
			t.Errorf("%s sees %v, want %v", name, seen, c.want)
		}
	}
}

func TestOtherPeopleAreNotFound(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, bob := h.SignUp("alice@example.com"), h.SignUp("bob@example.com")
	member := auditEnter(t, h, bob, alice, "bob@example.com", role.Member)
	known := member.Do("AUDIT.SEARCH", harness.P{"user_id": alice.UserID}).Fails(fault.NotFound)
	unknown := member.Do("AUDIT.SEARCH", harness.P{"user_id": "usr_01jd7x9k2mf3q8v5t0abcdefgh"}).Fails(fault.NotFound)
	if known.Failure.Message != unknown.Failure.Message {
		t.Errorf("known and unknown answer differently: %q, %q", known.Failure.Message, unknown.Failure.Message)
	}
	if own := found(t, member, harness.P{"user_id": bob.UserID, "type": "user.created"}, "user_id"); len(own) != 1 {
		t.Errorf("own %v", own)
	}
	// Who holds audit:read finds what there is of them in the workspace.
	if seen := found(t, alice, harness.P{"user_id": bob.UserID}, "org_id"); len(seen) == 0 || slices.ContainsFunc(seen, func(org string) bool { return org != alice.OrgID }) {
		t.Errorf("alice sees bob in %v", seen)
	}
	if seen := found(t, bob, harness.P{"user_id": alice.UserID}, "id"); len(seen) > 0 {
		t.Errorf("bob sees of alice %v", seen)
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.SignUp("alice@example.com")
	began := h.Clock.Now()
	h.Clock.Advance(time.Hour)
	h.Anonymous().From(7).Do("AUTH.LOGIN", harness.P{"email": "alice@example.com", "password": "wrong"}).Fails(fault.Auth)
	h.Clock.Advance(time.Hour)
	alice, root := h.Login("alice@example.com", harness.Password), h.Superadmin()
	at := func(offset time.Duration) string { return began.Add(offset).Format(time.RFC3339Nano) }
	for name, c := range map[string]struct {
		params harness.P
		want   []string
	}{
		"ip":               {harness.P{"ip": "10.0.0.7"}, []string{"login.failed"}},
		"mapped ip":        {harness.P{"ip": "::ffff:10.0.0.7"}, []string{"login.failed"}},
		"another ip":       {harness.P{"ip": "10.0.0.8"}, []string{}},
		"outcome":          {harness.P{"outcome": "failure"}, []string{"login.failed"}},
		"type":             {harness.P{"type": "login.failed"}, []string{"login.failed"}},
		"unknown type":     {harness.P{"type": "no.such"}, []string{}},
		"request_id":       {harness.P{"request_id": "harness-AUTH.LOGIN", "outcome": "failure"}, []string{"login.failed"}},
		"another request":  {harness.P{"request_id": "harness-AUTH"}, []string{}},
		"from":             {harness.P{"from": at(time.Hour), "outcome": "failure"}, []string{"login.failed"}},
		"later from":       {harness.P{"from": at(time.Hour + 1000), "outcome": "failure"}, []string{}},
		"to is beyond":     {harness.P{"to": at(time.Hour), "outcome": "failure"}, []string{}},
		"later to":         {harness.P{"to": at(time.Hour + 1000), "outcome": "failure"}, []string{"login.failed"}},
		"actor":            {harness.P{"actor_id": alice.UserID}, []string{}},
		"user":             {harness.P{"user_id": alice.UserID, "outcome": "failure"}, []string{"login.failed"}},
		"of two, one fits": {harness.P{"ip": "10.0.0.7", "outcome": "success"}, []string{}},
	} {
		for _, who := range []*harness.Actor{alice, root} {
			if got := found(t, who, c.params, "type"); !slices.Equal(got, c.want) {
				t.Errorf("%s: %v, want %v", name, got, c.want)
			}
		}
	}
	alice.Do("AUTH.LOGOUT", nil).OK()
	if got := found(t, root, harness.P{"actor_id": alice.UserID}, "type"); !slices.Equal(got, []string{"session.revoked"}) {
		t.Errorf("by alice: %v", got)
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, bob := h.SignUp("alice@example.com"), h.SignUp("bob@example.com")
	whole := found(t, alice, nil, "id")
	if len(whole) < 3 || !slices.IsSortedFunc(whole, func(a, b string) int { return strings.Compare(b, a) }) {
		t.Fatalf("events %v", whole)
	}
	var walked []string
	params := harness.P{"limit": 1}
	for range whole {
		page := alice.Do("AUDIT.SEARCH", params).OK()
		walked = append(walked, page.List("items")[0]["id"].(string))
		cursor, more := page.Data["next_cursor"].(string)
		if more != (len(walked) < len(whole)) {
			t.Errorf("after %d of %d events: more %t", len(walked), len(whole), more)
		}
		params["cursor"] = cursor
		if len(walked) == 1 {
			bob.Do("AUDIT.SEARCH", harness.P{"cursor": cursor}).Fails(fault.Validation).Field("/cursor")
		}
	}
	if !slices.Equal(walked, whole) {
		t.Errorf("walked %v, want %v", walked, whole)
	}
}

// TestWhereOthersActedFrom holds back whence another user acted on somebody who
// reads the event as their own alone.
func TestWhereOthersActedFrom(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, bob, root := h.SignUp("alice@example.com"), h.SignUp("bob@example.com"), h.Superadmin()
	member := auditEnter(t, h, bob, alice, "bob@example.com", role.Member)
	by := func(actor *harness.Actor) event.Origin {
		return event.Origin{
			ActorKind: "user", ActorID: actor.UserID, Credential: actor.SessionID,
			IP: "192.0.2.9", UserAgent: "admin/1", RequestID: "shown",
		}
	}
	about := user.ID(bob.UserID)
	inOrg := workspace.RoleUnassigned{OrgID: workspace.ID(alice.OrgID), UserID: about, Role: "admin"}
	store(t, h, by(root), loginevent.Failed{UserID: about, Reason: loginevent.UserDisabled})
	store(t, h, by(alice), inOrg)
	store(t, h, by(bob), workspace.MemberAdded{OrgID: workspace.ID(alice.OrgID), UserID: about, Role: role.Member})
	store(t, h, event.Origin{ActorKind: "anonymous", IP: "192.0.2.9", UserAgent: "admin/1", RequestID: "shown"}, loginevent.Succeeded{UserID: about})
	for name, c := range map[string]struct {
		who   *harness.Actor
		kind  string
		shown bool
	}{
		"superadmin's act to its object":  {bob, "login.failed", false},
		"superadmin's act to a member":    {member, "login.failed", false},
		"superadmin's act to superadmin":  {root, "login.failed", true},
		"owner's act to its object":       {member, "role.unassigned", false},
		"owner's act to its object apart": {bob, "role.unassigned", false},
		"owner's act to the owner":        {alice, "role.unassigned", true},
		"member's act to the owner":       {alice, "team_member.added", true},
		"member's act to the member":      {member, "team_member.added", true},
		"a stranger's try":                {bob, "login.succeeded", true},
	} {
		items := c.who.Do("AUDIT.SEARCH", harness.P{"type": c.kind, "request_id": "shown"}).OK().List("items")
		if len(items) != 1 {
			t.Errorf("%s: %d events", name, len(items))
			continue
		}
		if shown := items[0]["ip"] != nil || items[0]["user_agent"] != nil || items[0]["session_id"] != nil; shown != c.shown {
			t.Errorf("%s: %v", name, items[0])
		}
	}
}

func TestSearchRefuses(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	alice.Do("AUDIT.SEARCH", harness.P{"ip": "10.0.0"}).Fails(fault.Validation).Field("/ip")
	alice.Do("AUDIT.SEARCH", harness.P{"from": "2026-01-02T00:00:00Z", "to": "2026-01-01T00:00:00Z"}).Fails(fault.Validation).Field("/to")
}
