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
	m.Assign("admin", now().Add(time.Hour))
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
	m.Assign("admin", now().Add(time.Hour))
	m.Assign("admin", time.Time{})
	if got := m.Roles(now().AddDate(1, 0, 0)); !slices.Equal(got, []string{"member", "admin"}) {
		t.Errorf("Roles() = %v, want admin once and for good", got)
	}
}

func TestUnassign(t *testing.T) {
	t.Parallel()
	m := member()
	before := m.Snapshot()
	m.Unassign("admin")
	if m.Changed() {
		t.Error("taking a role that is not held is a change")
	}
	m.Unassign("member")
	if told := m.Stored(); len(told) != 1 || told[0].Kind() != workspace.KindRoleUnassigned || m.Holds("member", now()) {
		t.Errorf("Unassign() told %v and left %v", told, m.Roles(now()))
	}
	if len(before.Grants) != 1 || before.Grants[0].Role != "member" {
		t.Errorf("Unassign() changed an earlier snapshot to %v", before.Grants)
	}
}
