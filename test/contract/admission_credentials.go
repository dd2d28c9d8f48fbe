package contract

import (
	"context"
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/keytext"
	"gatehouse.internal/domain/m2m"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/machines"
)

// admitted asks for what stands behind one credential, which must not fail.
func (w *world) admitted(t *testing.T, ask outbound.AdmissionAsk) outbound.AdmissionAnswer {
	t.Helper()
	answer, err := w.store.Admission.Admit(t.Context(), ask)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// keep stores an API key.
func (w *world) keep(t *testing.T, k *apikey.Key) {
	t.Helper()
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.APIKeys.Save(ctx, k) })
}

// machine stores an app and returns it as it was read back.
func (w *world) machine(t *testing.T, s app.Snapshot) *app.App {
	t.Helper()
	var found *app.App
	w.do(t, func(ctx context.Context, tx Repos) (err error) {
		if err := tx.Apps.Save(ctx, app.Restore(s, 0)); err != nil {
			return err
		}
		found, err = tx.Apps.ByID(ctx, s.ID)
		return err
	})
	return found
}

// worker is an app that differs from its defaults in what an admission tells of it.
func (w *world) worker(org workspace.ID, slug string) app.Snapshot {
	return app.Snapshot{
		ID: app.ID(w.ids.UUID()), OrgID: org, Slug: slug, Name: "Worker „" + slug + "“", Type: app.Service, Enabled: true,
		Scopes: []string{"users:read", "invoices:read"}, Listed: true, CreatedAt: noon(), UpdatedAt: noon(),
	}
}

// issue stores a token of an app, for an hour.
func (w *world) issue(t *testing.T, of *app.App, scope, jkt string) m2m.Issued {
	t.Helper()
	token := m2m.Issued{
		JTI: w.ids.UUID(), App: of.ID(), AppVersion: of.Version(), Scope: scope, Audience: "https://auth.example.com", JKT: jkt,
		IssuedAt: noon().Add(time.Microsecond), ExpiresAt: noon().Add(time.Hour),
	}
	if err := w.store.TokenIssues.Issue(t.Context(), token, nil); err != nil {
		t.Fatal(err)
	}
	return token
}

// admissionKey asks for an API key in all of its states.
func (w *world) admissionKey(t *testing.T) {
	owner := w.person(t, "Key@example.com")
	org := w.team(t, false, "editor", owner.ID())
	w.team(t, false, "owner", owner.ID()) // another workspace, whose role is not the key's
	full := apikey.Snapshot{
		ID: like(w, apikey.ID("")), UserID: owner.ID(), OrgID: org, Name: "nightly", Prefix: "ak_live_4fQz",
		Scopes: []string{"apps:read", "users:*"}, AllowedIPs: []netip.Prefix{netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("2001:db8::/32")},
		CreatedAt: noon(), ExpiresAt: noon().Add(48 * time.Hour),
		Secrets: []apikey.Secret{
			{Digest: keytext.Digest("old"), ExpiresAt: noon().Add(time.Hour)}, {Digest: keytext.Digest("new")},
		},
	}
	w.keep(t, apikey.Restore(full, 0))
	want := outbound.KeyIdentity{
		ID: full.ID, Org: org, Scopes: full.Scopes, AllowedIPs: full.AllowedIPs, ExpiresAt: full.ExpiresAt,
		User: owner.Snapshot(), Member: true, Held: role.MemberGrants{Org: org, Grants: []workspace.Grant{{Role: "editor"}}},
	}
	answer := w.admitted(t, outbound.AdmissionAsk{Key: keytext.Digest("new")})
	equal(t, "the key", answer, outbound.AdmissionAnswer{Revision: answer.Revision, Key: &want})
	replaced := want
	replaced.ExpiresAt = noon().Add(time.Hour)
	equal(t, "its text until now", w.key(t, "old"), &replaced)
	equal(t, "no such text", w.key(t, "other") == nil, true)
	equal(t, "the text itself", w.admitted(t, outbound.AdmissionAsk{Key: "new"}).Key == nil, true)

	if err := w.store.LastUses.Touch(t.Context(), full.ID.String()); err != nil {
		t.Fatal(err)
	}
	equal(t, "a key that was used", w.key(t, "new"), &want)

	w.elsewhere(t, func(ctx context.Context, tx Repos) error {
		revoked := full
		revoked.RevokedAt = noon()
		return tx.APIKeys.Save(ctx, apikey.Restore(revoked, 1))
	})
	want.RevokedAt = noon()
	equal(t, "a revoked key", w.key(t, "new"), &want)

	w.leaves(t, org, owner.ID())
	want.Member, want.Held = false, role.MemberGrants{}
	equal(t, "without a membership", w.key(t, "new"), &want)
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Users.Delete(ctx, owner) })
	equal(t, "of a deleted account", w.key(t, "new") == nil, true)
}

// key asks for an API key by its text.
func (w *world) key(t *testing.T, text string) *outbound.KeyIdentity {
	t.Helper()
	return w.admitted(t, outbound.AdmissionAsk{Key: keytext.Digest(text)}).Key
}

