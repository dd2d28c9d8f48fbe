package people_test

import (
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/test/harness"
)

const relatedModel = `model
  schema 1.1
type user
type group
  relations
    define member: [user]
type docs
  relations
    define edit: [user, group#member, user with hours]
    define view: [user:*] or edit
condition hours(open: bool) { open }`

// wantHolders holds who may do something, read in pages of one, against what is wanted.
func wantHolders(t *testing.T, w house, want map[string]string) {
	t.Helper()
	for what, wanted := range want {
		resource, action, _ := strings.Cut(what, " ")
		var found []string
		ask := pair(resource, action)
		ask["limit"] = 1
		for {
			got := w.alice.Do("PERMISSION.HOLDER_LIST", ask).OK()
			for _, one := range got.List("items") {
				found = append(found, one["user_id"].(string))
				holder := pair(resource, action)
				holder["user_id"] = one["user_id"]
				wantCheck(t, w.alice.Do("PERMISSION.CHECK", holder).OK(), one["via"].(string))
			}
			cursor, more := got.Data["next_cursor"].(string)
			if !more {
				break
			}
			ask["cursor"] = cursor
		}
		if got := strings.Join(found, " "); got != wanted {
			t.Errorf("%s: %q may, want %q", what, got, wanted)
		}
	}
}

// Where the model gives the type a relation of the action's name, that decides about one
// thing, whatever roles say; about the type, other actions and other types roles decide.
func TestCheckByRelation(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h := harness.On(t, database)
		w := house{Service: h, alice: h.SignUp("alice@example.com"), bob: h.SignUp("bob@example.com"), root: h.Superadmin()}
		w.join(t, w.bob, role.Member, time.Time{})
		wantCheck(t, w.alice.Do("PERMISSION.CHECK", pair("docs/1", "edit")).OK(), "role:owner")
		w.alice.Do("RELATION.MODEL_SET", harness.P{"model": relatedModel}).OK()
		tuple := func(object, relation, subject string) harness.P {
			return harness.P{"object": object, "relation": relation, "subject": subject}
		}
		conditional := tuple("docs:3", "edit", "user:"+w.bob.UserID)
		conditional["condition"] = harness.P{"name": "hours"}
		w.alice.Do("RELATION.WRITE", harness.P{"tuples": []harness.P{
			tuple("docs:1", "edit", "user:"+w.bob.UserID), tuple("docs:2", "view", "user:*"), conditional,
		}}).OK()
		bob := w.entered("bob@example.com")
		for _, c := range []struct{ resource, action, alice, bob string }{
			{"docs/1", "edit", "", "relation:edit"},
			{"docs/1", "view", "", "relation:view"},
			{"docs/2", "view", "relation:view", "relation:view"},
			{"docs/2", "edit", "", ""},
			{"docs/a:b", "edit", "", ""},
			{"docs/*", "view", "", ""},
			{"docs", "edit", "role:owner", ""},
			{"docs/1", "delete", "role:owner", ""},
			{"users/1", "read", "role:owner", "role:member"},
		} {
			wantCheck(t, w.alice.Do("PERMISSION.CHECK", pair(c.resource, c.action)).OK(), c.alice)
			wantCheck(t, bob.Do("PERMISSION.CHECK", pair(c.resource, c.action)).OK(), c.bob)
			wantCheck(t, w.alice.Do("PERMISSION.CHECK", permissionAbout(w.bob, c.resource, c.action)).OK(), c.bob)
			wantCheck(t, w.root.Do("PERMISSION.CHECK", in(w.alice.OrgID, pair(c.resource, c.action))).OK(), "superadmin")
		}
		bob.Do("PERMISSION.CHECK", pair("docs/3", "edit")).Fails(fault.Validation).Field("/resource")
		wantHolders(t, w, map[string]string{
			"docs/1 edit": w.bob.UserID, "docs/1 view": w.bob.UserID, "docs/2 view": w.alice.UserID + " " + w.bob.UserID, "docs/2 edit": "",
			"docs/a:b edit": "", "docs/* view": "", "docs edit": w.alice.UserID, "docs/1 delete": w.alice.UserID,
		})
		w.alice.Do("PERMISSION.HOLDER_LIST", pair("docs/3", "edit")).Fails(fault.Validation).Field("/resource")
		checks := []harness.P{pair("docs", "edit"), pair("docs/2", "edit"), pair("docs/1", "edit"), pair("users/1", "read")}
		got := bob.Do("PERMISSION.BULK_CHECK", harness.P{"checks": checks}).OK().List("results")
		for i, want := range []bool{false, false, true, true} {
			if got[i]["allowed"] != want {
				t.Errorf("%v: allowed %v, want %t", checks[i], got[i]["allowed"], want)
			}
		}
		bob.Do("PERMISSION.BULK_CHECK", harness.P{"checks": append(checks, pair("docs/3", "edit"))}).Fails(fault.Validation).Field("/checks/4/resource")

		// A key knows no more than its scopes, and its owner's relations.
		key := func(scope string) *harness.Actor {
			return h.With(bob.Do("API_KEY.CREATE", harness.P{"name": scope, "scopes": []string{scope}}).OK().String("key"))
		}
		wantCheck(t, key("members:read").Do("PERMISSION.CHECK", pair("docs/1", "edit")).OK(), "")

		// Who is disabled may do nothing, related or not.
		w.root.Do("USER.DISABLE", harness.P{"user_id": w.bob.UserID}).OK()
		wantCheck(t, w.alice.Do("PERMISSION.CHECK", permissionAbout(w.bob, "docs/1", "edit")).OK(), "")
		wantHolders(t, w, map[string]string{"docs/1 edit": "", "docs/2 view": w.alice.UserID})
	})
}
