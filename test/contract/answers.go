package contract

import (
	"context"
	"errors"
	"testing"
	"time"

	"gatehouse.internal/ports/outbound"
)

// Answers checks outbound.Answers.
func Answers(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("answers the second call", w.answersKept)
	t.Run("forgets a dropped call", w.answersDropped)
	t.Run("lets a twin wait", w.answersTwin)
	t.Run("lets a twin of a dropped call begin", w.answersFailedTwin)
	t.Run("expires after a day", w.answersExpire)
	t.Run("needs a transaction", w.answersOutside)
	t.Run("lets a twin of a paused call know", w.answersPaused)
	t.Run("gives back the key of a paused call", w.answersGivenBack)
	t.Run("gives the key of a lost call to the next", w.answersLost)
}

var firstAnswer = outbound.StoredAnswer{Body: "mac of the body", Answer: "enc:1:sealed"}

// ask claims a key, stores the answer when there is none, and returns what was there. Where
// another call is under way, it begins again, as the engine does.
func (w *world) ask(ctx context.Context, t *testing.T, key string, held func(), keep bool) (found bool, err error) {
	t.Helper()
	for pending := true; pending && err == nil; {
		pending = false
		err = w.store.Within(ctx, func(ctx context.Context) bool {
			answer, there, err := w.store.Claim(ctx, key)
			if err == nil && !there {
				err = w.store.Keep(ctx, key, firstAnswer, outbound.AnswerQuota{})
			}
			switch {
			case errors.Is(err, outbound.ErrAnswerPending):
				pending = true
				return false
			case err != nil:
				t.Error(err)
				return false
			}
			held()
			if found = there; found && answer != firstAnswer {
				t.Errorf("got %v, want %v", answer, firstAnswer)
			}
			return found || keep
		})
	}
	return found, err
}

func (w *world) answersKept(t *testing.T) {
	for i, want := range []bool{false, true, true} {
		found, err := w.ask(t.Context(), t, "kept", func() {}, true)
		is(t, "the claim", err, nil)
		equal(t, []string{"first", "second", "third"}[i]+" call is answered", found, want)
	}
	found, err := w.ask(t.Context(), t, "another", func() {}, true)
	is(t, "the claim", err, nil)
	equal(t, "another key is answered", found, false)
}

func (w *world) answersDropped(t *testing.T) {
	for range 2 {
		found, err := w.ask(t.Context(), t, "dropped", func() {}, false)
		is(t, "the claim", err, nil)
		equal(t, "the call is answered", found, false)
	}
}

func (w *world) answersTwin(t *testing.T)       { w.twins(t, "twin", true) }
func (w *world) answersFailedTwin(t *testing.T) { w.twins(t, "failed twin", false) }

func (w *world) twins(t *testing.T, key string, keep bool) {
	t.Helper()
	var answered bool
	inTurn(t, func(held func()) error {
		_, err := w.ask(t.Context(), t, key, held, keep)
		return err
	}, func(held func()) (err error) {
		answered, err = w.ask(t.Context(), t, key, held, keep)
		return err
	})
	equal(t, "the twin is answered", answered, keep)
}

func (w *world) answersExpire(t *testing.T) {
	for _, c := range []struct {
		later time.Duration
		want  bool
	}{{0, false}, {24*time.Hour - time.Microsecond, true}, {time.Microsecond, false}, {time.Hour, true}} {
		w.clock.move(c.later)
		found, err := w.ask(t.Context(), t, "expiring", func() {}, true)
		is(t, "the claim", err, nil)
		equal(t, "answered after "+c.later.String(), found, c.want)
	}
}

