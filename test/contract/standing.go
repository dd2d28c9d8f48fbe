package contract

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/dpop"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// Standing checks that units of work by a credential store as long as it stands, and no
// longer (outbound.ActingCredential).
func Standing(t *testing.T, open Opener) {
	w := newWorld(t, open)
	for name, made := range map[string]func(*testing.T) acting{
		"a session": w.actingSession, "a session through another": w.actingThrough, "a session of an account that is deleted": w.actingAccount,
		"an API key": w.actingKey, "a text of an API key": w.actingText,
		"a token": w.actingToken, "the tokens of an app": w.actingTokens, "an app": w.actingApp,
		"an app whose owner is disabled": w.actingOwner,
	} {
		t.Run(name, func(t *testing.T) {
			t.Run("stores until it ends", func(t *testing.T) { w.standingEnds(t, made(t)) })
			t.Run("ends after what is under way", func(t *testing.T) { w.standingHolds(t, made(t)) })
			t.Run("ends before what comes meanwhile", func(t *testing.T) { w.standingWaits(t, made(t)) })
		})
	}
	t.Run("holds for all of a command", w.standingWithin)
	t.Run("lets a command end its own", w.standingOwn)
	t.Run("ends by reuse after what is under way", w.standingReuse)
	t.Run("leaves rotations alone", w.standingRotates)
	t.Run("keeps no two calls of an app from each other", w.standingTogether)
	t.Run("is looked at again after a pause", w.standingPaused)
	t.Run("is looked at for an answer that is kept", w.standingAnswer)
	t.Run("is looked at for single statements", w.standingAtOnce)
}

// acting is a credential that a call is made by, and what ends it.
type acting struct {
	session    session.ID
	through    session.ID
	key, token string
	end        func(ctx context.Context, tx Repos) error
}

var errGone = fault.New(fault.Auth, "it has ended")

// call is the context of a call by the credential.
func (a acting) call(ctx context.Context) (context.Context, *outbound.ActingCredential) {
	by := &outbound.ActingCredential{Session: a.session, Through: a.through, Key: a.key, Token: a.token, Refusal: errGone}
	return outbound.WithActing(ctx, by), by
}

// mailOf is an address of nobody.
func (w *world) mailOf() string { return w.ids.UUID() + "@example.com" }

func (w *world) actingSession(t *testing.T) acting {
	made := w.session(t, w.begin(w.person(t, w.mailOf()).ID(), "", noon()))
	return acting{session: made.ID(), end: func(ctx context.Context, tx Repos) error {
		found, err := tx.Sessions.ByID(ctx, made.ID())
		if err != nil {
			return err
		}
		found.End(session.ByUser, noon())
		return tx.Sessions.Save(ctx, found)
	}}
}

// actingThrough is a session in which somebody else acts, by one of theirs that ends.
func (w *world) actingThrough(t *testing.T) acting {
	a := w.actingSession(t)
	a.through = a.session
	a.session = w.session(t, w.begin(w.person(t, w.mailOf()).ID(), "", noon())).ID()
	return a
}

func (w *world) actingAccount(t *testing.T) acting {
	person := w.person(t, w.mailOf())
	made := w.session(t, w.begin(person.ID(), "", noon()))
	return acting{session: made.ID(), end: func(ctx context.Context, tx Repos) error { return tx.Users.Delete(ctx, person) }}
}

func (w *world) actingKey(t *testing.T) acting {
	person, org := w.owner(t, w.mailOf())
	made := w.apiKey(t, w.minted(t, person, org))
	return acting{key: made.Snapshot().Secrets[0].Digest, end: func(ctx context.Context, tx Repos) error {
		return changeKey(ctx, tx, made.ID(), func(k *apikey.Key) { k.End(apikey.ByUser, noon()) })
	}}
}

func (w *world) actingText(t *testing.T) acting {
	a := w.actingKey(t)
	id := w.byDigests(t, a.key)[0]
	a.end = func(ctx context.Context, tx Repos) error {
		return changeKey(ctx, tx, id, func(k *apikey.Key) {
			if _, err := k.Rotate(text(), 0, noon()); err != nil {
				t.Error(err)
			}
		})
	}
	return a
}

func changeKey(ctx context.Context, tx Repos, id apikey.ID, change func(*apikey.Key)) error {
	found, err := tx.APIKeys.ByID(ctx, id)
	if err != nil {
		return err
	}
	change(found)
	return tx.APIKeys.Save(ctx, found)
}

func (w *world) actingToken(t *testing.T) acting {
	token := w.issuedAt(t, w.service(t, "acting-"+w.ids.UUID()), noon())
	return acting{token: token.JTI, end: func(ctx context.Context, tx Repos) error {
		_, err := tx.Tokens.Revoke(ctx, token.JTI, noon())
		return err
	}}
}

