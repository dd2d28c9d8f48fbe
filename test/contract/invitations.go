package contract

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/invitation"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
)

// Invitations checks workspaces.Invitations and InvitationDirectory.
func Invitations(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("keeps every field", w.invitationsRoundTrip)
	t.Run("has one open for an address", w.invitationsOpen)
	t.Run("lists by status", w.invitationsListed)
}

// host stores a workspace.
func (w *world) host(t *testing.T) workspace.ID {
	t.Helper()
	id := like(w, workspace.ID(""))
	w.do(t, func(ctx context.Context, tx Repos) error {
		return tx.Workspaces.Save(ctx, workspace.Restore(workspace.Snapshot{ID: id, Name: "Lab", Slug: workspace.Slug(id[len(id)-12:]), DefaultRole: role.Member, CreatedAt: noon()}, 0))
	})
	return id
}

func (w *world) invitation(org workspace.ID, address string) invitation.Snapshot {
	return invitation.Snapshot{
		ID: like(w, invitation.ID("")), OrgID: org, Email: email.Restore(address), Role: role.Member, Message: "Grüße",
		By: invitation.Sender{App: app.ID("0193c1a2-7b1e-7c3d-9a5f-0123456789ab")}, Round: 1,
		CreatedAt: noon(), SentAt: noon().Add(time.Hour), ExpiresAt: noon().Add(2 * time.Hour),
	}
}

func (w *world) invitationsRoundTrip(t *testing.T) {
	want := w.invitation(w.host(t), "Guest@example.com")
	w.do(t, func(ctx context.Context, tx Repos) error {
		return tx.Invitations.Save(ctx, invitation.Restore(want, 0))
	})
	w.do(t, func(ctx context.Context, tx Repos) error {
		found, err := tx.Invitations.Open(ctx, want.OrgID, email.Restore("guest@example.com"))
		if err != nil {
			return err
		}
		equal(t, "the open invitation", found.Snapshot(), want)
		want = found.Snapshot()
		want.Ended, want.EndedAt, want.AcceptedBy, want.Round = invitation.Accepted, noon().Add(90*time.Minute), "usr_01jd7x9k2mf3q8v5t0abcdefgh", 2
		want.By = invitation.Sender{User: "usr_01jd7x9k2mf3q8v5t0abcdefgx"}
		return tx.Invitations.Save(ctx, invitation.Restore(want, found.Version()))
	})
	found, err := w.store.Invitations.Find(t.Context(), want.ID)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "the invitation", found, want)
	w.fails(t, invitation.ErrNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.Invitations.Open(ctx, want.OrgID, want.Email)
		return err
	})
	w.fails(t, invitation.ErrNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.Invitations.ByID(ctx, like(w, invitation.ID("")))
		return err
	})
	w.fails(t, aggregate.ErrConflict, func(ctx context.Context, tx Repos) error {
		return tx.Invitations.Save(ctx, invitation.Restore(want, 1))
	})
}

func (w *world) invitationsOpen(t *testing.T) {
	org := w.host(t)
	first := w.invitation(org, "guest@example.com")
	w.do(t, func(ctx context.Context, tx Repos) error {
		return tx.Invitations.Save(ctx, invitation.Restore(first, 0))
	})
	w.fails(t, aggregate.ErrConflict, func(ctx context.Context, tx Repos) error {
		return tx.Invitations.Save(ctx, invitation.Restore(w.invitation(org, "GUEST@example.com"), 0))
	})
	w.do(t, func(ctx context.Context, tx Repos) error {
		found, err := tx.Invitations.ByID(ctx, first.ID)
		if err != nil {
			return err
		}
		if err := found.Revoke(invitation.ByHand, noon().Add(time.Hour)); err != nil {
			return err
		}
		return tx.Invitations.Save(ctx, found)
	})
	w.do(t, func(ctx context.Context, tx Repos) error {
		return tx.Invitations.Save(ctx, invitation.Restore(w.invitation(org, "GUEST@example.com"), 0))
	})
}

func (w *world) invitationsListed(t *testing.T) {
	org, person := w.host(t), w.person(t, "listed@example.com")
	ended := map[invitation.Status]invitation.ID{}
	for _, status := range []invitation.Status{invitation.Pending, invitation.Expired, invitation.Accepted, invitation.Revoked} {
		one := w.invitation(org, string(status)+"@example.com")
		switch status {
		case invitation.Pending: // as it is made
		case invitation.Expired:
			one.ExpiresAt = noon().Add(time.Minute)
		case invitation.Accepted, invitation.Revoked:
			one.Ended, one.EndedAt = status, noon()
		}
		ended[status] = one.ID
		w.do(t, func(ctx context.Context, tx Repos) error { return tx.Invitations.Save(ctx, invitation.Restore(one, 0)) })
	}
	directory := w.store.Invitations
	list := func(q workspaces.InvitationQuery) (ids []invitation.ID) {
		q.Org, q.Now = org, noon().Add(time.Minute)
		found, err := directory.List(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range found {
			ids = append(ids, one.ID)
		}
		return ids
	}
	for status, id := range ended {
		if got := list(workspaces.InvitationQuery{Status: status}); !slices.Equal(got, []invitation.ID{id}) {
			t.Errorf("%s: %v", status, got)
		}
	}
	all := list(workspaces.InvitationQuery{})
	if len(all) != len(ended) || !slices.IsSortedFunc(all, func(a, b invitation.ID) int { return cmp.Compare(b, a) }) {
		t.Errorf("listed %v", all)
	}
	if got := list(workspaces.InvitationQuery{Before: all[1], Limit: 1}); !slices.Equal(got, all[2:3]) {
		t.Errorf("the next is %v", got)
	}
	for _, member := range []bool{false, true} {
		if got, err := directory.Belongs(t.Context(), org, email.Restore("LISTED@example.com")); err != nil || got != member {
			t.Errorf("belongs: %t, %v", got, err)
		}
		w.do(t, func(ctx context.Context, tx Repos) error {
			err := tx.Workspaces.SaveMember(ctx, workspace.Join(org, person.ID(), role.Member, noon()))
			if errors.Is(err, aggregate.ErrConflict) {
				return nil
			}
			return err
		})
	}
}
