package contract

import (
	"context"
	"testing"
	"time"

	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Workspaces checks outbound.Workspaces and UserWorkspaces.
func Workspaces(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("keeps every field", w.workspacesRoundTrip)
	t.Run("refuses a stale copy", w.workspacesStale)
	t.Run("counts other owners", w.workspacesOwners)
	t.Run("finds the workspaces of a user", w.workspacesShared)
}

func (w *world) member(t *testing.T, org workspace.ID, person user.ID) *workspace.Member {
	t.Helper()
	var found *workspace.Member
	w.do(t, func(ctx context.Context, tx Repos) (err error) {
		found, err = tx.Workspaces.Member(ctx, org, person)
		return err
	})
	return found
}

func (w *world) workspacesRoundTrip(t *testing.T) {
	person := w.person(t, "member@example.com").ID()
	want := workspace.Snapshot{ID: like(w, workspace.ID("")), Name: "Łab 'A'", PersonalOf: person, CreatedAt: noon()}
	joined := workspace.MemberSnapshot{
		OrgID: want.ID, UserID: person, JoinedAt: noon(),
		Grants: []workspace.Grant{{Role: "owner"}, {Role: "auditor", ExpiresAt: noon().Add(time.Microsecond)}},
	}
	w.do(t, func(ctx context.Context, tx Repos) error {
		if err := tx.Workspaces.Save(ctx, workspace.Restore(want, 0)); err != nil {
			return err
		}
		if err := tx.Workspaces.SaveMember(ctx, workspace.RestoreMember(joined, 0)); err != nil {
			return err
		}
		found, err := tx.Workspaces.ByID(ctx, want.ID)
		if err == nil {
			equal(t, "the workspace", found.Snapshot(), want)
		}
		return err
	})
	equal(t, "the membership", w.member(t, want.ID, person).Snapshot(), joined)
	joined.Grants = nil
	w.do(t, func(ctx context.Context, tx Repos) error {
		return tx.Workspaces.SaveMember(ctx, workspace.RestoreMember(joined, 1))
	})
	equal(t, "the membership without roles", w.member(t, want.ID, person).Snapshot(), joined)

	w.fails(t, workspace.ErrNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.Workspaces.ByID(ctx, like(w, workspace.ID("")))
		return err
	})
	w.fails(t, workspace.ErrNotMember, func(ctx context.Context, tx Repos) error {
		_, err := tx.Workspaces.Member(ctx, want.ID, like(w, user.ID("")))
		return err
	})
}

func (w *world) workspacesStale(t *testing.T) {
	person := w.person(t, "stale-member@example.com").ID()
	org := w.team(t, false, role.Member, person)
	one, other := w.member(t, org, person), w.member(t, org, person)
	one.Assign(role.Admin, time.Time{})
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Workspaces.SaveMember(ctx, one) })
	other.Unassign(role.Member)
	w.conflicts(t, func(ctx context.Context, tx Repos) error { return tx.Workspaces.SaveMember(ctx, other) })
	w.conflicts(t, func(ctx context.Context, tx Repos) error {
		return tx.Workspaces.SaveMember(ctx, workspace.Join(org, person, role.Owner, noon()))
	})
	w.conflicts(t, func(ctx context.Context, tx Repos) error {
		return tx.Workspaces.Save(ctx, workspace.Restore(workspace.Snapshot{ID: org, CreatedAt: noon()}, 7))
	})
}

func (w *world) workspacesOwners(t *testing.T) {
	a, b, c := w.person(t, "a@example.com").ID(), w.person(t, "b@example.com").ID(), w.person(t, "c@example.com").ID()
	org := w.team(t, false, role.Owner, a, b)
	w.team(t, false, role.Owner, c)
	w.do(t, func(ctx context.Context, tx Repos) error {
		guest := workspace.Join(org, c, role.Member, noon())
		guest.Assign(role.Owner, noon().Add(time.Hour))
		guest.Assign("coowner", time.Time{})
		return tx.Workspaces.SaveMember(ctx, guest)
	})
	w.do(t, func(ctx context.Context, tx Repos) error {
		n, err := tx.Workspaces.OtherOwners(ctx, org, a)
		equal(t, "owners besides one", n, 1)
		return err
	})
	leave := func(who user.ID) func(func()) error {
		return func(held func()) error {
			return w.unit.Do(t.Context(), func(tx Repos) error {
				others, err := tx.Workspaces.OtherOwners(t.Context(), org, who)
				held()
				if err != nil || others == 0 {
					return err
				}
				m, err := tx.Workspaces.Member(t.Context(), org, who)
				if err != nil {
					return err
				}
				m.Unassign(role.Owner)
				return tx.Workspaces.SaveMember(t.Context(), m)
			})
		}
	}
	inTurn(t, leave(a), leave(b))
	equal(t, "the last owner stays", w.member(t, org, b).Holds(role.Owner, noon()), true)
}

func (w *world) workspacesShared(t *testing.T) {
	person := w.person(t, "shared-list@example.com").ID()
	w.do(t, func(ctx context.Context, tx Repos) error {
		none, err := tx.Own.Personal(ctx, person)
		equal(t, "the workspace of who has none", none, workspace.ID(""))
		return err
	})
	own := w.team(t, true, role.Owner, person)
	first, second := w.team(t, false, role.Member, person), w.team(t, false, role.Member, person)
	w.team(t, false, role.Member)
	guest := w.team(t, true, role.Admin, w.person(t, "host@example.com").ID(), person)
	w.do(t, func(ctx context.Context, tx Repos) error {
		got, err := tx.Own.Shared(ctx, person)
		if err != nil {
			return err
		}
		equal(t, "the shared workspaces", got, []workspace.ID{first, second, guest})
		personal, err := tx.Own.Personal(ctx, person)
		equal(t, "the personal workspace", personal, own)
		return err
	})
}
