package contract

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/dpop"
	"gatehouse.internal/domain/identity"
	"gatehouse.internal/domain/passkey"
	"gatehouse.internal/domain/relation"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/migrations"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/machines"
	"gatehouse.internal/ports/outbound/people"
	"gatehouse.internal/ports/outbound/workspaces"
)

// LoginMethods checks signin.LoginMethods.
func LoginMethods(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("counts each way in", w.waysCounted)
	t.Run("makes those who ask wait", w.waysTurn)
	t.Run("lets nobody take the last two away", w.waysRace)
}

// passkeyRow stores a passkey of an account.
func (w *world) passkeyRow(t *testing.T, owner user.ID, verifies bool) {
	t.Helper()
	s := w.passkey(owner, w.ids.UUID())
	s.Record.UserVerified = verifies
	w.passkeyKept(t, passkey.Restore(s, 0))
}

// identityRow links an account.
func (w *world) identityRow(t *testing.T, owner user.ID) {
	t.Helper()
	s := w.identityOf(owner, "github", w.ids.UUID())
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Identities.Save(ctx, identity.Restore(s, 0)) })
}

func (w *world) hash(t *testing.T, owner user.ID, hash string) {
	t.Helper()
	w.do(t, func(ctx context.Context, tx Repos) error {
		return tx.Credentials.Save(ctx, credential.New(owner, hash, noon()))
	})
}

// left asks for the ways into an account while some providers are switched on.
func (w *world) left(t *testing.T, owner user.ID, want bool, providers ...string) {
	t.Helper()
	w.do(t, func(ctx context.Context, tx Repos) error {
		left, err := tx.LoginMethods.Left(ctx, owner, providers)
		equal(t, "whether a way in is left", left, want)
		return err
	})
}

func (w *world) waysCounted(t *testing.T) {
	by := func(address string, give func(user.ID)) user.ID {
		owner := w.person(t, address).ID()
		give(owner)
		return owner
	}
	w.left(t, by("no-way@example.com", func(user.ID) {}), false)
	w.left(t, by("no-password@example.com", func(owner user.ID) { w.hash(t, owner, "") }), false)
	w.left(t, by("password@example.com", func(owner user.ID) { w.hash(t, owner, "hash") }), true)
	w.left(t, by("passkey@example.com", func(owner user.ID) { w.passkeyRow(t, owner, true) }), true)
	w.left(t, by("touched@example.com", func(owner user.ID) { w.passkeyRow(t, owner, false) }), false)
	w.left(t, by("both@example.com", func(owner user.ID) { w.passkeyRow(t, owner, false); w.passkeyRow(t, owner, true) }), true)
	linked := by("identity@example.com", func(owner user.ID) { w.hash(t, owner, ""); w.identityRow(t, owner) })
	w.left(t, linked, true, "google", "github")
	w.left(t, linked, false, "google")
	w.left(t, linked, false)
	w.left(t, like(w, user.ID("")), false)
}

func (w *world) waysTurn(t *testing.T) {
	owner := w.person(t, "turn-way@example.com").ID()
	ask := func(held func()) error {
		return w.unit.Do(t.Context(), func(tx Repos) error {
			if _, err := tx.LoginMethods.Left(t.Context(), owner, nil); err != nil {
				return err
			}
			held()
			return nil
		})
	}
	inTurn(t, ask, ask)
}

