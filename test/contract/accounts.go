package contract

import (
	"context"
	"testing"
	"time"

	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// Accounts checks outbound.Accounts.
func Accounts(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("finds an account for a login", w.accountsForLogin)
	t.Run("lists memberships", w.accountsMemberships)
}

func (w *world) accountsForLogin(t *testing.T) {
	with, without := w.person(t, "With@example.com").ID(), w.person(t, "without@example.com").ID()
	w.do(t, func(ctx context.Context, tx Repos) error {
		return tx.Credentials.Save(ctx, credential.New(with, "hash", noon()))
	})
	for mail, want := range map[string]outbound.LoginAccount{
		"wITH@EXAMPLE.com":    {UserID: with, Hash: "hash"},
		"without@example.com": {UserID: without},
		"nobody@example.com":  {},
	} {
		got, found, err := w.store.Accounts().ForLogin(t.Context(), address(t, mail))
		is(t, mail, err, nil)
		equal(t, mail, got, want)
		equal(t, mail+" is there", found, want.UserID != "")
	}
}

func (w *world) accountsMemberships(t *testing.T) {
	person := w.person(t, "memberships@example.com").ID()
	late := w.team(t, false, role.Member)
	early := w.team(t, false, role.Admin)
	w.do(t, func(ctx context.Context, tx Repos) error {
		if err := tx.Workspaces.SaveMember(ctx, workspace.Join(late, person, role.Member, noon().Add(time.Microsecond))); err != nil {
			return err
		}
		return tx.Workspaces.SaveMember(ctx, workspace.Join(early, person, role.Admin, noon()))
	})
	own := w.team(t, true, role.Owner, person)
	got, err := w.store.Accounts().Memberships(t.Context(), person)
	is(t, "the memberships", err, nil)
	org := func(id workspace.ID, of user.ID) workspace.Snapshot {
		return workspace.Snapshot{ID: id, Name: "Engines", PersonalOf: of, CreatedAt: noon()}
	}
	equal(t, "the memberships", got, []outbound.Membership{
		{Org: org(own, person), Grants: []workspace.Grant{{Role: role.Owner}}, JoinedAt: noon()},
		{Org: org(early, ""), Grants: []workspace.Grant{{Role: role.Admin}}, JoinedAt: noon()},
		{Org: org(late, ""), Grants: []workspace.Grant{{Role: role.Member}}, JoinedAt: noon().Add(time.Microsecond)},
	})
	none, err := w.store.Accounts().Memberships(t.Context(), "usr_nobody")
	is(t, "the memberships of nobody", err, nil)
	equal(t, "the memberships of nobody", len(none), 0)
}