func (w *world) answersOutside(t *testing.T) {
	if _, _, err := w.store.Claim(t.Context(), "key"); err == nil {
		t.Error("claimed outside a transaction")
	}
	if err := w.store.Keep(t.Context(), "key", firstAnswer, outbound.AnswerQuota{}); err == nil {
		t.Error("kept outside a transaction")
	}
	err := w.store.Within(t.Context(), func(ctx context.Context) bool {
		if err := w.store.Keep(ctx, "unclaimed", firstAnswer, outbound.AnswerQuota{}); err == nil {
			t.Error("kept without a claim")
		}
		return true
	})
	is(t, "the transaction", err, nil)
}

// claim takes a key in a transaction of its own, which is dropped.
func (w *world) claim(t *testing.T, key string) (found bool, err error) {
	t.Helper()
	is(t, "the transaction", w.store.Within(t.Context(), func(ctx context.Context) bool {
		_, found, err = w.store.Claim(ctx, key)
		return false
	}), nil)
	return found, err
}

func (w *world) answersPaused(t *testing.T) {
	found, err := w.ask(t.Context(), t, "paused", func() {}, true)
	is(t, "the claim", err, nil)
	equal(t, "the first call is answered", found, false)
	err = w.store.Within(t.Context(), func(ctx context.Context) bool {
		_, _, err := w.store.Claim(ctx, "pausing")
		is(t, "the claim", err, nil)
		is(t, "the pause", w.store.Pause(ctx, func() error {
			_, err := w.claim(t, "pausing")
			is(t, "the claim of a twin", err, outbound.ErrAnswerPending)
			found, err := w.claim(t, "paused")
			is(t, "the claim of another key", err, nil)
			equal(t, "another key is answered", found, true)
			return nil
		}), nil)
		is(t, "the answer", w.store.Keep(ctx, "pausing", firstAnswer, outbound.AnswerQuota{}), nil)
		return true
	})
	is(t, "the transaction", err, nil)
	for _, later := range []time.Duration{0, 24*time.Hour - time.Microsecond} {
		w.clock.move(later)
		found, err := w.claim(t, "pausing")
		is(t, "the claim of a twin", err, nil)
		equal(t, "the twin is answered after "+later.String(), found, true)
	}
}

func (w *world) answersGivenBack(t *testing.T) {
	for how, end := range map[string]func() bool{"dropped": func() bool { return false }, "panicked": func() bool { panic("out of ideas") }} {
		func() {
			defer func() { _ = recover() }()
			_ = w.store.Within(t.Context(), func(ctx context.Context) bool {
				_, _, err := w.store.Claim(ctx, how)
				is(t, "the claim", err, nil)
				is(t, "the pause", w.store.Pause(ctx, func() error { return nil }), nil)
				return end()
			})
		}()
		found, err := w.claim(t, how)
		is(t, "the claim after one that "+how, err, nil)
		equal(t, "it is answered", found, false)
	}
}

// answersLost leaves a call alone for longer than it may take: another takes its
// key, and it keeps no answer any more.
func (w *world) answersLost(t *testing.T) {
	err := w.store.Within(t.Context(), func(ctx context.Context) bool {
		_, _, err := w.store.Claim(ctx, "lost")
		is(t, "the claim", err, nil)
		is(t, "the pause", w.store.Pause(ctx, func() error {
			w.clock.move(2*time.Minute - time.Microsecond)
			_, err := w.claim(t, "lost")
			is(t, "the claim of a twin", err, outbound.ErrAnswerPending)
			w.clock.move(time.Microsecond)
			found, err := w.ask(t.Context(), t, "lost", func() {}, true)
			is(t, "the claim of the next", err, nil)
			equal(t, "the next is answered", found, false)
			return nil
		}), nil)
		if err := w.store.Keep(ctx, "lost", outbound.StoredAnswer{Body: "late", Answer: "late"}, outbound.AnswerQuota{}); err == nil {
			t.Error("a lost call kept its answer")
		}
		return false
	})
	is(t, "the transaction", err, nil)
	found, err := w.ask(t.Context(), t, "lost", func() {}, true)
	is(t, "the claim", err, nil)
	equal(t, "the answer of the next is kept", found, true)
}
