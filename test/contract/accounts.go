package contract

import (
	"context"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/people"
)

// Accounts checks people.Accounts.
func Accounts(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("finds an account for a login", w.accountsForLogin)
	t.Run("tells a login the forms of hashes", func(t *testing.T) { newWorld(t, open).accountsForms(t) })
	t.Run("lists memberships", w.accountsMemberships)
	t.Run("tells the standing of somebody", w.accountsStanding)
}

func (w *world) accountsStanding(t *testing.T) {
	with, without, emptied := w.person(t, "standing.with@example.com").ID(), w.person(t, "standing.without@example.com").ID(), w.person(t, "standing.emptied@example.com").ID()
	w.do(t, func(ctx context.Context, tx Repos) error {
		if err := tx.Credentials.Save(ctx, credential.New(emptied, "", noon())); err != nil {
			return err
		}
		return tx.Credentials.Save(ctx, credential.New(with, "hash", noon()))
	})
	org := w.team(t, false, role.Member)
	for name, c := range map[string]struct {
		person user.ID
		org    workspace.ID
		want   people.Standing
	}{
		"a password and a workspace":  {with, org, people.Standing{HasPassword: true, Workspace: "Engines"}},
		"no credential":               {without, org, people.Standing{Workspace: "Engines"}},
		"a credential without a hash": {emptied, org, people.Standing{Workspace: "Engines"}},
		"no workspace":                {with, "org_nothing", people.Standing{HasPassword: true}},
		"nobody, nowhere":             {"", "", people.Standing{}},
	} {
		got, err := w.store.Accounts.Standing(t.Context(), c.person, c.org)
		is(t, name, err, nil)
		equal(t, name, got, c.want)
	}
}

func (w *world) accountsForLogin(t *testing.T) {
	with, without := w.person(t, "With@example.com").ID(), w.person(t, "without@example.com").ID()
	w.do(t, func(ctx context.Context, tx Repos) error {
		return tx.Credentials.Save(ctx, credential.New(with, "hash", noon()))
	})
	for mail, want := range map[string]people.LoginAccount{
		"wITH@EXAMPLE.com":    {UserID: with, Hash: "hash"},
		"without@example.com": {UserID: without},
		"nobody@example.com":  {},
	} {
		got, found, err := w.store.Accounts.ForLogin(t.Context(), address(t, mail))
		is(t, mail, err, nil)
		equal(t, mail, got, want)
		equal(t, mail+" is there", found, want.UserID != "")
	}
}

// accountsForms checks that a login is told all forms of hashes there are, whoever it is for.
func (w *world) accountsForms(t *testing.T) {
	forms := func(want ...string) {
		t.Helper()
		for _, mail := range []string{"forms.bcrypt@example.com", "forms.nobody@example.com"} {
			got, _, err := w.store.Accounts.ForLogin(t.Context(), address(t, mail))
			is(t, mail, err, nil)
			equal(t, "the forms told with "+mail, got.Forms, want)
		}
	}
	save := func(mail, hash string) *credential.Credential {
		made := credential.New(w.person(t, mail).ID(), hash, noon())
		w.do(t, func(ctx context.Context, tx Repos) error { return tx.Credentials.Save(ctx, made) })
		return made
	}
	salt, key := strings.Repeat("s", 22), strings.Repeat("k", 43)
	argon, bcrypt := "$argon2id$v=19$m=19456,t=2,p=1$", "$2b$12$"+strings.Repeat("x", 53)
	forms()
	save("forms.empty@example.com", "")
	save("forms.argon@example.com", argon+salt+"$"+key)
	save("forms.argon.too@example.com", argon+key[:22]+"$"+key)
	forms(argon + "22$43")
	imported := save("forms.bcrypt@example.com", bcrypt)
	save("forms.scrypt@example.com", "$scrypt$ln=17,r=8,p=1$"+salt+"$"+key)
	forms("$2b$12$53", argon+"22$43", "$scrypt$ln=17,r=8,p=1$22$43")
	imported.Upgrade(argon + salt + "$" + key)
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Credentials.Save(ctx, imported) })
	forms(argon+"22$43", "$scrypt$ln=17,r=8,p=1$22$43")
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
	got, err := w.store.Accounts.Memberships(t.Context(), person)
	is(t, "the memberships", err, nil)
	org := func(id workspace.ID, of user.ID) workspace.Snapshot {
		return workspace.Restore(workspace.Snapshot{ID: id, Name: "Engines", PersonalOf: of, CreatedAt: noon()}, 1).Snapshot()
	}
	equal(t, "the memberships", got, []people.Membership{
		{Org: org(own, person), Grants: []workspace.Grant{{Role: role.Owner}}, JoinedAt: noon()},
		{Org: org(early, ""), Grants: []workspace.Grant{{Role: role.Admin}}, JoinedAt: noon()},
		{Org: org(late, ""), Grants: []workspace.Grant{{Role: role.Member}}, JoinedAt: noon().Add(time.Microsecond)},
	})
	none, err := w.store.Accounts.Memberships(t.Context(), "usr_nobody")
	is(t, "the memberships of nobody", err, nil)
	equal(t, "the memberships of nobody", len(none), 0)
}
