package contract

import (
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"strconv"
	"testing"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/branding"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/iprule"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/ops"
)

// Configuration checks what belongs to the instance: ops.Instance, Settings,
// Policies, WorkspacePolicies and LimitRules.
func Configuration(t *testing.T, open Opener) {
	t.Run("begins empty", func(t *testing.T) { newWorld(t, open).emptyInstance(t) })
	t.Run("keeps settings", func(t *testing.T) { newWorld(t, open).settings(t) })
	t.Run("keeps policies", func(t *testing.T) { newWorld(t, open).policies(t) })
	t.Run("changes one policy at a time", func(t *testing.T) { newWorld(t, open).policiesInTurn(t) })
	t.Run("keeps limits", func(t *testing.T) { newWorld(t, open).limits(t) })
	t.Run("reads one state", func(t *testing.T) { newWorld(t, open).oneState(t) })
}

func (w *world) instance(ctx context.Context, t *testing.T) ops.InstanceState {
	t.Helper()
	state, err := w.store.Instance.Load(ctx)
	is(t, "the instance", err, nil)
	return state
}

// moves runs a change that must move the revision by so much.
func (w *world) moves(t *testing.T, by int64, change func(ctx context.Context, tx Repos) error) {
	t.Helper()
	before := w.instance(t.Context(), t).Revision
	w.do(t, change)
	equal(t, "the move of the revision", w.instance(t.Context(), t).Revision-before, by)
}

func (w *world) emptyInstance(t *testing.T) {
	equal(t, "the fresh instance", w.instance(t.Context(), t), ops.InstanceState{
		Revision: 1, Settings: map[string]json.RawMessage{}, Policies: make(map[policy.Kind]ops.PolicyValues),
	})
}

func (w *world) settings(t *testing.T) {
	set := func(values map[string]json.RawMessage) func(context.Context, Repos) error {
		return func(ctx context.Context, tx Repos) error { return tx.Settings.Set(ctx, values) }
	}
	w.moves(t, 1, set(map[string]json.RawMessage{
		"public_registration": json.RawMessage("false"), "cors_origins": json.RawMessage(`["https://a.example"]`), "x": json.RawMessage("1"),
	}))
	w.moves(t, 1, set(map[string]json.RawMessage{"public_registration": json.RawMessage("true"), "x": nil, "unknown": nil}))
	equal(t, "the settings", w.instance(t.Context(), t).Settings, map[string]json.RawMessage{
		"public_registration": json.RawMessage("true"), "cors_origins": json.RawMessage(`["https://a.example"]`),
	})
	w.moves(t, 1, set(nil))
}

func (w *world) policies(t *testing.T) {
	person := w.person(t, "policies@example.com").ID()
	strict, other := w.team(t, false, role.Member, person), w.team(t, false, role.Member)
	plain := w.team(t, false, role.Member, person)
	value := func(text string) ops.PolicyValues {
		return ops.PolicyValues{"min_length": json.RawMessage(text)}
	}
	set := func(org workspace.ID, kind policy.Kind, values ops.PolicyValues) func(context.Context, Repos) error {
		return func(ctx context.Context, tx Repos) error { return tx.Policies.Set(ctx, org, kind, values) }
	}
	get := func(org workspace.ID, kind policy.Kind) (got ops.PolicyValues) {
		w.do(t, func(ctx context.Context, tx Repos) (err error) {
			got, err = tx.Policies.Get(ctx, org, kind)
			return err
		})
		return got
	}
	w.moves(t, 1, set("", policy.KindPassword, value("10")))
	w.moves(t, 1, set("", policy.KindPassword, value("12")))
	w.moves(t, 1, set("", policy.KindLockout, value("3")))
	w.moves(t, 1, set("", policy.KindLockout, nil))
	equal(t, "whether workspaces have policies", w.instance(t.Context(), t).WorkspacePolicies, false)
	w.moves(t, 1, set(strict, policy.KindPassword, value("20")))
	equal(t, "whether workspaces have policies", w.instance(t.Context(), t).WorkspacePolicies, true)
	w.moves(t, 0, set(strict, policy.KindSession, value("30")))
	w.moves(t, 0, set(other, policy.KindSession, value("40")))

	want := make(map[policy.Kind]ops.PolicyValues)
	want[policy.KindPassword] = value("12")
	equal(t, "the instance's", w.instance(t.Context(), t).Policies, want)
	equal(t, "the instance's password policy", get("", policy.KindPassword), value("12"))
	equal(t, "a workspace's", get(strict, policy.KindPassword), value("20"))
	equal(t, "none", len(get(plain, policy.KindPassword)), 0)
	want[policy.KindPassword], want[policy.KindSession] = value("20"), value("30")
	ofOrg, err := w.store.WorkspacePolicies.OfOrg(t.Context(), strict)
	is(t, "the policies of a workspace", err, nil)
	equal(t, "the policies of a workspace", ofOrg, want)
	ofUser, err := w.store.WorkspacePolicies.OfUser(t.Context(), person)
	is(t, "the policies of a user", err, nil)
	equal(t, "the policies of a user", ofUser, []ops.WorkspacePolicy{{OrgID: strict, Values: want}})
}

