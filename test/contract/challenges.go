package contract

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse.internal/adapters/system"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/ops"
	"gatehouse.internal/ports/outbound/signin"
)

// Challenges checks signin.Challenges.
func Challenges(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("keeps every field", w.challengesRoundTrip)
	t.Run("never takes one kind for another", w.challengesKinds)
	t.Run("ends them in time", w.challengesEnd)
	t.Run("hands one out once", w.challengesOnce)
	t.Run("hands one out once to all who try", w.challengesRace)
	t.Run("keeps one that a unit took and gave up", w.challengesRollback)
	t.Run("ends one with the fifth wrong answer", w.challengesMisses)
	t.Run("counts every parallel wrong answer", w.challengesMissRace)
	t.Run("makes those who look at one wait", w.challengesTurn)
	t.Run("arms one with a code", w.challengesArm)
	t.Run("drops those of a user", w.challengesDrop)
	t.Run("removes those that have ended", func(t *testing.T) { w.challengesPurged(t, open) })
}

// kinds are all kinds of challenges.
func kinds() []challenge.Kind {
	return []challenge.Kind{
		challenge.SecondFactor, challenge.FactorCode, challenge.PasskeyRegistration, challenge.PasskeyLogin, challenge.PasskeySignup,
		challenge.PasswordReset, challenge.EmailVerification, challenge.EmailChange, challenge.LoginLink, challenge.LoginCode,
		challenge.FactorEnrollment, challenge.SocialState, challenge.SocialCode,
	}
}

// waited stores a challenge that lasts five minutes.
func (w *world) waited(t *testing.T, kind challenge.Kind, about user.ID) challenge.Challenge {
	t.Helper()
	_, digest := challenge.NewHandle(system.Random{})
	c := challenge.Challenge{
		Digest: digest, Kind: kind, UserID: about, Content: []byte(`{"a":"é"}`),
		CreatedAt: noon(), ExpiresAt: noon().Add(5 * time.Minute),
	}
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Challenges.Open(ctx, c) })
	return c
}

// look reads a challenge.
func (w *world) look(t *testing.T, kind challenge.Kind, digest string, now time.Time) (challenge.Challenge, error) {
	t.Helper()
	return w.challenge(t, func(ctx context.Context, tx Repos) (challenge.Challenge, error) {
		return tx.Challenges.Look(ctx, kind, digest, now)
	})
}

// take takes a challenge.
func (w *world) take(t *testing.T, kind challenge.Kind, digest string, now time.Time) (challenge.Challenge, error) {
	t.Helper()
	return w.challenge(t, func(ctx context.Context, tx Repos) (challenge.Challenge, error) {
		return tx.Challenges.Take(ctx, kind, digest, now)
	})
}

func (w *world) challenge(t *testing.T, read func(context.Context, Repos) (challenge.Challenge, error)) (challenge.Challenge, error) {
	t.Helper()
	var found challenge.Challenge
	err := w.unit.Do(t.Context(), func(tx Repos) (err error) {
		found, err = read(t.Context(), tx)
		return err
	})
	return found, err
}

func (w *world) challengesRoundTrip(t *testing.T) {
	person := w.person(t, "waited@example.com").ID()
	for _, want := range []challenge.Challenge{
		{
			Digest: "full", Kind: challenge.LoginCode, UserID: person, Content: []byte("a\x00\xffb"), Code: "keyed", CodeExpiresAt: noon().Add(time.Minute),
			Failures: 3, CreatedAt: noon().Add(-time.Microsecond), ExpiresAt: noon().Add(time.Hour),
		},
		{Digest: "bare", Kind: challenge.SocialState, Content: []byte{}, CreatedAt: noon(), ExpiresAt: noon().Add(time.Hour)},
	} {
		w.do(t, func(ctx context.Context, tx Repos) error { return tx.Challenges.Open(ctx, want) })
		got, err := w.look(t, want.Kind, want.Digest, noon())
		is(t, "looked at", err, nil)
		equal(t, "looked at", got, want)
		got, err = w.take(t, want.Kind, want.Digest, noon())
		is(t, "taken", err, nil)
		equal(t, "taken", got, want)
	}
}