// waysRace takes the password and the passkey away at once: the second sees that
// the first is gone.
func (w *world) waysRace(t *testing.T) {
	for range 4 {
		owner := w.person(t, w.ids.UUID()+"@example.com").ID()
		w.hash(t, owner, "hash")
		w.passkeyRow(t, owner, true)
		remove := map[string]func(context.Context, Repos) error{
			"password": func(ctx context.Context, tx Repos) error {
				held, err := tx.Credentials.ByUser(ctx, owner)
				if err != nil {
					return err
				}
				held.Change("", noon())
				return tx.Credentials.Save(ctx, held)
			},
			"passkey": func(ctx context.Context, tx Repos) error {
				return tx.LoginMethods.Void(ctx, owner, noon())
			},
		}
		refused := make(chan bool, len(remove))
		for _, away := range remove {
			go func() {
				no := false
				err := w.unit.Do(t.Context(), func(tx Repos) error {
					if err := away(t.Context(), tx); err != nil {
						return err
					}
					left, err := tx.LoginMethods.Left(t.Context(), owner, nil)
					if no = err == nil && !left; no {
						return errEnough
					}
					return err
				})
				refused <- no && err != nil
			}()
		}
		if one, other := <-refused, <-refused; one == other {
			t.Errorf("of two removals at once were refused: %v and %v", one, other)
		}
		w.left(t, owner, true)
	}
}

// Void checks the part of signin.LoginMethods that takes them all away.
func Void(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("takes what lets in", w.voidsWaysIn)
	t.Run("takes what others act by", w.voidsPersonal)
	t.Run("ends tokens of an app for good", w.voidsTokens)
}

func (w *world) voidsWaysIn(t *testing.T) {
	var people []user.ID
	for _, mail := range []string{"void@example.com", "void-other@example.com"} {
		person, org := w.owner(t, mail)
		w.passkeyRow(t, person, true)
		w.identityRow(t, person)
		w.enrolled(t, person)
		w.device(t, w.remembered(person))
		w.apiKey(t, w.minted(t, person, org, "apps:read"))
		w.binding(t, w.bound(dpop.Owner{User: person}), 0)
		w.do(t, func(ctx context.Context, tx Repos) error { return tx.Clients.Note(ctx, person, "Firefox", noon()) })
		people = append(people, person)
	}
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.LoginMethods.Void(ctx, people[0], noon()) })
	w.fails(t, errEnough, func(ctx context.Context, tx Repos) error {
		return errors.Join(tx.LoginMethods.Void(ctx, people[1], noon()), errEnough)
	})
	equal(t, "what the one has: passkeys, factors, identities, devices, bindings, API keys", w.waysOf(t, people[0]), []int{0, 0, 0, 0, 0, 1})
	equal(t, "what the other has", w.waysOf(t, people[1]), []int{1, 1, 1, 1, 1, 1})
}

// waysOf counts what lets somebody in, and the API keys.
func (w *world) waysOf(t *testing.T, person user.ID) []int {
	t.Helper()
	passkeys, err := w.store.PasskeyDirectory.List(t.Context(), person)
	is(t, "the passkeys", err, nil)
	factors, err := w.store.FactorDirectory.Of(t.Context(), person)
	is(t, "the factors", err, nil)
	identities, err := w.store.IdentityDirectory.OfUser(t.Context(), person)
	is(t, "the identities", err, nil)
	devices, err := w.store.DeviceDirectory.List(t.Context(), person, noon())
	is(t, "the devices", err, nil)
	keys, err := w.store.APIKeyDirectory.List(t.Context(), machines.APIKeyQuery{User: person, Now: noon()})
	is(t, "the API keys", err, nil)
	return []int{len(passkeys), len(factors.Factors), len(identities), len(devices), w.bindingsOf(t, dpop.Owner{User: person}), len(keys)}
}

func (w *world) bindingsOf(t *testing.T, owner dpop.Owner) int {
	t.Helper()
	found, err := w.store.BindingDirectory.List(t.Context(), machines.BindingQuery{Owner: owner})
	is(t, "the bindings", err, nil)
	return len(found)
}

func (w *world) membersIn(t *testing.T, org workspace.ID) int {
	t.Helper()
	found, err := w.store.MemberDirectory.List(t.Context(), people.MemberQuery{UserQuery: people.UserQuery{Org: org, Now: noon()}})
	is(t, "the members", err, nil)
	return len(found)
}