func (w *world) limits(t *testing.T) {
	rule := func(command string, by limit.Key, n int, window time.Duration) ops.TunedLimit {
		return ops.TunedLimit{Command: command, By: by, Rule: limit.Rule{Limit: n, Window: window}}
	}
	set := func(r ops.TunedLimit) func(context.Context, Repos) error {
		return func(ctx context.Context, tx Repos) error { return tx.LimitRules.Set(ctx, r) }
	}
	loginIP, loginMail := rule("AUTH.LOGIN", limit.IP, 7, 90*time.Second+time.Microsecond), rule("AUTH.LOGIN", limit.Email, 1, time.Second)
	signup := rule("AUTH.SIGNUP", limit.IP, limit.MaxLimit, limit.MaxWindow)
	w.moves(t, 1, set(signup))
	w.moves(t, 1, set(rule("AUTH.LOGIN", limit.IP, 1, time.Second)))
	w.moves(t, 1, set(loginIP))
	w.moves(t, 1, set(loginMail))
	equal(t, "the limits", w.instance(t.Context(), t).Limits, []ops.TunedLimit{loginMail, loginIP, signup})
	w.moves(t, 1, func(ctx context.Context, tx Repos) error { return tx.LimitRules.Reset(ctx, "AUTH.LOGIN") })
	equal(t, "the limits left", w.instance(t.Context(), t).Limits, []ops.TunedLimit{signup})
	w.moves(t, 1, func(ctx context.Context, tx Repos) error { return tx.LimitRules.Reset(ctx, "") })
	equal(t, "no limits", len(w.instance(t.Context(), t).Limits), 0)
}

// oneState reads while a writer changes two things together: they must fit.
func (w *world) oneState(t *testing.T) {
	const changes = 50
	done := make(chan error, 1)
	go func() {
		for i := range changes {
			err := w.unit.Do(t.Context(), func(tx Repos) error {
				values := map[string]json.RawMessage{"n": json.RawMessage(strconv.Itoa(i))}
				if err := tx.Settings.Set(t.Context(), values); err != nil {
					return err
				}
				return tx.LoginFailures.SetSpike(t.Context(), loginevent.Spike{StartedAt: noon().Add(time.Duration(i) * time.Second)})
			})
			if err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for {
		state := w.instance(t.Context(), t)
		if n := state.Settings["n"]; n != nil {
			equal(t, "what was read together", strconv.Itoa(int(state.Spike.StartedAt.Sub(noon())/time.Second)), string(n))
			equal(t, "its revision", state.Revision%2, int64(1))
		}
		select {
		case err := <-done:
			is(t, "the writer", err, nil)
			return
		default:
		}
	}
}

func (w *world) policiesInTurn(t *testing.T) {
	org := w.team(t, false, role.Member)
	change := func(held func()) error {
		return w.unit.Do(t.Context(), func(tx Repos) error {
			_, err := tx.Policies.Get(t.Context(), org, policy.KindPassword)
			held()
			return err
		})
	}
	inTurn(t, change, change)
}

// IPRules checks ops.IPRules and ops.IPRuleDirectory.
func IPRules(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("keeps every field", w.ipRulesRoundTrip)
	t.Run("keeps scopes and lists apart", w.ipRulesScopes)
	t.Run("tells when they changed", w.ipRulesMarks)
}

// rule stores a rule.
func (w *world) rule(t *testing.T, s iprule.Snapshot) *iprule.Rule {
	t.Helper()
	s.ID = like(w, iprule.ID(""))
	made, err := iprule.Make(s, noon())
	is(t, "make a rule", err, nil)
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.IPRules.Save(ctx, made) })
	return made
}

