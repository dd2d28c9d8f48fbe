package contract

import (
	"context"
	"testing"

	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// Entrants checks outbound.Entrants: it reads what the repositories of each part read.
func Entrants(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("reads all of somebody who enters their own workspace", w.entrantWhole)
	t.Run("reads the place in the workspace that is named", w.entrantShared)
	t.Run("reads who has no place there", w.entrantStranger)
	t.Run("misses who is not there", w.entrantGone)
}

func (w *world) entrant(t *testing.T, person user.ID, org workspace.ID) outbound.Entrant {
	t.Helper()
	var found outbound.Entrant
	w.do(t, func(ctx context.Context, tx Repos) (err error) {
		found, err = tx.Entrants.Entrant(ctx, outbound.Entering{Person: person, Org: org})
		return err
	})
	return found
}

func (w *world) entrantWhole(t *testing.T) {
	person := w.person(t, "whole-entrant@example.com").ID()
	own := w.team(t, true, role.Owner, person)
	w.team(t, false, role.Member, person)
	w.enrolled(t, person)
	w.passkeyRow(t, person, false)
	w.passkeyRow(t, w.person(t, "other-entrant@example.com").ID(), false)
	for _, org := range []workspace.ID{"", own} {
		got := w.entrant(t, person, org)
		w.do(t, func(ctx context.Context, tx Repos) error {
			account, err := tx.Users.ByID(ctx, person)
			if err != nil {
				return err
			}
			equal(t, "the account", got.User.Snapshot(), account.Snapshot())
			equal(t, "its version", got.User.Version(), account.Version())
			member, err := tx.Workspaces.Member(ctx, own, person)
			if err != nil {
				return err
			}
			equal(t, "the membership", got.Member.Snapshot(), member.Snapshot())
			equal(t, "its version", got.Member.Version(), member.Version())
			return nil
		})
		factors := w.factors(t, person)
		equal(t, "the factors", got.Factors.Snapshot(), factors.Snapshot())
		equal(t, "their version", got.Factors.Version(), factors.Version())
		equal(t, "whether there is a passkey", got.Passkey, true)
	}
}

func (w *world) entrantShared(t *testing.T) {
	person := w.person(t, "shared-entrant@example.com").ID()
	w.team(t, true, role.Owner, person)
	shared := w.team(t, false, role.Admin, w.person(t, "host-entrant@example.com").ID(), person)
	got := w.entrant(t, person, shared)
	equal(t, "the workspace", got.Member.Snapshot().OrgID, shared)
	equal(t, "the person", got.Member.Snapshot().UserID, person)
	equal(t, "the roles", got.Member.Roles(noon()), []string{role.Admin})
	equal(t, "whether there is a factor", got.Factors.Enrolled(), false)
	equal(t, "whose factors", got.Factors.Snapshot().UserID, person)
	equal(t, "whether there is a passkey", got.Passkey, false)
}

func (w *world) entrantStranger(t *testing.T) {
	person := w.person(t, "strange-entrant@example.com").ID()
	host := w.person(t, "visited-entrant@example.com").ID()
	for _, org := range []workspace.ID{"", w.team(t, true, role.Owner, host), w.team(t, false, role.Owner, host), like(w, workspace.ID(""))} {
		got := w.entrant(t, person, org)
		if got.Member != nil {
			t.Errorf("in %q: %+v", org, got.Member.Snapshot())
		}
		equal(t, "the account", got.User.ID(), person)
	}
}

func (w *world) entrantGone(t *testing.T) {
	w.fails(t, user.ErrNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.Entrants.Entrant(ctx, outbound.Entering{Person: like(w, user.ID(""))})
		return err
	})
}