func (w *world) voidsPersonal(t *testing.T) {
	mate := w.person(t, "void-mate@example.com").ID()
	owner, other := w.person(t, "void-owner@example.com").ID(), w.person(t, "void-stays@example.com").ID()
	voided, stays := w.team(t, true, "owner", owner, mate), w.team(t, true, "owner", other, mate)
	shared := w.team(t, false, "owner", owner, mate)
	full := func(org workspace.ID, slug string) *app.App {
		s := w.bareApp(org, slug)
		s.Secrets = []app.Secret{{ID: app.NewSecretID(w.ids), Digest: "digest", CreatedAt: noon()}}
		s.JWKS, s.JWKSURI = `{"keys":[]}`, "https://keys.example.com"
		made := w.readApp(t, app.Restore(s, 0))
		w.binding(t, w.bound(dpop.Owner{App: made.ID()}), 0)
		return made
	}
	gone, kept, apart := full(voided, "void-gone"), full(stays, "void-kept"), full(shared, "void-shared")
	w.relate(t, voided, stays, shared)
	w.reshaped(t, voided, func(s *workspace.Snapshot) {
		s.DefaultRole, s.AllowedMethods = role.Owner, []workspace.Method{workspace.BySSO}
	})
	w.do(t, func(ctx context.Context, tx Repos) error {
		return tx.LoginMethods.Void(ctx, owner, noon().Add(time.Hour))
	})
	of := w.workspace(t, voided).Snapshot()
	equal(t, "how one enters", []any{of.DefaultRole, len(of.AllowedMethods)}, []any{role.Member, 0})
	shape := w.related("document:1", "viewer", "user:mate").Shape()
	equal(t, "relations of the voided workspace, and of the others",
		[]int{w.relations(t, voided, shape), w.relations(t, stays, shape), w.relations(t, shared, shape)}, []int{0, 1, 1})
	equal(t, "its revision", w.head(t, voided).Revision, relation.Revision(2))
	for org, want := range map[workspace.ID]int{voided: 1, stays: 2, shared: 2} {
		equal(t, "members", w.membersIn(t, org), want)
	}
	for _, one := range []*app.App{gone, kept, apart} {
		var after *app.App
		w.do(t, func(ctx context.Context, tx Repos) (err error) {
			after, err = tx.Apps.ByID(ctx, one.ID())
			return err
		})
		want, bindings := one.Snapshot(), 1
		if one == gone {
			want.Enabled, want.Secrets, want.JWKS, want.JWKSURI, want.RevokedBefore = false, nil, "", "", noon().Add(time.Hour)
			bindings = 0
		}
		equal(t, "the app "+want.Slug, after.Snapshot(), want)
		equal(t, "whether its version moved", after.Version() > one.Version(), one == gone)
		equal(t, "its registered keys", w.bindingsOf(t, dpop.Owner{App: one.ID()}), bindings)
	}
}

// relate stores a tuple in each of some workspaces, at revision 1.
func (w *world) relate(t *testing.T, orgs ...workspace.ID) {
	for _, org := range orgs {
		w.do(t, func(ctx context.Context, tx Repos) error {
			head, err := tx.Relations.Hold(ctx, org)
			if err != nil {
				return err
			}
			head.Revision++
			_, err = tx.Relations.Put(ctx, org, []relation.Tuple{w.related("document:1", "viewer", "user:mate")})
			return errors.Join(err, tx.Relations.Move(ctx, org, head, workspaces.RelationModel{}))
		})
	}
}

