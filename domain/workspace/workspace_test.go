package workspace_test

import (
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/workspace"
)

func now() time.Time { return time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC) }

func member() *workspace.Member {
	m := workspace.Join("org_01jd7x9k2mf3q8v5t0abcdefgh", "usr_01jd7x9k2mf3q8v5t0abcdefgh", "member", now())
	m.Stored()
	return m
}

func TestGrantEndsByItself(t *testing.T) {
	t.Parallel()
	m := member()
	m.Assign(workspace.Builtin("admin"), now().Add(time.Hour))
	for at, want := range map[time.Duration][]string{
		0: {"member", "admin"}, time.Hour - 1: {"member", "admin"}, time.Hour: {"member"},
	} {
		if got := m.Roles(now().Add(at)); !slices.Equal(got, want) {
			t.Errorf("Roles() after %v = %v, want %v", at, got, want)
		}
	}
}

func TestAssignReplacesTheSameRole(t *testing.T) {
	t.Parallel()
	m := member()
	m.Assign(workspace.Builtin("admin"), now().Add(time.Hour))
	m.Assign(workspace.Builtin("admin"), time.Time{})
	if got := m.Roles(now().AddDate(1, 0, 0)); !slices.Equal(got, []string{"member", "admin"}) {
		t.Errorf("Roles() = %v, want admin once and for good", got)
	}
}

func TestUnassign(t *testing.T) {
	t.Parallel()
	m := member()
	before := m.Snapshot()
	m.Unassign(workspace.Builtin("admin"))
	if m.Changed() {
		t.Error("taking a role that is not held is a change")
	}
	m.Unassign(workspace.Builtin("member"))
	if events := m.Stored(); len(events) != 1 || events[0].Kind() != workspace.KindRoleUnassigned || m.Holds("member", now()) {
		t.Errorf("Unassign() told %v and left %v", events, m.Roles(now()))
	}
	if len(before.Grants) != 1 || before.Grants[0].Role != "member" {
		t.Errorf("Unassign() changed an earlier snapshot to %v", before.Grants)
	}
}

// pointer is an address of a value.
func pointer[T any](value T) *T { return &value }

func TestUpdate(t *testing.T) {
	t.Parallel()
	w, err := workspace.New(workspace.Draft{ID: org, Owner: "usr_1", Name: "Engines", Slug: "engines", Metadata: map[string]any{"plan": "free"}}, now())
	if err != nil {
		t.Fatal(err)
	}
	if s := w.Snapshot(); s.DefaultRole != "member" || s.Personal() || s.Disabled() {
		t.Errorf("made as %+v", s)
	}
	w.Stored()
	same := workspace.Change{
		Name: pointer("Engines"), Slug: pointer(workspace.Slug("engines")), LogoURL: pointer(""), DefaultRole: pointer("member"),
		AllowedMethods: &[]workspace.Method{}, Metadata: map[string]any{"plan": "free", "absent": nil},
	}
	if err := w.Update(same); err != nil || w.Changed() {
		t.Errorf("what changes nothing: %v, changed %v", err, w.Changed())
	}
	err = w.Update(workspace.Change{
		Name: pointer("Looms"), Slug: pointer(workspace.Slug("looms")), LogoURL: pointer("https://example.com/l.png"), DefaultRole: pointer("admin"),
		AllowedMethods: &[]workspace.Method{workspace.ByPasskey}, Metadata: map[string]any{"plan": nil, "seats": 3.0},
	})
	events := w.Stored()
	if err != nil || len(events) != 1 || len(events[0].(workspace.Updated).Changed) != 6 {
		t.Fatalf("told %v, %v", events, err)
	}
	s := w.Snapshot()
	if s.Name != "Looms" || s.Slug != "looms" || s.LogoURL == "" || s.DefaultRole != "admin" || len(s.AllowedMethods) != 1 || len(s.Metadata) != 1 {
		t.Errorf("changed to %+v", s)
	}
	if err := w.Update(workspace.Change{Name: pointer("No"), Metadata: map[string]any{"n": 1e17}}); err == nil || w.Changed() || w.Snapshot().Name != "Looms" {
		t.Errorf("data that is out of bounds: %v, %+v", err, w.Snapshot())
	}
}