func (w *world) challengesKinds(t *testing.T) {
	for _, made := range kinds() {
		c := w.waited(t, made, "")
		for _, asked := range kinds() {
			if asked == made {
				continue
			}
			_, looked := w.look(t, asked, c.Digest, noon())
			_, taken := w.take(t, asked, c.Digest, noon())
			if !errors.Is(looked, challenge.ErrGone) || !errors.Is(taken, challenge.ErrGone) {
				t.Errorf("%s asked for as %s: %v and %v", made, asked, looked, taken)
			}
		}
		_, err := w.take(t, made, c.Digest, noon())
		is(t, string(made), err, nil)
	}
}

func (w *world) challengesEnd(t *testing.T) {
	c := w.waited(t, challenge.LoginLink, "")
	for what, now := range map[string]time.Time{"at its end": c.ExpiresAt, "after it": c.ExpiresAt.Add(time.Hour)} {
		_, looked := w.look(t, c.Kind, c.Digest, now)
		_, taken := w.take(t, c.Kind, c.Digest, now)
		is(t, what, looked, challenge.ErrGone)
		is(t, what, taken, challenge.ErrGone)
	}
	_, err := w.take(t, c.Kind, c.Digest, c.ExpiresAt.Add(-time.Microsecond))
	is(t, "before its end", err, nil)
	_, err = w.take(t, c.Kind, "absent", noon())
	is(t, "an absent one", err, challenge.ErrGone)
}

func (w *world) challengesOnce(t *testing.T) {
	c := w.waited(t, challenge.PasswordReset, "")
	_, err := w.take(t, c.Kind, c.Digest, noon())
	is(t, "the first", err, nil)
	_, err = w.take(t, c.Kind, c.Digest, noon())
	is(t, "the second", err, challenge.ErrGone)
	_, err = w.look(t, c.Kind, c.Digest, noon())
	is(t, "a look", err, challenge.ErrGone)
}

