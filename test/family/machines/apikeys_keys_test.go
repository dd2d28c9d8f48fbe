package machines_test

import (
	"context"
	"strings"
	"testing"

	"gatehouse.internal/adapters/sqlstore"
	workspacesstore "gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
	"gatehouse.internal/test/harness"
)

// keyStranger is the identifier of no key.
const keyStranger = "key_01jd7x9k2mf3q8v5t0abcdefgh"

// heldKey is an API key as its maker has it.
type heldKey struct {
	id, text string
	// holder calls with the key.
	holder *harness.Actor
}

// mint makes a key.
func mint(h *harness.Service, who *harness.Actor, scopes ...string) heldKey {
	return mintWith(h, who, harness.P{"scopes": append([]string{}, scopes...)})
}

func mintWith(h *harness.Service, who *harness.Actor, params harness.P) heldKey {
	all := harness.P{"name": "backup", "scopes": []string{}}
	for name, value := range params {
		all[name] = value
	}
	made := who.Do("API_KEY.CREATE", all).OK()
	return heldKey{made.String("api_key.id"), made.String("key"), h.With(made.String("key"))}
}

// join makes somebody a member of another's workspace.
func join(t *testing.T, h *harness.Service, who, owner *harness.Actor, role string) {
	t.Helper()
	changeMembers(t, h, func(tx workspaces.Workspaces) error {
		m := workspace.JoinOther(workspace.ID(owner.OrgID), user.ID(who.UserID), workspace.Builtin(role), h.Clock.Now())
		return tx.SaveMember(context.Background(), m)
	})
}

// demote takes a role of a member away and gives another one.
func demote(t *testing.T, h *harness.Service, who, owner *harness.Actor, from, to string) {
	t.Helper()
	changeMembers(t, h, func(tx workspaces.Workspaces) error {
		m, err := tx.Member(context.Background(), workspace.ID(owner.OrgID), user.ID(who.UserID))
		if err != nil {
			return err
		}
		m.Unassign(workspace.Builtin(from))
		m.Assign(workspace.Builtin(to), m.Snapshot().JoinedAt.AddDate(100, 0, 0))
		return tx.SaveMember(context.Background(), m)
	})
}

func changeMembers(t *testing.T, h *harness.Service, change func(workspaces.Workspaces) error) {
	t.Helper()
	unit := sqlstore.NewUnit(h.Store, func(tx *sqlstore.Tx) workspaces.Workspaces { return workspacesstore.Workspaces(tx) })
	if err := unit.Do(context.Background(), change); err != nil {
		t.Fatal(err)
	}
}

// enter makes somebody a member of another's workspace and logs them into it.
func enter(t *testing.T, h *harness.Service, who, owner *harness.Actor, email, role string) *harness.Actor {
	t.Helper()
	join(t, h, who, owner, role)
	pair := h.Anonymous().Do("AUTH.LOGIN", harness.P{"email": email, "password": harness.Password, "org_id": owner.OrgID}).OK()
	inside := h.With(pair.String("access_token"))
	inside.UserID, inside.OrgID = who.UserID, owner.OrgID
	return inside
}

// ids are the identifiers of the keys that a reply lists.
func ids(r *harness.Reply) []string {
	found := []string{}
	for _, item := range r.List("items") {
		id, _ := item["id"].(string)
		found = append(found, id)
	}
	return found
}

// keyAbout returns the events of a kind that are about a key, newest first.
func keyAbout(h *harness.Service, kind event.Kind, id string) []event.Record {
	var found []event.Record
	for _, r := range h.Events(kind) {
		if strings.Contains(string(r.Data), id) {
			found = append(found, r)
		}
	}
	return found
}