// voidsTokens enables the app again: what was issued before stays ended, and a later
// end of all tokens is not taken back.
func (w *world) voidsTokens(t *testing.T) {
	owner, org := w.owner(t, "void-tokens@example.com")
	of := w.machine(t, w.worker(org, "void-tokens"))
	issued := w.issue(t, of, "users:read", "")
	later := noon().Add(2 * time.Hour)
	for _, at := range []time.Time{noon().Add(time.Minute), later, noon().Add(time.Hour)} {
		w.do(t, func(ctx context.Context, tx Repos) error { return tx.LoginMethods.Void(ctx, owner, at) })
	}
	w.changedElsewhere(t, of.ID(), func(s *app.Snapshot) { s.Enabled = true })
	found := w.token(t, issued.JTI)
	equal(t, "whether the token is live", found.Failing(noon().Add(30*time.Minute)) == 0, false)
	equal(t, "when all tokens ended", found.RevokedBefore, later)
	client := w.admitted(t, outbound.AdmissionAsk{Client: "void-tokens"}).Client
	equal(t, "the secrets", len(client.App.Secrets), 0)
}

// decidesAboutTables fails for a table of people or workspaces about which nobody has
// said what becomes of it when an account is claimed.
func decidesAboutTables(t *testing.T) {
	decided := map[string]string{
		"members": "of others go", "apps": "are disabled without credentials", "user_search": "lets nobody act", "app_redirects": "count for enabled apps alone",
		"passkeys": "go", "identities": "go", "second_factors": "go", "devices": "go", "known_clients": "go", "risk_assessments": "let nobody act", "dpop_bindings": "go", "oauth_grants": "go", "oauth_devices": "go", "oauth_consents": "go", "oauth_logouts": "let nobody act",
		"roles": "go", "member_groups": "go", "own_permissions": "go", "flows": "go", "flow_runs": "go",
		"mail_domains": "go", "ip_rules": "go", "event_feed": "is history", "event_changes": "is history", "event_queue": "is history",
		"webhook_endpoints": "go", "audit_streams": "go", "webhook_subscriptions": "go with their endpoint", "webhook_deliveries": "end without their endpoint",
		"products": "let nobody act", "license_policies": "let nobody act", "licenses": "let nobody act", "license_seats": "give no right to anything here",
		"features": "let nobody act", "feature_heads": "let nobody act", "feature_overrides": "let nobody act",
		"prices": "let nobody act", "coupons": "let nobody act", "customers": "let nobody act", "checkouts": "let nobody act", "subscriptions": "let nobody act",
		"invoices": "let nobody act", "payments": "let nobody act", "refunds": "let nobody act", "processor_events": "let nobody act", "invoice_numbers": "let nobody act",
		"group_members": "go with their group", "member_roles": "go with their membership",
		"jobs": "ask for their maker at every step", "policies": "go", "email_templates": "go", "invitations": "go", "workspaces": "lose their look, and how one enters them", "reserved_slugs": "let nobody act",
		"api_keys": "of the owner are ended by the claim; of others they need a membership",
		"sessions": "of the owner are ended by the claim; of others they have a membership's roles", "challenges": "are dropped by the claim",
		"credentials": "lose the hash by the claim",
		"m2m_tokens":  "end with their app", "events": "are history", "mails": "were asked for", "notifications": "are told to the owner",
		"impersonations": "end with the impersonated sessions", "impersonation_consents": "let nobody act without a superadmin",
		"notification_preferences": "let nobody act", "audiences": "are names that stay the workspace's", "oauth_resources": "let nobody act",
		"relation_tuples": "go", "relation_heads": "move to a new revision", "relation_models": "give nothing without tuples",
	}
	found := map[string]bool{}
	files, err := fs.Glob(migrations.Files(), "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	created := regexp.MustCompile(`(?s)CREATE TABLE (\w+) \((.*?)\n\)`)
	about := regexp.MustCompile(`(?m)^\s+(user_id|org_id|app_id|personal_of)\s|ADD COLUMN (user_id|org_id|app_id)\s`)
	for _, file := range files {
		text, err := fs.ReadFile(migrations.Files(), file)
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range created.FindAllStringSubmatch(string(text), -1) {
			if about.MatchString(table[2]) {
				found[table[1]] = true
			}
		}
	}
	equal(t, "the tables", slices.Sorted(maps.Keys(found)), slices.Sorted(maps.Keys(decided)))
}
