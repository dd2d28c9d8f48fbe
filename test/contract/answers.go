package contract

import (
	"context"
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
}

var firstAnswer = outbound.StoredAnswer{Body: "mac of the body", Answer: "enc:1:sealed"}

// ask claims a key, stores the answer when there is none, and gives what was there.
func (w *world) ask(ctx context.Context, t *testing.T, key string, held func(), keep bool) (found bool, err error) {
	t.Helper()
	err = w.store.Within(ctx, func(ctx context.Context) bool {
		answer, there, err := w.store.Claim(ctx, key)
		if err != nil {
			t.Error(err)
			return false
		}
		held()
		if found = there; found {
			if answer != firstAnswer {
				t.Errorf("got %v, want %v", answer, firstAnswer)
			}
			return true
		}
		if err := w.store.Keep(ctx, key, firstAnswer); err != nil {
			t.Error(err)
		}
		return keep
	})
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
	if err := w.store.Keep(t.Context(), "key", firstAnswer); err == nil {
		t.Error("kept outside a transaction")
	}
	err := w.store.Within(t.Context(), func(ctx context.Context) bool {
		if err := w.store.Keep(ctx, "unclaimed", firstAnswer); err == nil {
			t.Error("kept without a claim")
		}
		return true
	})
	is(t, "the transaction", err, nil)
}