// changedElsewhere has another replica change an app.
func (w *world) changedElsewhere(t *testing.T, id app.ID, change func(*app.Snapshot)) {
	t.Helper()
	w.elsewhere(t, func(ctx context.Context, tx Repos) error {
		found, err := tx.Apps.ByID(ctx, id)
		if err != nil {
			return err
		}
		s := found.Snapshot()
		change(&s)
		return tx.Apps.Save(ctx, app.Restore(s, found.Version()))
	})
}

// deletedElsewhere has another replica delete an app.
func (w *world) deletedElsewhere(t *testing.T, id app.ID) {
	t.Helper()
	w.elsewhere(t, func(ctx context.Context, tx Repos) error {
		found, err := tx.Apps.ByID(ctx, id)
		if err != nil {
			return err
		}
		return tx.Apps.Delete(ctx, found)
	})
}

// admissionKeyEnds expects the end of a key or of its text, whichever comes first.
func (w *world) admissionKeyEnds(t *testing.T) {
	owner := w.person(t, "keyends@example.com")
	org := w.team(t, true, "owner", owner.ID())
	soon, late := noon().Add(time.Minute), noon().Add(time.Hour)
	for name, c := range map[string]struct{ key, text, want time.Time }{
		"neither": {want: time.Time{}}, "the key alone": {key: soon, want: soon}, "the text alone": {text: soon, want: soon},
		"the key first": {key: soon, text: late, want: soon}, "the text first": {key: late, text: soon, want: soon},
	} {
		w.keep(t, apikey.Restore(apikey.Snapshot{
			ID: like(w, apikey.ID("")), UserID: owner.ID(), OrgID: org, Name: name, CreatedAt: noon(), ExpiresAt: c.key,
			Secrets: []apikey.Secret{{Digest: keytext.Digest(name), ExpiresAt: c.text}},
		}, 0))
		found := w.key(t, name)
		equal(t, name+": the end", found.ExpiresAt, c.want)
		equal(t, name+": scopes and networks", len(found.Scopes)+len(found.AllowedIPs), 0)
	}
}

// admissionToken asks for an M2M token in all of its states.
func (w *world) admissionToken(t *testing.T) {
	org := w.team(t, false, "owner", w.person(t, "token@example.com").ID())
	of := w.machine(t, w.worker(org, "admitted"))
	issued := w.issue(t, of, "users:read invoices:read", "thumbprint")
	want := outbound.TokenIdentity{
		Scope: issued.Scope, JKT: issued.JKT, IssuedAt: issued.IssuedAt, ExpiresAt: issued.ExpiresAt, App: of.ID(), Org: org, OrgName: "Engines",
		Slug: "admitted", Name: of.Snapshot().Name, Enabled: true, AppScopes: outbound.AppScopes{Granted: of.Snapshot().Scopes, Listed: true},
	}
	answer := w.admitted(t, outbound.AdmissionAsk{Token: issued.JTI})
	equal(t, "the token", answer, outbound.AdmissionAnswer{Revision: answer.Revision, Token: &want})
	equal(t, "no such token", w.token(t, w.ids.UUID()) == nil, true)

	w.ending(t, func(tx machines.IssuedTokens) error {
		_, err := tx.Revoke(t.Context(), issued.JTI, noon().Add(time.Minute))
		return err
	})
	want.RevokedAt = noon().Add(time.Minute)
	equal(t, "a revoked token", w.token(t, issued.JTI), &want)

	w.ending(t, func(tx machines.IssuedTokens) error {
		_, err := tx.RevokeAll(t.Context(), of.ID(), noon().Add(time.Second), noon().Add(time.Minute))
		return err
	})
	want.RevokedBefore = noon().Add(time.Second)
	equal(t, "all revoked", w.token(t, issued.JTI), &want)

	// What an app is changed to shows at its next token.
	w.changedElsewhere(t, of.ID(), func(s *app.Snapshot) {
		s.Enabled, s.Scopes, s.Listed, s.Withdrawn = false, nil, false, []string{"invoices:read"}
	})
	want.Enabled, want.Granted, want.Listed, want.Withdrawn = false, nil, false, []string{"invoices:read"}
	equal(t, "of a changed app", w.token(t, issued.JTI), &want)
	w.deletedElsewhere(t, of.ID())
	equal(t, "of a deleted app", w.token(t, issued.JTI) == nil, true)
}

// token asks for an M2M token.
func (w *world) token(t *testing.T, jti string) *outbound.TokenIdentity {
	t.Helper()
	return w.admitted(t, outbound.AdmissionAsk{Token: jti}).Token
}

// asker is one caller of a batch: its question, and what is wrong with an answer.
type asker struct {
	ask   outbound.AdmissionAsk
	wrong func(a outbound.AdmissionAnswer) bool
	// uncounted reports whether it presents an API key that there is not.
	uncounted bool
}