func (w *world) ipRulesRoundTrip(t *testing.T) {
	org := w.team(t, false, role.Owner)
	made := w.rule(t, iprule.Snapshot{
		OrgID: org, CIDR: netip.MustParsePrefix("2001:db8::/32"), Action: iprule.Allow, List: "offices", Note: "Łódź 'A'", ExpiresAt: noon().Add(time.Hour),
	})
	want := made.Snapshot()
	all, err := w.store.IPRuleDirectory.OfScope(t.Context(), org)
	is(t, "read the rules", err, nil)
	equal(t, "the rules", all, []iprule.Snapshot{want})
	off, stale := false, iprule.Restore(want, made.Version())
	w.do(t, func(ctx context.Context, tx Repos) error {
		found, err := tx.IPRules.ByID(ctx, want.ID)
		is(t, "read a rule", err, nil)
		equal(t, "the rule", found.Snapshot(), want)
		is(t, "change it", found.Update(iprule.Change{Enabled: &off, ExpiresAt: &time.Time{}}, noon().Add(time.Minute)), nil)
		want = found.Snapshot()
		return tx.IPRules.Save(ctx, found)
	})
	page, err := w.store.IPRuleDirectory.List(t.Context(), ops.IPRuleQuery{Org: org, List: "offices", Action: iprule.Allow, Limit: 2})
	is(t, "list the rules", err, nil)
	equal(t, "the list", page, []iprule.Snapshot{want})
	stale.Delete()
	w.fails(t, aggregate.ErrConflict, func(ctx context.Context, tx Repos) error { return tx.IPRules.Delete(ctx, stale) })
	w.do(t, func(ctx context.Context, tx Repos) error {
		found, err := tx.IPRules.ByID(ctx, want.ID)
		is(t, "read it again", err, nil)
		found.Delete()
		return tx.IPRules.Delete(ctx, found)
	})
	w.fails(t, iprule.ErrNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.IPRules.ByID(ctx, want.ID)
		return err
	})
}

func (w *world) ipRulesScopes(t *testing.T) {
	org, other := w.team(t, false, role.Owner), w.team(t, false, role.Owner)
	office := netip.MustParsePrefix("192.0.2.0/24")
	own := w.rule(t, iprule.Snapshot{OrgID: org, CIDR: office, Action: iprule.Deny}).Snapshot()
	w.rule(t, iprule.Snapshot{OrgID: org, CIDR: office, Action: iprule.Deny, List: "spam"})
	w.rule(t, iprule.Snapshot{OrgID: other, CIDR: office, Action: iprule.Deny})
	w.rule(t, iprule.Snapshot{CIDR: office, Action: iprule.Deny})
	twin, err := iprule.Make(iprule.Snapshot{ID: like(w, own.ID), OrgID: org, CIDR: office, Action: iprule.Allow}, noon())
	is(t, "make a twin", err, nil)
	w.fails(t, iprule.ErrTaken, func(ctx context.Context, tx Repos) error { return tx.IPRules.Save(ctx, twin) })
	w.do(t, func(ctx context.Context, tx Repos) error {
		deciding, err := tx.IPRules.Deciding(ctx, org)
		equal(t, "those that decide", deciding, []iprule.Snapshot{own})
		is(t, "read them", err, nil)
		count, err := tx.IPRules.Count(ctx, org)
		equal(t, "rules", count, 2)
		return err
	})
}

func (w *world) ipRulesMarks(t *testing.T) {
	org := w.team(t, false, role.Owner)
	marks := func() ops.IPRuleMarks {
		state, err := w.store.Instance.Load(t.Context())
		is(t, "load the instance", err, nil)
		return state.IPRules
	}
	hold := func(org workspace.ID) func(ctx context.Context, tx Repos) error {
		return func(ctx context.Context, tx Repos) error { return tx.IPRules.Hold(ctx, org) }
	}
	before := marks()
	w.do(t, hold(org))
	of := marks()
	if of.Instance != before.Instance || of.Workspaces <= before.Workspaces {
		t.Errorf("the marks went from %v to %v by a rule of a workspace", before, of)
	}
	w.do(t, hold(""))
	if now := marks(); now.Instance <= of.Workspaces || now.Workspaces != of.Workspaces {
		t.Errorf("the marks went from %v to %v by a rule of the instance", of, now)
	}
	w.fails(t, workspace.ErrNotFound, hold(like(w, org)))
}

