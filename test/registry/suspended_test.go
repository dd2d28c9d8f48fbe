package registry_test

import (
	"maps"
	"slices"
	"testing"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/test/harness"
)

// place is a workspace that is to be suspended and deleted, with what acts in it.
type place struct {
	*setup

	// home is its owner, active in another workspace.
	home         *harness.Actor
	key, machine *harness.Actor
}

// newPlace makes a workspace that its owner is active in, and things in it.
func newPlace(t *testing.T, h *harness.Service, root *harness.Actor) *place {
	t.Helper()
	p := &place{setup: newSetup(t, h, root, "alice")}
	p.home = h.Login(p.email, harness.Password)
	p.enter(p.owner.Do("TEAM.CREATE", P{"name": "Engines", "slug": "engines"}).OK().String("organization.id"))
	p.key = h.With(p.owner.Do("API_KEY.CREATE", P{"name": "acting", "scopes": []string{"*"}}).OK().String("key"))
	p.machine = p.owner.Machine("machine", "*")
	for _, name := range owned() {
		p.value(name)
	}
	return p
}

// owned are the fixtures of what a workspace owns.
func owned() []string {
	return []string{
		"app_id", "sec_", "key_", "rol_", "grp_", "inv_", "rsv_", "jti", "org_", "dom_", "rul_", "whk_", "dlv_", "product_id", "lpo_", "lic_", "mch_", "lse_",
	}
}

// expect fails the test unless a command is refused so.
func expect(t *testing.T, what string, r row, got *harness.Reply, want *fault.Error) {
	t.Helper()
	if got.Failure == nil || got.Failure.Code != want.Code || got.Failure.Message != want.Message {
		t.Errorf("%s %s: %s, want %v", r.Name, what, written(got), want)
	}
}

// Every command that acts in a workspace is refused while that is suspended, by whatever it
// is called, but for what deletes it; no command of the own account is, and of one that is open
// to anybody that alone which concerns what is owned. By a key or a machine
// none passes. Afterwards all are let in as before; and once the workspace is deleted it is
// for all commands as if it had never been, with what it owned.
func TestSuspendedAndDeleted(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) { suspendedAndDeleted(t, harness.On(t, database)) })
}

func suspendedAndDeleted(t *testing.T, h *harness.Service) {
	root := h.Superadmin()
	unlimited(root)
	p := newPlace(t, h, root)
	rows := table(t, h)
	inWorkspace := func(r row) bool {
		found, _ := h.Engine.Registry.Find(r.Name)
		return found.InWorkspace
	}
	suspended := func(got *harness.Reply) bool {
		return got.Failure != nil && got.Failure.Message == workspace.ErrSuspended.Message
	}
	act := 0
	root.Do("TEAM.DISABLE", P{"org_id": p.owner.OrgID}).OK()
	for _, r := range rows {
		probe := P{nonsense: 1}
		switch {
		case inWorkspace(r) && r.Name != "TEAM.DELETE":
			act++
			fromElsewhere := with(r.example, "org_id", p.owner.OrgID)
			if r.public() { // of it remains what anybody may do
				for _, got := range []*harness.Reply{p.owner.Do(r.Name, r.example), p.home.Do(r.Name, fromElsewhere)} {
					if got.Failure != nil {
						t.Errorf("%s in a suspended workspace, as anybody may call it: %s", r.Name, written(got))
					}
				}
				break
			}
			expect(t, "in a suspended workspace", r, p.owner.Do(r.Name, probe), workspace.ErrSuspended)
			expect(t, "from elsewhere", r, p.home.Do(r.Name, fromElsewhere), workspace.ErrSuspended)
		case suspended(p.owner.Do(r.Name, probe)):
			t.Errorf("%s is refused in a suspended workspace, though it does not act in one, or deletes it", r.Name)
		}
		if !r.public() {
			expect(t, "by a key of a suspended workspace", r, p.key.Do(r.Name, probe), workspace.ErrSuspended)
			expect(t, "by a machine of a suspended workspace", r, p.machine.Do(r.Name, probe), workspace.ErrSuspended)
		}
		if suspended(root.Do(r.Name, with(with(r.example, "org_id", p.owner.OrgID), nonsense, 1))) {
			t.Errorf("%s is refused to a superadmin", r.Name)
		}
	}
	if act < 50 {
		t.Errorf("only %d commands act in a workspace", act)
	}
	root.Do("TEAM.ENABLE", P{"org_id": p.owner.OrgID}).OK()
	for _, r := range rows {
		for _, by := range []*harness.Actor{p.owner, p.key, p.machine} {
			if suspended(by.Do(r.Name, P{nonsense: 1})) {
				t.Errorf("%s is still refused", r.Name)
			}
		}
	}

	alive := newSetup(t, h, root, "bob")
	root.Do("TEAM.DELETE", P{"org_id": p.owner.OrgID, "confirm_slug": "engines"}).OK()
	left := p.left()
	for _, r := range rows {
		p.absentTo(caller{Actor: root, name: "a superadmin", kind: access.Person, superadmin: true}, r, alive)
		p.absentTo(caller{Actor: left(), name: "a session that is not moved yet", kind: access.Person}, r, alive)
		if !inWorkspace(r) {
			continue
		}
		named := with(r.example, "org_id", p.owner.OrgID)
		for _, by := range []*harness.Actor{p.home, root} {
			if r.takes(access.Person) {
				expect(t, "in a deleted workspace", r, by.Do(r.Name, named), workspace.ErrNotFound)
			}
		}
	}
}

// left returns somebody whose session is one of those that are moved later: the clearing up
// has not come to it.
func (p *place) left() func() *harness.Actor {
	database, by := p.Store.Database(), p.home
	statement := database.Dialect.Placeholders(`UPDATE sessions SET org_id = ?, ended_at = NULL WHERE id = ?`)
	return func() *harness.Actor {
		p.t.Helper()
		if _, err := database.Write.ExecContext(p.t.Context(), statement, p.owner.OrgID, by.SessionID); err != nil {
			p.t.Fatal(err)
		}
		return by
	}
}

// staying are commands about what a deleted workspace does not take along: sessions are their
// people's wherever these act, and of an app that is gone a token may still be revoked.
func staying() []string { return []string{"SESSION.BULK_REVOKE", "M2M.REVOKE"} }

// absentTo calls a command with each thing that a deleted workspace owned: it is answered as
// one of nothing is.
func (p *place) absentTo(c caller, r row, alive *setup) {
	for name, schema := range r.properties {
		known := fixture(name, schema)
		if slices.Contains(staying(), r.Name) || !r.takes(access.Person) || !slices.Contains(owned(), known) {
			continue
		}
		theirs, params := p.fitting(schema, known), needed(r, alive.params(r))
		for _, other := range slices.Collect(maps.Keys(params)) {
			if other != name && slices.Contains(owned(), fixture(other, r.properties[other])) && c.Actor != p.root {
				params[other] = absent(params[other])
			}
		}
		got, want := c.Do(r.Name, with(params, name, theirs)), c.Do(r.Name, with(params, name, absent(theirs)))
		if written(got) != written(want) {
			p.t.Errorf("%s by %s: %s of a deleted workspace is answered by %s, of nothing by %s", r.Name, c.name, name, written(got), written(want))
		}
	}
}