func (w *world) actingTokens(t *testing.T) acting {
	of := w.service(t, "acting-"+w.ids.UUID())
	return acting{token: w.issuedAt(t, of, noon()).JTI, end: func(ctx context.Context, tx Repos) error {
		_, err := tx.Tokens.RevokeAll(ctx, of.ID(), noon(), noon())
		return err
	}}
}

func (w *world) actingApp(t *testing.T) acting {
	of := w.service(t, "acting-"+w.ids.UUID())
	return acting{token: w.issuedAt(t, of, noon()).JTI, end: func(ctx context.Context, tx Repos) error {
		found, err := tx.Apps.ByID(ctx, of.ID())
		if err != nil {
			return err
		}
		return tx.Apps.Delete(ctx, found)
	}}
}

func (w *world) actingOwner(t *testing.T) acting {
	person, org := w.owner(t, w.mailOf())
	of := w.machine(t, w.worker(org, "acting-"+w.ids.UUID()))
	return acting{token: w.issuedAt(t, of, noon()).JTI, end: func(ctx context.Context, tx Repos) error {
		if err := tx.Sessions.HoldOff(ctx, person, ""); err != nil {
			return err
		}
		found, err := tx.Users.ByID(ctx, person)
		if err != nil {
			return err
		}
		found.Disable("", time.Time{}, noon())
		return tx.Users.Save(ctx, found)
	}}
}

// ends ends the credential.
func (w *world) ends(t *testing.T, a acting, held func()) error {
	t.Helper()
	ctx := t.Context()
	return w.unit.Do(ctx, func(tx Repos) error {
		err := a.end(ctx, tx)
		held()
		return err
	})
}

// refused stores by a credential that has ended, and returns what must not be there.
func (w *world) refused(ctx context.Context, t *testing.T) user.ID {
	t.Helper()
	made, err := w.tried(ctx, t)
	is(t, "a unit by a credential that has ended", err, nil)
	return made
}

// tried is refused where the test cannot be ended.
func (w *world) tried(ctx context.Context, t *testing.T) (user.ID, error) {
	t.Helper()
	ran, made := false, user.New(like(w, user.ID("")), address(t, w.mailOf()), "", noon())
	err := w.unit.Do(ctx, func(tx Repos) error {
		ran = true
		return tx.Users.Save(ctx, made)
	})
	if !errors.Is(err, errGone) || ran || !outbound.ActingOf(ctx).Refused() {
		return "", fmt.Errorf("it ran: %t, and ended with %w", ran, err)
	}
	return made.ID(), nil
}

func (w *world) standingEnds(t *testing.T, a acting) {
	ctx, by := a.call(t.Context())
	equal(t, "what is stored is there", w.there(t, w.add(ctx, t, w.mailOf(), nil)), true)
	equal(t, "refused", by.Refused(), false)
	is(t, "the end", w.ends(t, a, func() {}), nil)
	fresh, _ := a.call(t.Context())
	equal(t, "stored", []bool{w.there(t, w.refused(ctx, t)), w.there(t, w.refused(fresh, t))}, []bool{false, false})
	var made user.ID
	is(t, "a transaction around a command", w.store.Within(t.Context(), func(ctx context.Context) bool {
		ctx, _ = a.call(ctx)
		made = w.refused(ctx, t)
		return true
	}), nil)
	equal(t, "stored within", w.there(t, made), false)
}

// standingHolds ends a credential while a unit by it is under way: that one is over when
// it has ended.
func (w *world) standingHolds(t *testing.T, a acting) {
	ctx, _ := a.call(t.Context())
	inTurn(t, func(held func()) error {
		return w.unit.Do(ctx, func(Repos) error {
			held()
			return nil
		})
	}, func(done func()) error { return w.ends(t, a, done) })
	w.refused(ctx, t)
}

// standingWaits begins a unit while the credential is ended.
func (w *world) standingWaits(t *testing.T, a acting) {
	ctx, _ := a.call(t.Context())
	inTurn(t, func(held func()) error { return w.ends(t, a, held) }, func(done func()) error {
		defer done()
		_, err := w.tried(ctx, t)
		return err
	})
}

// standingWithin ends a credential while a transaction around a command goes on, the first
// unit of which was undone.
func (w *world) standingWithin(t *testing.T) {
	a := w.actingSession(t)
	inTurn(t, func(held func()) error {
		return w.store.Within(t.Context(), func(ctx context.Context) bool {
			ctx, _ = a.call(ctx)
			w.add(ctx, t, w.mailOf(), errEnough)
			held()
			w.add(ctx, t, w.mailOf(), nil)
			return true
		})
	}, func(done func()) error { return w.ends(t, a, done) })
}