func (w *world) challengesRace(t *testing.T) {
	const takers = 8
	c := w.waited(t, challenge.SocialCode, "")
	var all sync.WaitGroup
	var taken, gone atomic.Int32
	for range takers {
		all.Go(func() {
			switch _, err := w.take(t, c.Kind, c.Digest, noon()); {
			case err == nil:
				taken.Add(1)
			case errors.Is(err, challenge.ErrGone):
				gone.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if taken.Load() != 1 || gone.Load() != takers-1 {
		t.Errorf("%d took it, %d were told that it is gone", taken.Load(), gone.Load())
	}
}

func (w *world) challengesRollback(t *testing.T) {
	c := w.waited(t, challenge.PasskeyLogin, "")
	w.fails(t, errEnough, func(ctx context.Context, tx Repos) error {
		if _, err := tx.Challenges.Take(ctx, c.Kind, c.Digest, noon()); err != nil {
			return err
		}
		return errEnough
	})
	_, err := w.take(t, c.Kind, c.Digest, noon())
	is(t, "afterwards", err, nil)
}

func (w *world) miss(t *testing.T, digest string) {
	t.Helper()
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Challenges.Miss(ctx, digest) })
}

func (w *world) challengesMisses(t *testing.T) {
	c := w.waited(t, challenge.SecondFactor, "")
	for failures := 1; failures < challenge.MaxFailures; failures++ {
		w.miss(t, c.Digest)
		found, err := w.look(t, c.Kind, c.Digest, noon())
		is(t, "a look", err, nil)
		equal(t, "the failures", found.Failures, failures)
	}
	w.miss(t, c.Digest)
	_, err := w.take(t, c.Kind, c.Digest, noon())
	is(t, "after the last", err, challenge.ErrGone)
	w.miss(t, c.Digest)
}

// challengesMissRace returns wrong answers at once, from those who look first as a
// command does: exactly five of them are heard.
func (w *world) challengesMissRace(t *testing.T) {
	const guessers = 12
	c := w.waited(t, challenge.LoginCode, "")
	var all sync.WaitGroup
	var heard, gone atomic.Int32
	for range guessers {
		all.Go(func() {
			ended := false
			err := w.unit.Do(t.Context(), func(tx Repos) error {
				_, err := tx.Challenges.Look(t.Context(), c.Kind, c.Digest, noon())
				if ended = errors.Is(err, challenge.ErrGone); ended {
					return nil
				}
				if err != nil {
					return err
				}
				return tx.Challenges.Miss(t.Context(), c.Digest)
			})
			switch {
			case err != nil:
				t.Error(err)
			case ended:
				gone.Add(1)
			default:
				heard.Add(1)
			}
		})
	}
	all.Wait()
	if heard.Load() != challenge.MaxFailures || gone.Load() != guessers-challenge.MaxFailures {
		t.Errorf("%d wrong answers were heard, %d came too late", heard.Load(), gone.Load())
	}
}

func (w *world) challengesTurn(t *testing.T) {
	c := w.waited(t, challenge.SecondFactor, "")
	look := func(held func()) error {
		return w.unit.Do(t.Context(), func(tx Repos) error {
			if _, err := tx.Challenges.Look(t.Context(), c.Kind, c.Digest, noon()); err != nil {
				return err
			}
			held()
			return nil
		})
	}
	inTurn(t, look, look)
}

func (w *world) challengesArm(t *testing.T) {
	c, ada := w.waited(t, challenge.LoginCode, ""), w.person(t, "armed@example.com")
	for _, code := range []signin.ArmedCode{
		{Hash: "first", Until: noon().Add(time.Minute)},
		{Hash: "second", Until: noon().Add(time.Minute), About: ada.ID()},
		{Hash: "third", Until: noon().Add(time.Hour)},
	} {
		w.do(t, func(ctx context.Context, tx Repos) error { return tx.Challenges.Arm(ctx, c.Digest, code) })
		found, err := w.look(t, c.Kind, c.Digest, noon())
		is(t, "a look", err, nil)
		equal(t, "the code", found.Code, code.Hash)
		equal(t, "its end", found.CodeExpiresAt, code.Until)
		equal(t, "its account", found.UserID, map[bool]user.ID{false: ada.ID()}[code.Hash == "first"])
	}
	w.fails(t, challenge.ErrGone, func(ctx context.Context, tx Repos) error {
		return tx.Challenges.Arm(ctx, "absent", signin.ArmedCode{Hash: "code", Until: noon()})
	})
}

func (w *world) challengesDrop(t *testing.T) {
	ada, bob := w.person(t, "dropped@example.com"), w.person(t, "kept@example.com")
	reset, link := w.waited(t, challenge.PasswordReset, ada.ID()), w.waited(t, challenge.LoginLink, ada.ID())
	verification, other := w.waited(t, challenge.EmailVerification, ada.ID()), w.waited(t, challenge.PasswordReset, bob.ID())
	spared := w.waited(t, challenge.PasswordReset, ada.ID())
	w.do(t, func(ctx context.Context, tx Repos) error {
		n, err := tx.Challenges.Drop(ctx, signin.ChallengeQuery{
			About: ada.ID(), Kinds: []challenge.Kind{challenge.PasswordReset},
			Spare: func(c challenge.Challenge) bool { return c.Digest == spared.Digest },
		})
		equal(t, "how many were not spared", n, 1)
		return err
	})
	w.do(t, func(ctx context.Context, tx Repos) error {
		_, err := tx.Challenges.Take(ctx, spared.Kind, spared.Digest, noon())
		is(t, "what was spared", err, nil)
		n, err := tx.Challenges.Drop(ctx, signin.ChallengeQuery{About: ada.ID(), Kinds: []challenge.Kind{challenge.PasswordReset, challenge.LoginLink}})
		equal(t, "how many more there were", n, 1)
		return err
	})
	for _, c := range []struct {
		what string
		of   challenge.Challenge
		want error
	}{
		{"of the one kind", reset, challenge.ErrGone},
		{"of the other", link, challenge.ErrGone},
		{"of a kind that stays", verification, nil},
		{"of somebody else", other, nil},
	} {
		_, err := w.look(t, c.of.Kind, c.of.Digest, noon())
		is(t, c.what, err, c.want)
	}
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Users.Delete(ctx, bob) })
	_, err := w.look(t, other.Kind, other.Digest, noon())
	is(t, "of an account that is gone", err, challenge.ErrGone)
}

func (w *world) challengesPurged(t *testing.T, open Opener) {
	w = newWorld(t, open)
	c := w.waited(t, challenge.SocialState, "")
	w.dueAt(t, ops.PurgeChallenges, c.ExpiresAt)
}
