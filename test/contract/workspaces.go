package contract

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/ops"
	"gatehouse.internal/ports/outbound/workspaces"
)

// Workspaces checks workspaces.Workspaces and UserWorkspaces.
func Workspaces(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("keeps every field", w.workspacesRoundTrip)
	t.Run("refuses a stale copy", w.workspacesStale)
	t.Run("counts other owners", w.workspacesOwners)
	t.Run("counts no owners who cannot act", w.workspacesDisabledOwners)
	t.Run("finds the workspaces of a user", w.workspacesShared)
	t.Run("removes members", w.membersRemoved)
	t.Run("counts guests", w.guests)
	t.Run("lets nobody join what goes", w.guestsAtOnce)
	t.Run("gives a slug to one workspace", w.slugsTaken)
	t.Run("gives a slug to one of two at once", w.slugsAtOnce)
	t.Run("gives nobody a slug that is given up at once", w.slugsGivenUp)
	t.Run("deletes", w.workspacesDeleted)
	t.Run("empties what was deleted", w.workspacesEmptied)
	t.Run("counts what somebody owns", w.workspacesOwned)
	t.Run("counts for one who makes two at once", w.workspacesOwnedAtOnce)
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
	want := workspace.Snapshot{
		ID: like(w, workspace.ID("")), Name: "Łab 'A'", Slug: "lab-a", PersonalOf: person, LogoURL: "https://example.com/l.png", DefaultRole: role.Admin,
		AllowedMethods: []workspace.Method{workspace.ByPasskey, workspace.BySSO}, Metadata: map[string]any{"plan": "free"},
		DisabledAt: noon().Add(time.Hour), DisabledWhy: "unpaid", CreatedAt: noon(),
	}
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
	one.Assign(workspace.Builtin(role.Admin), time.Time{})
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Workspaces.SaveMember(ctx, one) })
	other.Unassign(workspace.Builtin(role.Member))
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
		guest.Assign(workspace.Builtin(role.Owner), noon().Add(time.Hour))
		guest.Assign(workspace.Builtin("coowner"), time.Time{})
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
				m.Unassign(workspace.Builtin(role.Owner))
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

// slugged is a workspace that was never stored, with a slug.
func (w *world) slugged(slug workspace.Slug) *workspace.Workspace {
	return workspace.Restore(workspace.Snapshot{ID: like(w, workspace.ID("")), Name: "Engines", Slug: slug, CreatedAt: noon()}, 0)
}

// workspace reads a workspace.
func (w *world) workspace(t *testing.T, id workspace.ID) *workspace.Workspace {
	t.Helper()
	var found *workspace.Workspace
	w.do(t, func(ctx context.Context, tx Repos) (err error) {
		found, err = tx.Workspaces.ByID(ctx, id)
		return err
	})
	return found
}

func (w *world) founded(t *testing.T, made *workspace.Workspace) *workspace.Workspace {
	t.Helper()
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Workspaces.Save(ctx, made) })
	return w.workspace(t, made.ID())
}

// renamed stores a workspace under another slug, and returns how that ended.
func (w *world) renamed(t *testing.T, of *workspace.Workspace, slug workspace.Slug) error {
	t.Helper()
	if err := of.Update(workspace.Change{Slug: &slug}); err != nil {
		t.Fatal(err)
	}
	return w.unit.Do(t.Context(), func(tx Repos) error { return tx.Workspaces.Save(t.Context(), of) })
}

func (w *world) slugTaken(t *testing.T, slug workspace.Slug) (taken bool) {
	t.Helper()
	w.do(t, func(ctx context.Context, tx Repos) (err error) {
		taken, err = tx.CreationLimits.SlugTaken(ctx, slug)
		return err
	})
	return taken
}