// lookAt checks the look in force of the workspace of a slug.
func (w *world) lookAt(t *testing.T, slug workspace.Slug, want branding.Settings) {
	t.Helper()
	got, err := w.store.BrandingDirectory.InForceAt(t.Context(), slug)
	is(t, "at "+string(slug), err, nil)
	equal(t, "at "+string(slug), got, want)
	w.do(t, func(ctx context.Context, tx Repos) error {
		within, err := tx.Brandings.InForceAt(ctx, slug)
		equal(t, "at "+string(slug)+" in a unit of work", within, want)
		return err
	})
}

// Brandings checks workspaces.Brandings and workspaces.BrandingDirectory.
func Brandings(t *testing.T, open Opener) {
	w := newWorld(t, open)
	person, org := w.owner(t, "look@example.com")
	_, other := w.owner(t, "look-other@example.com")
	whole := branding.Settings{
		Name: "Grüße & <b>", LogoURL: "https://cdn.example.com/a.png", SupportEmail: email.Restore("help@example.com"), Locale: "de-CH",
		Colors: branding.Colors{Primary: "#112233", Background: "#ffffff", PrimaryDark: "#445566", BackgroundDark: "#000000"},
	}
	own := branding.Settings{Name: "Own", Colors: branding.Colors{PrimaryDark: "#778899"}}
	set := func(of workspace.ID, look branding.Settings) {
		t.Helper()
		w.do(t, func(ctx context.Context, tx Repos) error {
			if err := tx.Brandings.Set(ctx, of, look); err != nil {
				return err
			}
			kept, err := tx.Brandings.Get(ctx, of)
			equal(t, "the look kept", kept, look)
			return err
		})
	}
	inForce := func(what string, of workspace.ID, want branding.Settings) {
		t.Helper()
		got, err := w.store.BrandingDirectory.InForce(t.Context(), of)
		is(t, what, err, nil)
		equal(t, what, got, want)
		w.do(t, func(ctx context.Context, tx Repos) error {
			within, err := tx.Brandings.InForce(ctx, of)
			equal(t, what+" in a unit of work", within, want)
			return err
		})
	}
	const nowhere workspace.ID = "org_01jd7x9k2mf3q8v5t0abcdefgh"
	inForce("none", "", branding.Settings{})
	inForce("none of a workspace", org, branding.Settings{})
	set("", whole)
	inForce("the instance's", "", whole)
	inForce("the instance's in a workspace", org, whole)
	inForce("that of no workspace", nowhere, whole)
	set(org, own)
	inForce("a workspace's", org, own.Over(whole))
	found, err := w.store.WorkspaceDirectory.Find(t.Context(), org)
	is(t, "the workspace", err, nil)
	w.lookAt(t, found.Slug, own.Over(whole))
	w.lookAt(t, "nowhere-at-all", whole)
	inForce("another workspace's", other, whole)
	inForce("the instance's still", "", whole)
	w.fails(t, workspace.ErrNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.Brandings.Get(ctx, nowhere)
		return err
	})
	w.fails(t, errEnough, func(ctx context.Context, tx Repos) error {
		return errors.Join(tx.LoginMethods.Void(ctx, person, noon()), errEnough)
	})
	inForce("a workspace's that was almost voided", org, own.Over(whole))
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.LoginMethods.Void(ctx, person, noon()) })
	inForce("a workspace's that was voided", org, whole)
	set("", branding.Settings{})
	inForce("none again", org, branding.Settings{})
}

// BrandingsInTurn checks that two changes of one look do not undo each other.
func BrandingsInTurn(t *testing.T, open Opener) {
	w := newWorld(t, open)
	_, org := w.owner(t, "look@example.com")
	for _, of := range []workspace.ID{"", org} {
		change := func(held func()) error {
			return w.unit.Do(t.Context(), func(tx Repos) error {
				_, err := tx.Brandings.Get(t.Context(), of)
				held()
				return err
			})
		}
		inTurn(t, change, change)
	}
}
