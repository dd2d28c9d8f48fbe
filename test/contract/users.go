package contract

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/ops"
)

// Users checks people.Users.
func Users(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("keeps every field", w.usersRoundTrip)
	t.Run("does not find what is not there", w.usersAbsent)
	t.Run("finds an address however it is spelled", w.usersFold)
	t.Run("refuses a taken address or external id", w.usersUnique)
	t.Run("refuses a stale copy", w.usersStale)
	t.Run("loses no parallel change", w.usersParallel)
	t.Run("deletes all that is the user's own", w.usersDelete)
	t.Run("deletes what is set meanwhile", w.usersDeleteMeanwhile)
	t.Run("counts other superadmins", func(t *testing.T) { superadmins(t, open) })
}

func (w *world) usersRoundTrip(t *testing.T) {
	full := user.Snapshot{
		ID: like(w, user.ID("")), Email: address(t, "Ada.Full@Example.com"), EmailVerified: true, EmailBound: true,
		DisplayName: "Ada „Łovelace“ 🚂", Avatar: "https://example.com/a.png", Locale: "en-GB", Timezone: "Europe/London",
		ExternalID: "crm|42", Metadata: map[string]any{"plan": "pro", "n": 1.5, "deep": map[string]any{"a": []any{true, nil}}},
		Superadmin: true, Status: user.Disabled, DisabledUntil: noon().Add(time.Hour), DisabledWhy: "a 'quoted' reason",
		CreatedAt: noon(), UpdatedAt: noon().Add(time.Microsecond), LastLoginAt: noon().Add(-time.Microsecond),
	}
	bare := user.Snapshot{
		ID: like(w, user.ID("")), Email: address(t, "bare@example.com"), Status: user.Active,
		CreatedAt: noon(), UpdatedAt: noon(),
	}
	cleared := user.Snapshot{ID: full.ID, Email: full.Email, EmailVerified: true, Status: user.Active, Metadata: map[string]any{}, CreatedAt: noon(), UpdatedAt: noon()}
	for version, want := range []user.Snapshot{full, cleared} {
		w.do(t, func(ctx context.Context, tx Repos) error {
			return tx.Users.Save(ctx, user.Restore(want, int64(version)))
		})
		equal(t, "the account", w.user(t, want.ID).Snapshot(), want)
	}
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Users.Save(ctx, user.Restore(bare, 0)) })
	got := w.user(t, bare.ID)
	equal(t, "the bare account", got.Snapshot(), bare)
	equal(t, "its version", got.Version(), int64(1))
}

func (w *world) usersAbsent(t *testing.T) {
	w.fails(t, user.ErrNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.Users.ByID(ctx, like(w, user.ID("")))
		return err
	})
	w.fails(t, user.ErrNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.Users.ByEmail(ctx, address(t, "nobody@example.com"))
		return err
	})
	w.fails(t, user.ErrNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.Users.ByExternalID(ctx, "nobody")
		return err
	})
	w.person(t, "no-external@example.com")
	w.fails(t, user.ErrNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.Users.ByExternalID(ctx, "")
		return err
	})
}

func (w *world) usersFold(t *testing.T) {
	made := w.person(t, "Grace.Hopper@example.com")
	for _, spelled := range []string{"grace.hopper@EXAMPLE.com", "GRACE.HOPPER@example.com"} {
		w.do(t, func(ctx context.Context, tx Repos) error {
			found, err := tx.Users.ByEmail(ctx, address(t, spelled))
			if err == nil {
				equal(t, "the account of "+spelled, found.ID(), made.ID())
				equal(t, "its address", found.Snapshot().Email.String(), "Grace.Hopper@example.com")
			}
			return err
		})
	}
}

