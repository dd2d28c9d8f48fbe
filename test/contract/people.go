package contract

import (
	"context"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/id"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/people"
)

// like mints an identifier of the kind of an example.
func like[K id.Kind](w *world, _ id.ID[K]) id.ID[K] { return id.New[K](w.ids) }

func address(t *testing.T, text string) email.Address {
	t.Helper()
	parsed, err := email.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// person stores an account and returns a copy of it as it was read back.
func (w *world) person(t *testing.T, mail string) *user.User {
	t.Helper()
	made := user.New(like(w, user.ID("")), address(t, mail), "Ada Lovelace", noon())
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Users.Save(ctx, made) })
	return w.user(t, made.ID())
}

// user reads an account.
func (w *world) user(t *testing.T, id user.ID) *user.User {
	t.Helper()
	var found *user.User
	w.do(t, func(ctx context.Context, tx Repos) (err error) {
		found, err = tx.Users.ByID(ctx, id)
		return err
	})
	return found
}

// team stores a workspace with members, all of one role; a personal one is that
// of the first.
func (w *world) team(t *testing.T, personal bool, role string, members ...user.ID) workspace.ID {
	t.Helper()
	snapshot := workspace.Snapshot{ID: like(w, workspace.ID("")), Name: "Engines", CreatedAt: noon()}
	if personal {
		snapshot.PersonalOf = members[0]
	}
	w.do(t, func(ctx context.Context, tx Repos) error {
		if err := tx.Workspaces.Save(ctx, workspace.Restore(snapshot, 0)); err != nil {
			return err
		}
		for _, person := range members {
			if err := tx.Workspaces.SaveMember(ctx, workspace.Join(snapshot.ID, person, role, noon())); err != nil {
				return err
			}
		}
		return nil
	})
	return snapshot.ID
}

// reshaped changes a workspace, whatever the rules of its aggregate.
func (w *world) reshaped(t *testing.T, org workspace.ID, change func(*workspace.Snapshot)) {
	t.Helper()
	w.do(t, func(ctx context.Context, tx Repos) error {
		found, err := tx.Workspaces.ByID(ctx, org)
		if err != nil {
			return err
		}
		s := found.Snapshot()
		change(&s)
		return tx.Workspaces.Save(ctx, workspace.Restore(s, found.Version()))
	})
}

// begin makes a session, not stored yet.
func (w *world) begin(person user.ID, org workspace.ID, now time.Time) *session.Session {
	return session.Begin(session.Start{
		ID: like(w, session.ID("")), UserID: person, OrgID: org, AMR: []string{"pwd", "otp"},
		IP: "203.0.113.7", UserAgent: "curl/8.5", Refresh: "digest-1", Policy: policy.Defaults().Session,
	}, now)
}

// session stores a session and returns a copy of it as it was read back.
func (w *world) session(t *testing.T, made *session.Session) *session.Session {
	t.Helper()
	var found *session.Session
	w.do(t, func(ctx context.Context, tx Repos) (err error) {
		if err := tx.Sessions.Save(ctx, made); err != nil {
			return err
		}
		found, err = tx.Sessions.ByID(ctx, made.ID())
		return err
	})
	return found
}

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
		want   people.CallerDetails
	}{
		"a password and a workspace":  {with, org, people.CallerDetails{HasPassword: true, Workspace: "Engines"}},
		"no credential":               {without, org, people.CallerDetails{Workspace: "Engines"}},
		"a credential without a hash": {emptied, org, people.CallerDetails{Workspace: "Engines"}},
		"no workspace":                {with, "org_nothing", people.CallerDetails{HasPassword: true}},
		"nobody, nowhere":             {"", "", people.CallerDetails{}},
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
