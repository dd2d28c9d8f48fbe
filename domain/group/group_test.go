package group_test

import (
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/group"
	"gatehouse.internal/domain/workspace"
)

func noon() time.Time { return time.Date(2026, time.November, 28, 12, 0, 0, 0, time.UTC) }

func roles(keys ...string) []workspace.RoleRef {
	var list []workspace.RoleRef
	for _, key := range keys {
		list = append(list, workspace.RoleRef{Key: key, Name: "the " + key})
	}
	return list
}

func formed() *group.Group {
	return group.Form(group.Draft{ID: "grp_1", OrgID: "org_1", Name: "Ops", Roles: roles("editor", "admin", "editor")}, noon())
}

// Every verb, and the same again, which tells nothing.
func TestChanges(t *testing.T) {
	t.Parallel()
	label, same, text := workspace.Label("Operations"), workspace.Label("Ops"), "on call"
	later := noon().Add(time.Hour)
	for name, c := range map[string]struct {
		do    func(*group.Group)
		told  event.Kind
		moved bool
	}{
		"another name": {func(g *group.Group) { g.Update(group.Change{Name: &label}, later) }, group.KindUpdated, true},
		"everything": {func(g *group.Group) {
			g.Update(group.Change{Name: &label, Description: &text, ExternalID: &text}, later)
		}, group.KindUpdated, true},
		"the same name":            {func(g *group.Group) { g.Update(group.Change{Name: &same}, later) }, "", false},
		"nothing":                  {func(g *group.Group) { g.Update(group.Change{}, later) }, "", false},
		"other roles":              {func(g *group.Group) { g.SetRoles(roles("viewer"), later) }, group.KindRolesSet, true},
		"no roles":                 {func(g *group.Group) { g.SetRoles(nil, later) }, group.KindRolesSet, true},
		"the same roles, reversed": {func(g *group.Group) { g.SetRoles(roles("editor", "admin"), later) }, "", false},
		"an end":                   {func(g *group.Group) { g.Delete() }, group.KindDeleted, false},
	} {
		g := group.Restore(formed().Snapshot(), 1)
		c.do(g)
		var told []event.Kind
		for _, data := range g.Stored() {
			told = append(told, data.Kind())
		}
		var want []event.Kind
		if c.told != "" {
			want = []event.Kind{c.told}
		}
		if !slices.Equal(told, want) {
			t.Errorf("%s: got events %v, want %v", name, told, want)
		}
		if got := g.Snapshot().UpdatedAt.Equal(later); got != c.moved {
			t.Errorf("%s: UpdatedAt moved: got %v, want %v", name, got, c.moved)
		}
	}
}

func TestRolesAreHeldOnce(t *testing.T) {
	t.Parallel()
	g := formed()
	if got, want := g.Snapshot().Roles, []string{"admin", "editor"}; !slices.Equal(got, want) {
		t.Errorf("Roles = %v, want %v", got, want)
	}
	if told := g.Stored(); len(told) != 1 || told[0].Kind() != group.KindCreated {
		t.Errorf("events of a new group: got %v, want %s", told, group.KindCreated)
	}
	if g.SetRoles(nil, noon()); len(g.Snapshot().Roles) != 0 {
		t.Errorf("Roles after none were set = %v, want none", g.Snapshot().Roles)
	}
}