// usersUnique also checks that the transaction can go on after a refusal.
func (w *world) usersUnique(t *testing.T) {
	first, second := w.person(t, "first@example.com"), w.person(t, "second@example.com")
	external := "ext-1"
	first.Update(user.Profile{ExternalID: &external}, noon())
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Users.Save(ctx, first) })

	var taken, takenExternal, takenUpdate error
	name := "after the refusals"
	w.do(t, func(ctx context.Context, tx Repos) error {
		taken = tx.Users.Save(ctx, user.New(like(w, user.ID("")), address(t, "FIRST@example.com"), "", noon()))
		third := user.New(like(w, user.ID("")), address(t, "third@example.com"), "", noon())
		third.Update(user.Profile{ExternalID: &external}, noon())
		takenExternal = tx.Users.Save(ctx, third)
		stolen := user.Restore(second.Snapshot(), second.Version())
		stolen.Update(user.Profile{ExternalID: &external}, noon())
		takenUpdate = tx.Users.Save(ctx, stolen)
		second.Update(user.Profile{DisplayName: &name}, noon())
		return tx.Users.Save(ctx, second)
	})
	is(t, "a taken address", taken, user.ErrEmailTaken)
	is(t, "a taken external id", takenExternal, user.ErrExternalTaken)
	is(t, "an update to a taken external id", takenUpdate, user.ErrExternalTaken)
	equal(t, "the name saved after them", w.user(t, second.ID()).Snapshot().DisplayName, name)

	own, none := "ext-2", ""
	for _, next := range []*string{&own, &none, &external} {
		if next == &external {
			first = w.user(t, first.ID())
			first.Update(user.Profile{ExternalID: &none}, noon())
			w.do(t, func(ctx context.Context, tx Repos) error { return tx.Users.Save(ctx, first) })
		}
		changed := w.user(t, second.ID())
		changed.Update(user.Profile{ExternalID: next}, noon())
		w.do(t, func(ctx context.Context, tx Repos) error { return tx.Users.Save(ctx, changed) })
		equal(t, "the external id", w.user(t, second.ID()).Snapshot().ExternalID, *next)
	}
	w.do(t, func(ctx context.Context, tx Repos) error {
		found, err := tx.Users.ByExternalID(ctx, external)
		if err == nil {
			equal(t, "the account of the external id", found.ID(), second.ID())
		}
		return err
	})
}

func (w *world) usersStale(t *testing.T) {
	one := w.person(t, "stale@example.com")
	other := w.user(t, one.ID())
	one.LoggedIn(noon())
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Users.Save(ctx, one) })
	other.LoggedIn(noon().Add(time.Hour))
	w.conflicts(t, func(ctx context.Context, tx Repos) error { return tx.Users.Save(ctx, other) })
	w.conflicts(t, func(ctx context.Context, tx Repos) error { return tx.Users.Delete(ctx, other) })
	w.conflicts(t, func(ctx context.Context, tx Repos) error {
		return tx.Users.Save(ctx, user.Restore(other.Snapshot(), 0))
	})
	gone := w.person(t, "gone@example.com")
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Users.Delete(ctx, w.userIn(ctx, tx, gone.ID())) })
	w.conflicts(t, func(ctx context.Context, tx Repos) error { return tx.Users.Save(ctx, gone) })
}

func (w *world) userIn(ctx context.Context, tx Repos, id user.ID) *user.User {
	found, err := tx.Users.ByID(ctx, id)
	if err != nil {
		panic(err)
	}
	return found
}

