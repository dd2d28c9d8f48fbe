package contract

import (
	"context"
	"fmt"
	"testing"
	"time"

	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/ops"
)

// Quotas checks machines.Quotas, and the quota of outbound.Answers.
func Quotas(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("count what is there", w.quotasCount)
	t.Run("count one after the other", w.quotasInTurn)
	t.Run("bound audit entries of a day", w.quotasAudited)
	t.Run("bound stored answers", w.quotasAnswers)
}

func (w *world) quotasCount(t *testing.T) {
	person, org := w.owner(t, "counted@example.com")
	ended := w.minted(t, person, org).Snapshot()
	ended.RevokedAt = noon()
	w.apiKey(t, w.minted(t, person, org))
	w.apiKey(t, apikey.Restore(ended, 0))
	_, elsewhere := w.owner(t, "elsewhere@example.com")
	w.do(t, func(ctx context.Context, tx Repos) error {
		for of, want := range map[workspace.ID]int{org: 1, elsewhere: 0} {
			n, err := tx.Quotas.APIKeys(ctx, of, noon())
			is(t, "counting keys", err, nil)
			equal(t, "the active keys", n, want)
		}
		n, err := tx.Quotas.Apps(ctx, elsewhere)
		equal(t, "the apps", n, 0)
		return err
	})
}

func (w *world) quotasInTurn(t *testing.T) {
	_, org := w.owner(t, "in-turn@example.com")
	count := func(held func()) error {
		return w.unit.Do(t.Context(), func(tx Repos) error {
			_, err := tx.Quotas.Apps(t.Context(), org)
			held()
			return err
		})
	}
	inTurn(t, count, count)
}

func (w *world) quotasAudited(t *testing.T) {
	_, org := w.owner(t, "audited@example.com")
	midnight := noon().Truncate(24 * time.Hour)
	for _, step := range []struct {
		size int
		at   time.Time
		want bool
	}{
		{600, midnight, true},
		{401, noon(), false},
		{400, noon(), true},
		{1, noon(), false},
		{1, midnight.Add(24*time.Hour - 1), false},
		{1000, midnight.Add(24 * time.Hour), true},
		{1, midnight.Add(-1), true},
	} {
		w.do(t, func(ctx context.Context, tx Repos) error {
			within, err := tx.Quotas.Audited(ctx, org, step.size, 1000, step.at)
			equal(t, fmt.Sprint(step.size, " bytes at ", step.at), within, step.want)
			return err
		})
	}
}

// answered keeps an answer that counts for a workspace, which may have two.
func (w *world) answered(t *testing.T, key, org string) error {
	t.Helper()
	var refused error
	is(t, "the transaction", w.store.Within(t.Context(), func(ctx context.Context) bool {
		_, found, err := w.store.Claim(ctx, key)
		is(t, "the claim", err, nil)
		equal(t, "the key is answered", found, false)
		refused = w.store.Keep(ctx, key, firstAnswer, outbound.AnswerQuota{Org: org, Most: 2})
		return refused == nil
	}), nil)
	return refused
}

func (w *world) quotasAnswers(t *testing.T) {
	for _, key := range []string{"1", "2"} {
		is(t, "an answer", w.answered(t, "quota "+key, "org_answers"), nil)
	}
	is(t, "one too many", w.answered(t, "quota 3", "org_answers"), outbound.ErrTooManyAnswers)
	is(t, "one of another workspace", w.answered(t, "quota 3", "org_others"), nil)
	w.clock.move(24 * time.Hour)
	defer w.clock.move(-24 * time.Hour)
	is(t, "one in place of an answer that expired", w.answered(t, "quota 1", "org_answers"), nil)
	is(t, "another while one that expired is there", w.answered(t, "quota 4", "org_answers"), outbound.ErrTooManyAnswers)
	for w.purge(t, ops.PurgeAnswers, w.clock.Now()) > 0 {
	}
	is(t, "another once that was purged", w.answered(t, "quota 4", "org_answers"), nil)
	is(t, "one too many again", w.answered(t, "quota 5", "org_answers"), outbound.ErrTooManyAnswers)
}

// upkeepEvents removes what happened before a time, whatever it is.
func (w *world) upkeepEvents(t *testing.T) {
	for w.purge(t, ops.PurgeEvents, noon()) > 0 {
	}
	w.person(t, "kept-events@example.com")
	before := len(w.audit(t, outbound.AuditQuery{}))
	equal(t, "what goes of what happened since", w.purge(t, ops.PurgeEvents, noon()), 0)
	w.clock.move(time.Hour)
	defer w.clock.move(-time.Hour)
	w.person(t, "later-events@example.com")
	since := len(w.audit(t, outbound.AuditQuery{})) - before
	equal(t, "what goes of what happened before", w.purge(t, ops.PurgeEvents, noon().Add(time.Minute)), before)
	equal(t, "what is left", len(w.audit(t, outbound.AuditQuery{})), since)
	if before == 0 || since == 0 {
		t.Error("nothing happened")
	}
}
