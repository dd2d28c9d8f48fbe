package sqlports

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/live"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/liveness"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/ops"
	"gatehouse.internal/test/contract"
)

// runLiveness compares the rules of package liveness with the doors in SQL. It stores a
// credential for every combination of the facts that they look at, and asks both for each.
func runLiveness(t *testing.T, open Opener) {
	t.Helper()
	for name, made := range map[string]func(w *truth, t *testing.T) table{
		"Sessions": (*truth).sessions, "Keys": (*truth).keys, "Tokens": (*truth).tokens, "Grants": (*truth).grants,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTruth(t, open)
			of := made(w, t)
			w.compare(t, of)
			// Neither a policy nor maintenance is a reason.
			w.restrict(t)
			of.rows = slices.DeleteFunc(of.rows, credential.manifold)
			w.compare(t, of)
		})
	}
}

// truth is a store with credentials in all states.
type truth struct {
	*contract.Ports

	store *sqlstore.Store
	ids   outbound.IDs
	now   time.Time
}

func newTruth(t *testing.T, open Opener) *truth {
	t.Helper()
	c := contract.Defaults(t)
	store, err := opened(t, open(t)(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return &truth{Ports: Ports(store), store: store, ids: c.IDs, now: c.Clock.Now()}
}

func (w *truth) do(t *testing.T, change func(ctx context.Context, tx contract.Repos) error) {
	t.Helper()
	if err := w.Unit.Do(t.Context(), func(tx contract.Repos) error { return change(t.Context(), tx) }); err != nil {
		t.Fatal(err)
	}
}

func (w *truth) exec(t *testing.T, text string, args ...any) {
	t.Helper()
	err := w.store.Do(t.Context(), func(tx *sqlstore.Tx) error {
		_, err := tx.Exec(t.Context(), text, args...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// restrict closes the instance, and forbids all impersonations.
func (w *truth) restrict(t *testing.T) {
	closed, err := json.Marshal(maintenance.State{Mode: maintenance.Closed})
	if err != nil {
		t.Fatal(err)
	}
	w.do(t, func(ctx context.Context, tx contract.Repos) error {
		if err := tx.Settings.Set(ctx, map[string]json.RawMessage{maintenance.Setting: closed}); err != nil {
			return err
		}
		return tx.Policies.Set(ctx, "", policy.KindSession, ops.PolicyValues{"impersonation_minutes": json.RawMessage("0")})
	})
}

// table holds all states of one kind of credential.
type table struct {
	rows []credential
	// found is a statement that finds the credentials, without its last condition; fragment
	// makes that, and known are the reasons that SQL knows.
	found    string
	fragment func(liveness.Reasons) live.Condition
	known    liveness.Reasons
	// subsets are those that doors in SQL ask for.
	subsets []liveness.Reasons
	doors   []door
}

// credential is one credential, and what is against it.
type credential struct {
	id      string
	ask     outbound.AdmissionAsk
	against liveness.Reasons
}

// manifold reports whether several reasons are against the credential.
func (c credential) manifold() bool { return len(c.against.Each()) > 1 }

// door lets credentials through that nothing in a subset is against.
type door struct {
	name   string
	subset liveness.Reasons
	// at is the moment that it judges at; zero for now.
	at time.Time
	// opens returns the credentials that it lets through, of those that it is asked for.
	opens func(ctx context.Context, rows []credential) (map[string]bool, error)
}

func failing(a outbound.AdmissionAnswer, now time.Time) liveness.Reasons {
	switch {
	case a.Identity != nil:
		return a.Identity.Failing(now)
	case a.Key != nil:
		return a.Key.Failing(now)
	case a.Token != nil:
		return a.Token.Failing(now)
	default:
		return a.Grant.Failing(now)
	}
}

// compare asks the rules and the doors.
func (w *truth) compare(t *testing.T, of table) {
	t.Helper()
	answers := make([]outbound.AdmissionAnswer, len(of.rows))
	var all errgroup.Group
	all.SetLimit(64)
	for i, row := range of.rows {
		all.Go(func() (err error) {
			answers[i], err = w.Admission.Admit(t.Context(), row.ask)
			return err
		})
	}
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
	var seen liveness.Reasons
	for i, row := range of.rows {
		got := failing(answers[i], w.now)
		if got != row.against {
			t.Fatalf("%s: Failing() = %q, want %q", row.id, got, row.against)
		}
		seen |= got
	}
	known := of.known &^ liveness.Unknown
	if known&^seen != 0 {
		t.Errorf("nothing has %q against it", known&^seen)
	}
	for _, subset := range append(known.Each(), of.subsets...) {
		w.agree(t, of.rows, answers, listed("SQL", subset, w.finds(of, subset)))
	}
	for _, one := range of.doors {
		w.agree(t, of.rows, answers, one)
	}
}

// finds reads the credentials that nothing in a subset is against.
func (w *truth) finds(of table, subset liveness.Reasons) func(ctx context.Context) ([]string, error) {
	return func(ctx context.Context) (found []string, err error) {
		condition := of.fragment(subset)
		err = w.store.Reader(ctx).List(ctx, &found, of.found+string(condition), condition.Args(sqlstore.At(w.now))...)
		return found, err
	}
}

// agree asks one door for all credentials.
func (w *truth) agree(t *testing.T, rows []credential, answers []outbound.AdmissionAnswer, one door) {
	t.Helper()
	opens, err := one.opens(t.Context(), rows)
	if err != nil {
		t.Fatalf("%s: %v", one.name, err)
	}
	at := one.at
	if at.IsZero() {
		at = w.now
	}
	wrong := 0
	for i, row := range rows {
		passes, asked := opens[row.id]
		against := failing(answers[i], at)
		if asked && passes == against.Any(one.subset) && wrong < 3 {
			t.Errorf("%s for %q: passes = %v, against it is %q", one.name, one.subset, passes, against)
			wrong++
		}
	}
}

// listed makes a door of a list, which has all that passes.
func listed(name string, subset liveness.Reasons, list func(ctx context.Context) ([]string, error)) door {
	return door{name: name, subset: subset, opens: func(ctx context.Context, rows []credential) (map[string]bool, error) {
		found, err := list(ctx)
		has, opens := set(found), make(map[string]bool, len(rows))
		for _, row := range rows {
			opens[row.id] = has[row.id]
		}
		return opens, err
	}}
}

// tried makes a door of something that is tried for each of the credentials, and refused by an error.
func tried(name string, subset liveness.Reasons, refusal error, try func(ctx context.Context, row credential) error) door {
	return door{name: name, subset: subset, opens: func(ctx context.Context, rows []credential) (map[string]bool, error) {
		opens := map[string]bool{}
		for _, row := range rows {
			if row.manifold() { // one statement for each takes long
				continue
			}
			err := try(ctx, row)
			if err != nil && !errors.Is(err, refusal) {
				return nil, err
			}
			opens[row.id] = err == nil
		}
		return opens, nil
	}}
}

var errEnded = fault.New(fault.Auth, "it has ended")

// stands makes a door of a unit of work that acts by a credential.
func (w *truth) stands(subset liveness.Reasons, acting func(row credential) *outbound.ActingCredential) door {
	return tried("a unit of work", subset, errEnded, func(ctx context.Context, row credential) error {
		by := acting(row)
		by.Refusal = errEnded
		return w.Unit.Do(outbound.WithActing(ctx, by), func(contract.Repos) error { return nil })
	})
}

func set(ids []string) map[string]bool {
	of := make(map[string]bool, len(ids))
	for _, id := range ids {
		of[id] = true
	}
	return of
}

// state is one value of one fact, and what that is against a credential.
type state[F any] struct {
	against liveness.Reasons
	set     func(*F)
}

// either is a fact that is so or not.
func either[F any](against liveness.Reasons, so func(*F)) []state[F] {
	return []state[F]{{0, func(*F) {}}, {against, so}}
}

// combination is one state of each of the facts.
type combination[F any] struct {
	of      F
	against liveness.Reasons
}

// combine returns all combinations of facts.
func combine[F any](facts ...[]state[F]) []combination[F] {
	all := make([]combination[F], 1)
	for _, states := range facts {
		next := make([]combination[F], 0, len(all)*len(states))
		for _, one := range all {
			for _, s := range states {
				made := one
				s.set(&made.of)
				made.against |= s.against
				next = append(next, made)
			}
		}
		all = next
	}
	return all
}

// choose makes a fact of things that were stored, each with what is against it.
func choose[F, V any](stored []combination[V], set func(*F, V)) []state[F] {
	states := make([]state[F], len(stored))
	for i, one := range stored {
		states[i] = state[F]{one.against, func(f *F) { set(f, one.of) }}
	}
	return states
}

// person is an account in one of its states.
type person struct {
	user.Availability

	id         user.ID
	superadmin bool
}

// people stores accounts in all states; one that is disabled has a reason against it.
func (w *truth) people(t *testing.T, disabled liveness.Reasons) []combination[person] {
	t.Helper()
	until := func(is user.Status, at time.Time) func(*person) {
		return func(p *person) { p.Status, p.DisabledUntil = is, at }
	}
	all := combine([]state[person]{
		{0, until(user.Active, time.Time{})},
		{0, func(p *person) { p.Status, p.superadmin = user.Active, true }},
		{0, until(user.Active, w.now.Add(time.Second))},
		{0, until(user.Disabled, w.now)},
		{disabled, until(user.Disabled, time.Time{})},
		{disabled, until(user.Disabled, w.now.Add(time.Microsecond))},
	})
	w.do(t, func(ctx context.Context, tx contract.Repos) error {
		for i := range all {
			p := &all[i].of
			p.id = user.NewID(w.ids)
			s := user.Snapshot{ID: p.id, Status: p.Status, DisabledUntil: p.DisabledUntil, Superadmin: p.superadmin, CreatedAt: w.now, UpdatedAt: w.now}
			if err := s.Email.UnmarshalText([]byte(p.id.String() + "@example.com")); err != nil {
				return err
			}
			if err := tx.Users.Save(ctx, user.Restore(s, 0)); err != nil {
				return err
			}
		}
		return nil
	})
	return all
}

// place is a workspace in one of its states.
type place struct {
	workspace.Snapshot

	member bool
}

// places stores workspaces in all states, of which some people are members or not.
func (w *truth) places(t *testing.T, of []combination[person]) []combination[place] {
	t.Helper()
	all := combine(
		either(liveness.WorkspaceSuspended, func(p *place) { p.DisabledAt = w.now }),
		[]state[place]{{liveness.NotMember, func(p *place) {}}, {0, func(p *place) { p.member = true }}},
	)
	w.do(t, func(ctx context.Context, tx contract.Repos) error {
		for i := range all {
			p := &all[i].of
			if err := w.found(ctx, tx, &p.Snapshot); err != nil {
				return err
			}
			for _, one := range of {
				if !p.member {
					continue
				}
				if err := tx.Workspaces.SaveMember(ctx, workspace.Join(p.ID, one.of.id, "owner", w.now)); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return all
}

// found stores a workspace.
func (w *truth) found(ctx context.Context, tx contract.Repos, s *workspace.Snapshot) error {
	s.ID, s.Name, s.CreatedAt = workspace.NewID(w.ids), "Engines", w.now
	return tx.Workspaces.Save(ctx, workspace.Restore(*s, 0))
}