func (w *world) usersParallel(t *testing.T) {
	const writers = 8
	shared := w.person(t, "shared@example.com")
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			err := w.unit.Do(t.Context(), func(tx Repos) error {
				found, err := tx.Users.ByID(t.Context(), shared.ID())
				if err != nil {
					return err
				}
				if err := found.MergeMetadata(map[string]any{fmt.Sprint(i): true}, noon()); err != nil {
					return err
				}
				return tx.Users.Save(t.Context(), found)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	equal(t, "the number of changes", len(w.user(t, shared.ID()).Snapshot().Metadata), writers)
}

func (w *world) usersDelete(t *testing.T) {
	leaving, staying := w.person(t, "leaving@example.com"), w.person(t, "staying@example.com")
	own := w.team(t, true, "owner", leaving.ID())
	shared := w.team(t, false, "owner", leaving.ID(), staying.ID())
	visited := w.team(t, true, "owner", staying.ID(), leaving.ID())
	live := w.session(t, w.begin(leaving.ID(), own, noon()))
	for _, org := range []workspace.ID{own, visited} {
		w.do(t, func(ctx context.Context, tx Repos) error {
			template := mail.Override{Template: mail.LoginLink, Org: org, UpdatedAt: noon()}
			return errors.Join(tx.Templates.Set(ctx, template), tx.Policies.Set(ctx, org, policy.KindMFA, ops.PolicyValues{"required": json.RawMessage("true")}))
		})
	}
	used := w.apiKey(t, w.minted(t, leaving.ID(), visited)).ID().String()
	w.touch(t, used)
	secret := w.usedSecret(t, own)
	w.do(t, func(ctx context.Context, tx Repos) error {
		if err := tx.Credentials.Save(ctx, credential.New(leaving.ID(), "hash", noon())); err != nil {
			return err
		}
		leaving.Delete()
		return tx.Users.Delete(ctx, leaving)
	})
	for org, want := range map[workspace.ID]int{own: 0, visited: 1} {
		policies, err := w.store.WorkspacePolicies.OfOrg(t.Context(), org)
		is(t, "the policies", err, nil)
		templates, err := w.store.TemplateDirectory.All(t.Context(), org)
		is(t, "the templates", err, nil)
		equal(t, "the policies and templates that are left", []int{len(policies), len(templates)}, []int{want, want})
	}
	equal(t, "the uses of what is deleted", []time.Duration{w.used(t, used), w.used(t, secret)}, []time.Duration{-1, -1})
	equal(t, "the events", len(w.audit(t, outbound.AuditQuery{User: leaving.ID(), Kind: user.KindDeleted})), 1)
	w.fails(t, user.ErrNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.Users.ByID(ctx, leaving.ID())
		return err
	})
	w.do(t, func(ctx context.Context, tx Repos) error {
		if _, err := tx.Workspaces.ByID(ctx, own); err == nil {
			t.Error("the personal workspace is still there")
		}
		if _, err := tx.Sessions.ByID(ctx, live.ID()); err == nil {
			t.Error("the session is still there")
		}
		if _, err := tx.Workspaces.Member(ctx, visited, staying.ID()); err != nil {
			t.Errorf("somebody else's personal workspace: %v", err)
		}
		_, err := tx.Workspaces.Member(ctx, shared, staying.ID())
		return err
	})
	w.fails(t, workspace.ErrNotMember, func(ctx context.Context, tx Repos) error {
		_, err := tx.Workspaces.Member(ctx, shared, leaving.ID())
		return err
	})
}

// usersDeleteMeanwhile begins to delete an account while a policy of its workspace is
// being set.
func (w *world) usersDeleteMeanwhile(t *testing.T) {
	leaving := w.person(t, "meanwhile@example.com")
	own := w.team(t, true, "owner", leaving.ID())
	set := func(ctx context.Context, tx Repos) error {
		return tx.Policies.Set(ctx, own, policy.KindMFA, ops.PolicyValues{"required": json.RawMessage("true")})
	}
	deleted := make(chan error, 1)
	w.do(t, func(ctx context.Context, tx Repos) error {
		if err := set(ctx, tx); err != nil {
			return err
		}
		go func() {
			deleted <- w.unit.Do(ctx, func(tx Repos) error { return tx.Users.Delete(ctx, leaving) })
		}()
		time.Sleep(100 * time.Millisecond) // It would be done by now if nothing held it off.
		return nil
	})
	is(t, "the deletion", <-deleted, nil)
	left, err := w.store.WorkspacePolicies.OfOrg(t.Context(), own)
	is(t, "the policies", err, nil)
	equal(t, "policies that are left", len(left), 0)
	w.fails(t, workspace.ErrNotFound, set)
}

// superadmins has a database of its own, because it counts all accounts.
func superadmins(t *testing.T, open Opener) {
	w := newWorld(t, open)
	var supers []*user.User
	for i := range 4 {
		made := w.person(t, fmt.Sprintf("super%d@example.com", i))
		made.SetSuperadmin(true, noon())
		supers = append(supers, made)
	}
	supers[2].Disable("", time.Time{}, noon())
	supers[3].Disable("", noon().Add(time.Minute), noon())
	w.person(t, "plain@example.com")
	w.do(t, func(ctx context.Context, tx Repos) error {
		for _, u := range supers {
			if err := tx.Users.Save(ctx, u); err != nil {
				return err
			}
		}
		return nil
	})
	for now, want := range map[time.Time]int{noon(): 1, noon().Add(time.Minute): 2, noon().Add(time.Minute - 1000): 1} {
		w.do(t, func(ctx context.Context, tx Repos) error {
			n, err := tx.Users.OtherSuperadmins(ctx, supers[0].ID(), now)
			equal(t, "the others at "+now.String(), n, want)
			return err
		})
	}
	resign := func(who user.ID) func(func()) error {
		return func(held func()) error {
			return w.unit.Do(t.Context(), func(tx Repos) error {
				others, err := tx.Users.OtherSuperadmins(t.Context(), who, noon())
				held()
				if err != nil || others == 0 {
					return err
				}
				u := w.userIn(t.Context(), tx, who)
				u.SetSuperadmin(false, noon())
				return tx.Users.Save(t.Context(), u)
			})
		}
	}
	inTurn(t, resign(supers[0].ID()), resign(supers[1].ID()))
	equal(t, "the last one stays", w.user(t, supers[1].ID()).Snapshot().Superadmin, true)
}

// usedSecret stores an app of a workspace whose secret was used, and returns the name of
// that use.
func (w *world) usedSecret(t *testing.T, org workspace.ID) string {
	t.Helper()
	made := w.bareApp(org, "app-of-"+org.String())
	made.Secrets = []app.Secret{{ID: like(w, app.SecretID("")), Digest: "used", CreatedAt: noon()}}
	w.readApp(t, app.Restore(made, 0))
	w.touch(t, made.Secrets[0].ID.String())
	return made.Secrets[0].ID.String()
}
