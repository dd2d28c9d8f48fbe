package people_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	workspacesstore "gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
	"gatehouse.internal/test/harness"
)

// P keeps parameters short.
type P = harness.P

// userMember makes an account that belongs to a workspace, logged into it.
func userMember(h *harness.Service, root *harness.Actor, org, email, role string) *harness.Actor {
	made := root.Do("USER.CREATE", P{"email": email, "password": harness.Password, "org_id": org, "role": role}).OK()
	return within(h, made.String("user.id"), email, org)
}

// within logs somebody into a workspace, the personal one when it is empty.
func within(h *harness.Service, id, email, org string) *harness.Actor {
	params := P{"email": email, "password": harness.Password}
	if org != "" {
		params["org_id"] = org
	}
	pair := h.Anonymous().Do("AUTH.LOGIN", params).OK()
	a := h.With(pair.String("access_token"))
	a.UserID, a.OrgID, a.RefreshToken = id, org, pair.String("refresh_token")
	return a
}

// team stores a workspace that came with nobody's account.
func team(t *testing.T, h *harness.Service, owners ...string) string {
	t.Helper()
	id := workspace.NewID(system.IDs{})
	unit := sqlstore.NewUnit(h.Store, func(tx *sqlstore.Tx) workspaces.Workspaces { return workspacesstore.Workspaces(tx) })
	err := unit.Do(t.Context(), func(tx workspaces.Workspaces) error {
		made := workspace.Restore(workspace.Snapshot{ID: id, Name: "Engines", CreatedAt: h.Clock.Now()}, 0)
		if err := tx.Save(t.Context(), made); err != nil {
			return err
		}
		for _, owner := range owners {
			if err := tx.SaveMember(t.Context(), workspace.Join(id, user.ID(owner), "owner", h.Clock.Now())); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatalf("store a workspace: %v", err)
	}
	return id.String()
}

// lock lets wrong passwords lock an account.
func lock(h *harness.Service, email string) {
	for range 10 {
		h.Anonymous().Do("AUTH.LOGIN", P{"email": email, "password": "wrong"}).Fails(fault.Auth)
	}
}

// userAbout returns how many events of a kind are filed under a user.
func userAbout(h *harness.Service, kind event.Kind, userID string) int {
	n := 0
	for _, e := range h.Events(kind) {
		if e.UserID == userID {
			n++
		}
	}
	return n
}

func events(t *testing.T, h *harness.Service, userID string, want map[event.Kind]int) {
	t.Helper()
	for kind, n := range want {
		if got := userAbout(h, kind, userID); got != n {
			t.Errorf("%d events %s about %s, want %d", got, kind, userID, n)
		}
	}
}

func userSame(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// emails are the addresses of a page, in its order.
func emails(r *harness.Reply) []string {
	var all []string
	for _, item := range r.List("items") {
		all = append(all, item["email"].(string))
	}
	return all
}

// dryRunRaises checks the events that a dry run answers: each kind once, in their order, and
// how many there are of it.
func dryRunRaises(t *testing.T, r *harness.Reply, want ...string) {
	t.Helper()
	var kinds []string
	counts := harness.P{}
	for _, kind := range want {
		if counts[kind] == nil {
			kinds, counts[kind] = append(kinds, kind), 0.0
		}
		counts[kind] = counts[kind].(float64) + 1
	}
	answered := r.OK().Data["dry_run"].(harness.P)
	userSame(t, r.Strings("dry_run.events"), kinds)
	if got := answered["counts"]; !reflect.DeepEqual(got, counts) {
		t.Errorf("counts %v, want %v", got, counts)
	}
}

func at(when time.Time) string { return when.UTC().Format(time.RFC3339Nano) }

const (
	userNobody  = "usr_01jd7x9k2mf3q8v5t0abcdefgh"
	userNowhere = "org_01jd7x9k2mf3q8v5t0abcdefgh"
	strongPW    = "a quite different battery"
	// bcryptHash is that of upstreamPW in another system.
	bcryptHash = "$2a$04$26iWKg8CdNTzXm3iSkyS4uQJGxysx.0ZTSZGbN4SSO6V.aErOXaMW"
	upstreamPW = "upstream secret"
)

func long(n int) string { return strings.Repeat("x", n) }

// home returns the personal workspace of a person.
func home(t *testing.T, who *harness.Actor) string {
	t.Helper()
	for _, one := range who.Do("TEAM.LIST", nil).OK().List("items") {
		if one["personal"] == true {
			return one["id"].(string)
		}
	}
	t.Fatal("no personal workspace")
	return ""
}