func (w *world) slugsTaken(t *testing.T) {
	one, other := w.founded(t, w.slugged("taken")), w.founded(t, w.slugged("other"))
	equal(t, "a slug that is there", w.slugTaken(t, "taken"), true)
	equal(t, "a slug that is not", w.slugTaken(t, "free"), false)
	w.fails(t, workspace.ErrSlugTaken, func(ctx context.Context, tx Repos) error { return tx.Workspaces.Save(ctx, w.slugged("taken")) })
	// The transaction goes on after a refusal.
	w.do(t, func(ctx context.Context, tx Repos) error {
		to := workspace.Slug("taken")
		if err := other.Update(workspace.Change{Slug: &to}); err != nil {
			return err
		}
		is(t, "a slug of another", tx.Workspaces.Save(ctx, other), workspace.ErrSlugTaken)
		_, err := tx.Workspaces.ByID(ctx, other.ID())
		return err
	})
	is(t, "giving it up", w.renamed(t, one, "renamed"), nil)
	equal(t, "a slug that was given up", w.slugTaken(t, "taken"), true)
	w.fails(t, workspace.ErrSlugTaken, func(ctx context.Context, tx Repos) error { return tx.Workspaces.Save(ctx, w.slugged("taken")) })
	is(t, "having it back", w.renamed(t, w.workspace(t, one.ID()), "taken"), nil)
	is(t, "giving it up again", w.renamed(t, w.workspace(t, one.ID()), "renamed"), nil)
	w.clock.move(workspace.SlugReserved)
	defer w.clock.move(-workspace.SlugReserved)
	equal(t, "a slug that is not reserved any more", w.slugTaken(t, "taken"), false)
	equal(t, "purged", w.purge(t, ops.PurgeSlugs, w.clock.Now()) > 0, true)
	is(t, "taking it", w.renamed(t, w.workspace(t, other.ID()), "taken"), nil)
}

// slugsAtOnce lets two workspaces take a slug: the second waits, and is refused.
func (w *world) slugsAtOnce(t *testing.T) {
	var taken atomic.Int64
	take := func(made *workspace.Workspace) func(func()) error {
		return func(held func()) error {
			err := w.unit.Do(t.Context(), func(tx Repos) error {
				err := tx.Workspaces.Save(t.Context(), made)
				held()
				return err
			})
			if errors.Is(err, workspace.ErrSlugTaken) {
				return nil
			}
			taken.Add(1)
			return err
		}
	}
	inTurn(t, take(w.slugged("at-once")), take(w.slugged("at-once")))
	equal(t, "workspaces of the slug", taken.Load(), int64(1))
}

// slugsGivenUp lets one workspace give a slug up while another takes it: the second waits
// for the index, and meets the reservation.
func (w *world) slugsGivenUp(t *testing.T) {
	one := w.founded(t, w.slugged("given-up"))
	giveUp := func(held func()) error {
		return w.unit.Do(t.Context(), func(tx Repos) error {
			to := workspace.Slug("kept")
			if err := one.Update(workspace.Change{Slug: &to}); err != nil {
				return err
			}
			err := tx.Workspaces.Save(t.Context(), one)
			held()
			return err
		})
	}
	inTurn(t, giveUp, func(done func()) error {
		err := w.unit.Do(t.Context(), func(tx Repos) error { return tx.Workspaces.Save(t.Context(), w.slugged("given-up")) })
		done()
		if errors.Is(err, workspace.ErrSlugTaken) {
			return nil
		}
		return errors.Join(errors.New("a slug that was given up is taken at once"), err)
	})
}

func (w *world) workspacesOwned(t *testing.T) {
	person, mate := w.person(t, "owns@example.com").ID(), w.person(t, "owns-too@example.com").ID()
	w.team(t, true, role.Owner, person)
	w.team(t, false, role.Owner, person, mate)
	w.team(t, false, role.Owner, person)
	w.team(t, false, role.Admin, person)
	w.do(t, func(ctx context.Context, tx Repos) error {
		n, err := tx.CreationLimits.Owned(ctx, person)
		equal(t, "owned workspaces", n, 2)
		return err
	})
}