// standingOwn ends the own credential, twice at once: the second finds it ended. Within
// one transaction what comes after it is stored, otherwise refused.
func (w *world) standingOwn(t *testing.T) {
	a := w.actingSession(t)
	ctx, by := a.call(t.Context())
	by.Ends = true
	second, also := a.call(t.Context())
	also.Ends = true
	own := func(ctx context.Context, a acting) error {
		return w.unit.Do(ctx, func(tx Repos) error { return a.end(ctx, tx) })
	}
	inTurn(t, func(held func()) error {
		return w.unit.Do(ctx, func(tx Repos) error {
			held()
			return a.end(ctx, tx)
		})
	}, func(done func()) error {
		defer done()
		if err := own(second, a); !errors.Is(err, errGone) {
			return fmt.Errorf("the second ended with %w", err)
		}
		return nil
	})
	w.refused(ctx, t)
	a = w.actingSession(t)
	is(t, "a transaction around a command", w.store.Within(t.Context(), func(ctx context.Context) bool {
		ctx, _ = a.call(ctx)
		is(t, "the end", own(ctx, a), nil)
		w.add(ctx, t, w.mailOf(), nil)
		return true
	}), nil)
}

// standingReuse ends a session by a refresh token that was used before.
func (w *world) standingReuse(t *testing.T) {
	made := w.session(t, w.begin(w.person(t, w.mailOf()).ID(), "", noon()))
	a := acting{session: made.ID()}
	ctx, _ := a.call(t.Context())
	inTurn(t, func(held func()) error {
		return w.unit.Do(ctx, func(Repos) error {
			held()
			return nil
		})
	}, func(done func()) error {
		defer done()
		if err := made.Rotate("digest-0", "digest-2", 0, noon()); !errors.Is(err, session.ErrReused) {
			return err
		}
		return w.store.Rotations.Store(t.Context(), made)
	})
	w.refused(ctx, t)
}

// standingRotates refreshes a session while a unit by it is under way. Where one connection
// writes, it waits for that as for any.
func (w *world) standingRotates(t *testing.T) {
	if w.store.Writers == 1 {
		return
	}
	one := w.refreshed(t, w.mailOf())
	ctx, _ := acting{session: one.ID()}.call(t.Context())
	is(t, "the unit", w.unit.Do(ctx, func(Repos) error { return w.store.Rotations.Store(t.Context(), one) }), nil)
	equal(t, "what is stored is there", w.there(t, w.add(ctx, t, w.mailOf(), nil)), true)
}

// standingTogether reads bindings, under a lock, in two units by one token that both began
// before.
func (w *world) standingTogether(t *testing.T) {
	if w.store.Writers == 1 {
		return
	}
	of := w.service(t, "together")
	ctx, _ := acting{token: w.issuedAt(t, of, noon()).JTI}.call(t.Context())
	var runs atomic.Int64
	var begun sync.WaitGroup
	begun.Add(2)
	both := make(chan error, 2)
	for range 2 {
		go func() {
			both <- w.unit.Do(ctx, func(tx Repos) error {
				if runs.Add(1) <= 2 {
					begun.Done()
				}
				begun.Wait()
				_, err := tx.Bindings.Held(ctx, dpop.Owner{App: of.ID()}, noon())
				return err
			})
		}()
	}
	for range 2 {
		is(t, "a unit", <-both, nil)
	}
	equal(t, "how often they ran", runs.Load(), int64(2))
}

func (w *world) standingPaused(t *testing.T) {
	a := w.actingSession(t)
	is(t, "the transaction", w.store.Within(t.Context(), func(ctx context.Context) bool {
		ctx, _ = a.call(ctx)
		w.add(ctx, t, w.mailOf(), nil)
		is(t, "the pause", w.store.Pause(ctx, func() error { return w.ends(t, a, func() {}) }), nil)
		w.refused(ctx, t)
		return true
	}), nil)
}

func (w *world) standingAnswer(t *testing.T) {
	a, key := w.actingSession(t), w.ids.UUID()
	is(t, "the end", w.ends(t, a, func() {}), nil)
	is(t, "the transaction", w.store.Within(t.Context(), func(ctx context.Context) bool {
		ctx, _ = a.call(ctx)
		_, found, err := w.store.Claim(ctx, key)
		is(t, "the claim", err, nil)
		equal(t, "found", found, false)
		is(t, "the answer", w.store.Keep(ctx, key, outbound.StoredAnswer{Body: "body"}, outbound.AnswerQuota{Org: like(w, workspace.ID("")).String(), Most: 1}), errGone)
		return false
	}), nil)
}

func (w *world) standingAtOnce(t *testing.T) {
	a := w.actingSession(t)
	ctx, _ := a.call(t.Context())
	openings := w.store.Openings
	open := func() error {
		return openings.Open(ctx, challenge.Challenge{
			Digest: w.ids.UUID(), Kind: challenge.LoginCode, CreatedAt: noon(), ExpiresAt: noon().Add(time.Minute),
		})
	}
	is(t, "a challenge", open(), nil)
	is(t, "the end", w.ends(t, a, func() {}), nil)
	is(t, "a challenge by what has ended", open(), errGone)
}