// admissionMixed lets callers of all kinds ask at once: everybody gets what they
// presented, nothing of another's, and the verdicts of the own counter.
func (w *world) admissionMixed(t *testing.T) {
	const each, rounds = 12, 4
	org := w.team(t, false, "owner", w.person(t, "mixed@example.com").ID())
	var askers []asker
	for i := range each {
		askers = append(askers, w.mixed(t, org, i)...)
	}
	var all sync.WaitGroup
	counted := 0
	for i, one := range askers {
		check := perMinute(fmt.Sprintf("mixed %d", i), 100)
		one.ask.Checks = []outbound.LimitCheck{perMinute("mixed", 10_000), check}
		if !one.uncounted {
			counted++
		}
		all.Go(func() {
			for n := range rounds {
				a, err := w.store.Admission.Admit(t.Context(), one.ask)
				if err != nil || one.wrong(a) || a.Revision == 0 || (len(a.Verdicts) == 0) != one.uncounted ||
					!one.uncounted && a.Verdicts[1].Used != n+1 {
					t.Errorf("asked for %+v, got %+v, %v", one.ask, a, err)
				}
			}
		})
	}
	all.Wait()
	equal(t, "the calls that all made", used(t, w.store, perMinute("mixed", 10_000)), rounds*counted)
}

// mixed are callers with a session, a key and a token, some without any, and some
// with what is not there.
func (w *world) mixed(t *testing.T, org workspace.ID, i int) []asker {
	t.Helper()
	name := fmt.Sprintf("mixed-%d", i)
	owner := w.person(t, name+"@example.com")
	held := w.session(t, w.begin(owner.ID(), "", noon()))
	key := like(w, apikey.ID(""))
	w.keep(t, apikey.Restore(apikey.Snapshot{
		ID: key, UserID: owner.ID(), OrgID: org, Name: name, CreatedAt: noon(), Secrets: []apikey.Secret{{Digest: keytext.Digest(name)}},
	}, 0))
	issued := w.issue(t, w.machine(t, w.worker(org, name)), name, "")
	nothing := func(a outbound.AdmissionAnswer) bool { return a.Identity != nil || a.Key != nil || a.Token != nil }
	return []asker{
		{outbound.AdmissionAsk{Session: held.ID()}, func(a outbound.AdmissionAnswer) bool {
			return a.Identity == nil || a.Identity.Session.ID != held.ID() || a.Identity.User.ID != owner.ID() || a.Key != nil || a.Token != nil
		}, false},
		{outbound.AdmissionAsk{Key: keytext.Digest(name)}, func(a outbound.AdmissionAnswer) bool {
			return a.Key == nil || a.Key.ID != key || a.Key.User.ID != owner.ID() || a.Identity != nil || a.Token != nil
		}, false},
		{outbound.AdmissionAsk{Token: issued.JTI}, func(a outbound.AdmissionAnswer) bool {
			return a.Token == nil || a.Token.Scope != name || a.Token.Slug != name || a.Identity != nil || a.Key != nil
		}, false},
		{outbound.AdmissionAsk{}, nothing, false},
		{outbound.AdmissionAsk{Session: like(w, session.ID(""))}, nothing, false},
		{outbound.AdmissionAsk{Key: keytext.Digest("no " + name)}, nothing, true},
		{outbound.AdmissionAsk{Token: w.ids.UUID()}, nothing, false},
		// The identifier of one kind is no credential of another.
		{outbound.AdmissionAsk{Key: issued.JTI}, nothing, true},
		{outbound.AdmissionAsk{Token: keytext.Digest(name)}, nothing, false},
	}
}

// admissionKeyFresh lets the next question after a change see it.
func (w *world) admissionKeyFresh(t *testing.T) {
	owner := w.person(t, "fresh-key@example.com")
	org := w.team(t, true, "owner", owner.ID())
	made := apikey.Restore(apikey.Snapshot{
		ID: like(w, apikey.ID("")), UserID: owner.ID(), OrgID: org, Name: "fresh", CreatedAt: noon(),
		Secrets: []apikey.Secret{{Digest: keytext.Digest("fresh")}},
	}, 0)
	equal(t, "before it is there", w.key(t, "fresh") == nil, true)
	w.keep(t, made)
	equal(t, "an active key", w.key(t, "fresh").RevokedAt, time.Time{})
	made = w.readKey(t, made.ID())
	made.End(apikey.ByUser, noon().Add(time.Second))
	w.keep(t, made)
	equal(t, "a key that ended", w.key(t, "fresh").RevokedAt, noon().Add(time.Second))
	stored := w.user(t, owner.ID())
	disabled := stored.Snapshot()
	disabled.Status = user.Disabled
	w.do(t, func(ctx context.Context, tx Repos) error {
		return tx.Users.Save(ctx, user.Restore(disabled, stored.Version()))
	})
	equal(t, "of a disabled user", w.key(t, "fresh").User.Status, user.Disabled)
}

// readKey reads an API key.
func (w *world) readKey(t *testing.T, id apikey.ID) *apikey.Key {
	t.Helper()
	var found *apikey.Key
	w.do(t, func(ctx context.Context, tx Repos) (err error) {
		found, err = tx.APIKeys.ByID(ctx, id)
		return err
	})
	return found
}