func (w *world) workspacesOwnedAtOnce(t *testing.T) {
	person := w.person(t, "owns-one@example.com").ID()
	found := func(held func()) error {
		return w.unit.Do(t.Context(), func(tx Repos) error {
			owned, err := tx.CreationLimits.Owned(t.Context(), person)
			held()
			if err != nil || owned > 0 {
				return err
			}
			made := w.slugged("")
			if err := tx.Workspaces.Save(t.Context(), made); err != nil {
				return err
			}
			return tx.Workspaces.SaveMember(t.Context(), workspace.Join(made.ID(), person, role.Owner, noon()))
		})
	}
	inTurn(t, found, found)
	owned, err := w.store.Accounts.Memberships(t.Context(), person)
	is(t, "the memberships", err, nil)
	equal(t, "owned workspaces", len(owned), 1)
}

// workspacesDisabledOwners counts owners whose accounts may be used, also after they
// could not for a while.
func (w *world) workspacesDisabledOwners(t *testing.T) {
	a, b := w.person(t, "acts@example.com"), w.person(t, "acts-not@example.com")
	org := w.team(t, false, role.Owner, a.ID(), b.ID())
	others := func(want int) {
		w.do(t, func(ctx context.Context, tx Repos) error {
			n, err := tx.Workspaces.OtherOwners(ctx, org, a.ID())
			equal(t, "owners besides one", n, want)
			return err
		})
	}
	others(1)
	s := b.Snapshot()
	s.Status, s.DisabledUntil = user.Disabled, noon().Add(time.Hour)
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Users.Save(ctx, user.Restore(s, b.Version())) })
	others(0)
	w.clock.move(time.Hour)
	defer w.clock.move(-time.Hour)
	others(1)
}

// WorkspaceDirectory checks workspaces.WorkspaceDirectory.
func WorkspaceDirectory(t *testing.T, open Opener) {
	w := newWorld(t, open)
	ada, grace := w.person(t, "ada@example.com").ID(), w.person(t, "grace@example.com").ID()
	var all []workspace.ID
	for i, name := range []string{"Engines", "Enigmas", "Looms"} {
		made := w.founded(t, workspace.Restore(workspace.Snapshot{
			ID: like(w, workspace.ID("")), Name: name, Slug: workspace.Slug(fmt.Sprintf("s%d-x", i)), CreatedAt: noon(), Metadata: map[string]any{"n": float64(i)},
		}, 0))
		all = append(all, made.ID())
	}
	for i, members := range [][]user.ID{{ada}, {ada, grace}, {grace}} {
		for _, person := range members {
			w.do(t, func(ctx context.Context, tx Repos) error {
				return tx.Workspaces.SaveMember(ctx, workspace.Join(all[i], person, role.Member, noon()))
			})
		}
	}
	d := w.store.WorkspaceDirectory
	for _, c := range []struct {
		what  string
		query workspaces.WorkspaceQuery
		want  []int
	}{
		{"all", workspaces.WorkspaceQuery{}, []int{2, 1, 0}},
		{"the newest", workspaces.WorkspaceQuery{Limit: 1}, []int{2}},
		{"older ones", workspaces.WorkspaceQuery{Before: all[2], Limit: 5}, []int{1, 0}},
		{"those of somebody", workspaces.WorkspaceQuery{Member: ada}, []int{1, 0}},
		{"the next of somebody", workspaces.WorkspaceQuery{Member: grace, Before: all[2]}, []int{1}},
		{"by a beginning", workspaces.WorkspaceQuery{Text: "EN"}, []int{1, 0}},
		{"by a slug", workspaces.WorkspaceQuery{Text: "s2-"}, []int{2}},
		{"those of somebody by a beginning", workspaces.WorkspaceQuery{Member: grace, Text: "en"}, []int{1}},
		{"by what stands elsewhere", workspaces.WorkspaceQuery{Text: "gines"}, nil},
	} {
		found, err := d.List(t.Context(), c.query)
		var got []int
		for _, one := range found {
			got = append(got, slices.Index(all, one.ID))
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v, want %v", c.what, got, err, c.want)
		}
	}
	found, err := d.Find(t.Context(), all[1])
	is(t, "finding one", err, nil)
	equal(t, "the one found", found, w.workspace(t, all[1]).Snapshot())
	n, err := d.Members(t.Context(), all[1])
	is(t, "counting", err, nil)
	equal(t, "its members", n, 2)
}
