package contract

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/ports/outbound/mailing"
	"gatehouse.internal/ports/outbound/ops"
)

// mailRepos is what the suites of mail change.
type mailRepos struct {
	mails        mailing.Mails
	outbox       mailing.Outbox
	suppressions mailing.Suppressions
	templates    mailing.Templates
}

// mailing runs a change that must succeed.
func (w *world) mailing(t *testing.T, change func(ctx context.Context, tx mailRepos) error) {
	t.Helper()
	if err := w.tryMailing(t.Context(), change); err != nil {
		t.Fatal(err)
	}
}

func (w *world) tryMailing(ctx context.Context, change func(ctx context.Context, tx mailRepos) error) error {
	return w.unit.Do(ctx, func(tx Repos) error {
		return change(ctx, mailRepos{tx.Mails, tx.Outbox, tx.Suppressions, tx.Templates})
	})
}

func (w *world) queue(t *testing.T, requests ...mail.Request) {
	t.Helper()
	w.mailing(t, func(ctx context.Context, tx mailRepos) error {
		for _, r := range requests {
			if err := tx.mails.Queue(ctx, r); err != nil {
				return err
			}
		}
		return nil
	})
}

func (w *world) claimMail(t *testing.T, most int) (claimed []mail.ClaimedMail) {
	t.Helper()
	w.mailing(t, func(ctx context.Context, tx mailRepos) (err error) {
		now := w.clock.Now()
		claimed, err = tx.outbox.Claim(ctx, most, now, mail.LeaseFrom(now))
		return err
	})
	return claimed
}

func (w *world) listMail(t *testing.T, query mailing.Query) []mail.Entry {
	t.Helper()
	found, err := w.store.MailQueue.List(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// recordOutcome stores an outcome, and returns what came of it.
func (w *world) recordOutcome(t *testing.T, c mail.ClaimedMail, o mail.Outcome) error {
	t.Helper()
	return w.tryMailing(t.Context(), func(ctx context.Context, tx mailRepos) error {
		return tx.outbox.RecordOutcome(ctx, c, o, w.clock.Now())
	})
}

// Mails checks the queue of mail.
func Mails(t *testing.T, open Opener) {
	t.Run("round trip", func(t *testing.T) { t.Parallel(); mailRoundTrip(t, newWorld(t, open)) })
	t.Run("once", func(t *testing.T) { t.Parallel(); mailOnce(t, newWorld(t, open)) })
	t.Run("addressed", func(t *testing.T) { t.Parallel(); mailAddressed(t, newWorld(t, open)) })
	t.Run("claims", func(t *testing.T) { t.Parallel(); mailClaims(t, newWorld(t, open)) })
	t.Run("claims at once", func(t *testing.T) { t.Parallel(); mailClaimsAtOnce(t, newWorld(t, open)) })
	t.Run("turns", func(t *testing.T) { t.Parallel(); mailTurns(t, newWorld(t, open)) })
	t.Run("requeue", func(t *testing.T) { t.Parallel(); mailRequeue(t, newWorld(t, open)) })
	t.Run("signal", func(t *testing.T) { t.Parallel(); mailSignal(t, newWorld(t, open)) })
	t.Run("account", func(t *testing.T) { t.Parallel(); mailAccount(t, newWorld(t, open)) })
	t.Run("lists", func(t *testing.T) { t.Parallel(); mailLists(t, newWorld(t, open)) })
	t.Run("purge", func(t *testing.T) { t.Parallel(); mailPurge(t, newWorld(t, open)) })
}

func mailRoundTrip(t *testing.T, w *world) {
	ada := w.person(t, "ada@example.com")
	asked := mail.Request{
		Template: mail.PasswordReset, UserID: ada.ID(), To: address(t, "Other@example.com"), Org: "org_01jd7x9k2mf3q8v5t0abcdefgh",
		Link:      mail.Link{Kind: challenge.PasswordReset, Minutes: 30, Page: "/recover", RedirectURI: "https://app.example.com/x", Content: []byte(`{"a":"ä"}`)},
		Challenge: "digest", CodeMinutes: 10, Facts: map[string]string{"ip": "203.0.113.7"},
	}
	w.queue(t, asked)
	queued := w.listMail(t, mailing.Query{Limit: 10})
	claimed := w.claimMail(t, 10)
	if len(queued) != 1 || len(claimed) != 1 {
		t.Fatalf("%d queued, %d claimed, want 1", len(queued), len(claimed))
	}
	equal(t, "the request", claimed[0], mail.ClaimedMail{ID: queued[0].ID, Request: asked, Attempt: 1})
	equal(t, "the entry", queued[0], mail.Entry{
		ID: claimed[0].ID, Template: mail.PasswordReset, UserID: ada.ID(), To: asked.To, Status: mail.Queued, CreatedAt: noon(),
	})
}

func mailOnce(t *testing.T, w *world) {
	ada := w.person(t, "ada@example.com")
	ask := mail.Request{Template: mail.Notice, UserID: ada.ID(), Once: "evt_1"}
	var working sync.WaitGroup
	for range 6 {
		working.Go(func() {
			err := w.tryMailing(t.Context(), func(ctx context.Context, tx mailRepos) error { return tx.mails.Queue(ctx, ask) })
			if err != nil {
				t.Error(err)
			}
		})
	}
	working.Wait()
	other := ask
	other.Once = "evt_2"
	w.queue(t, ask, other)
	if got := len(w.listMail(t, mailing.Query{Limit: 10})); got != 2 {
		t.Errorf("%d mails, want one for each event", got)
	}
}

func mailAddressed(t *testing.T, w *world) {
	ada := w.person(t, "ada@example.com")
	w.queue(t, mail.Request{Template: mail.Notice, To: ada.Snapshot().Email, Facts: map[string]string{"detail": "Lovelace"}})
	c := w.claimMail(t, 1)[0]
	w.mailing(t, func(ctx context.Context, tx mailRepos) error {
		return tx.outbox.Address(ctx, c, ada.ID(), ada.Snapshot().Email)
	})
	listed := w.listMail(t, mailing.Query{To: address(t, "ADA@example.com"), Limit: 10})
	if len(listed) != 1 || listed[0].To.String() != "ada@example.com" || listed[0].UserID != ada.ID() {
		t.Errorf("listed %+v", listed)
	}
}

func mailClaims(t *testing.T, w *world) {
	ada := w.person(t, "ada@example.com")
	ask := mail.Request{Template: mail.Notice, UserID: ada.ID()}
	w.queue(t, ask)
	since := w.clock.Now()
	w.clock.move(time.Second)
	w.queue(t, ask, ask)
	if ready, oldest, err := w.store.MailQueue.Backlog(t.Context(), w.clock.Now()); err != nil || ready != 3 || !oldest.Equal(since) {
		t.Errorf("backlog %d since %v, %v, want 3 since %v", ready, oldest, err, since)
	}
	due, err := w.store.MailQueue.Due(t.Context(), w.clock.Now())
	if err != nil || !due {
		t.Fatalf("due %t, %v", due, err)
	}
	all := w.listMail(t, mailing.Query{Limit: 10})
	first, second := w.claimMail(t, 1), w.claimMail(t, 10)
	if len(first) != 1 || first[0].ID != all[2].ID || len(second) != 2 {
		t.Fatalf("claimed %+v and %+v, want the longest waiting first", first, second)
	}
	if due, _ := w.store.MailQueue.Due(t.Context(), w.clock.Now()); due {
		t.Error("what is claimed is due")
	}
	if ready, oldest, err := w.store.MailQueue.Backlog(t.Context(), w.clock.Now()); err != nil || ready != 0 || !oldest.IsZero() {
		t.Errorf("backlog %d since %v, %v, want none", ready, oldest, err)
	}
	if depth, _ := w.store.MailQueue.Depth(t.Context()); depth != 3 {
		t.Errorf("depth %d, want 3", depth)
	}
	w.clock.move(2 * time.Minute)
	if again := w.claimMail(t, 10); len(again) != 3 || again[0].Attempt != 2 {
		t.Errorf("claimed %+v after the lease", again)
	}
}

func mailClaimsAtOnce(t *testing.T, w *world) {
	ada := w.person(t, "ada@example.com")
	for range 40 {
		w.queue(t, mail.Request{Template: mail.Notice, UserID: ada.ID()})
	}
	var guard sync.Mutex
	seen := map[mail.ID]int{}
	var working sync.WaitGroup
	for range 8 {
		working.Go(func() {
			for {
				var claimed []mail.ClaimedMail
				err := w.tryMailing(t.Context(), func(ctx context.Context, tx mailRepos) (err error) {
					now := w.clock.Now()
					claimed, err = tx.outbox.Claim(ctx, 3, now, mail.LeaseFrom(now))
					return err
				})
				if err != nil || len(claimed) == 0 || len(claimed) > 3 {
					if err != nil || len(claimed) > 3 {
						t.Errorf("claimed %d, %v", len(claimed), err)
					}
					return
				}
				guard.Lock()
				for _, c := range claimed {
					seen[c.ID]++
				}
				guard.Unlock()
			}
		})
	}
	working.Wait()
	for id, times := range seen {
		if times != 1 {
			t.Errorf("%s was claimed %d times", id, times)
		}
	}
	if len(seen) != 40 {
		t.Errorf("%d were claimed, want 40", len(seen))
	}
}

// mailTurns checks that nobody writes to a mail whose turn is over.
func mailTurns(t *testing.T, w *world) {
	ada := w.person(t, "ada@example.com")
	w.queue(t, mail.Request{Template: mail.Notice, UserID: ada.ID()})
	early := w.claimMail(t, 1)[0]
	w.clock.move(2 * time.Minute)
	late := w.claimMail(t, 1)[0]
	is(t, "an old turn", w.recordOutcome(t, early, mail.Outcome{Status: mail.Sent}), mail.ErrLost)
	for what, change := range map[string]func(ctx context.Context, tx mailRepos) error{
		"drop": func(ctx context.Context, tx mailRepos) error { return tx.outbox.Drop(ctx, early) },
		"address": func(ctx context.Context, tx mailRepos) error {
			return tx.outbox.Address(ctx, early, ada.ID(), ada.Snapshot().Email)
		},
	} {
		is(t, what+" in an old turn", w.tryMailing(t.Context(), change), mail.ErrLost)
	}
	again := w.clock.Now().Add(time.Minute)
	is(t, "try again", w.recordOutcome(t, late, mail.Outcome{Status: mail.Queued, RetryAt: again, Why: "451"}), nil)
	if got := w.listMail(t, mailing.Query{Status: mail.Queued, Limit: 1}); got[0].LastError != "451" || got[0].Attempts != 2 {
		t.Errorf("entry %+v", got[0])
	}
	w.clock.move(time.Minute)
	last := w.claimMail(t, 1)[0]
	for _, end := range []mail.Status{mail.Sent, mail.Failed, mail.Suppressed} {
		want := error(nil)
		if end != mail.Sent { // the first end is the last
			want = mail.ErrLost
		}
		is(t, string(end), w.recordOutcome(t, last, mail.Outcome{Status: end}), want)
	}
	w.clock.move(time.Hour)
	if got := w.claimMail(t, 1); len(got) != 0 {
		t.Errorf("what was sent is claimed: %+v", got)
	}
}

func mailRequeue(t *testing.T, w *world) {
	ada := w.person(t, "ada@example.com")
	ask := mail.Request{Template: mail.Notice, UserID: ada.ID()}
	var failed []mail.ClaimedMail
	for range 4 {
		w.queue(t, ask)
		c := w.claimMail(t, 1)[0]
		is(t, "fail", w.recordOutcome(t, c, mail.Outcome{Status: mail.Failed, Why: "550"}), nil)
		failed = append(failed, c)
		w.clock.move(time.Second)
	}
	w.queue(t, ask)
	sent := w.claimMail(t, 1)[0]
	is(t, "send", w.recordOutcome(t, sent, mail.Outcome{Status: mail.Sent}), nil)
	requeue := func(id mail.ID) error {
		return w.tryMailing(t.Context(), func(ctx context.Context, tx mailRepos) error { return tx.outbox.Requeue(ctx, id, w.clock.Now()) })
	}
	is(t, "nothing", requeue("eml_01jd7x9k2mf3q8v5t0abcdefgh"), mail.ErrNotFound)
	is(t, "what was sent", requeue(sent.ID), mail.ErrNotFailed)
	is(t, "what failed", requeue(failed[3].ID), nil)
	is(t, "it again", requeue(failed[3].ID), mail.ErrNotFailed)
	w.mailing(t, func(ctx context.Context, tx mailRepos) error {
		n, err := tx.outbox.RequeueSince(ctx, noon().Add(time.Second), w.clock.Now(), 1)
		if n != 1 {
			t.Errorf("%d queued again, want 1", n)
		}
		return err
	})
	claimed := w.claimMail(t, 10)
	if len(claimed) != 2 || claimed[0].Attempt != 1 || claimed[0].ID != failed[1].ID && claimed[1].ID != failed[1].ID {
		t.Errorf("claimed %+v, want the last and the second that failed", claimed)
	}
	if got := w.listMail(t, mailing.Query{Status: mail.Failed, Limit: 10}); len(got) != 2 || got[0].ID != failed[2].ID {
		t.Errorf("failed %+v", got)
	}
}

var errTakenBack = errors.New("taken back")

// mailSignal checks that a commit is told, and nothing else.
func mailSignal(t *testing.T, w *world) {
	ada := w.person(t, "ada@example.com")
	ask := mail.Request{Template: mail.Notice, UserID: ada.ID()}
	signaled := func() bool {
		select {
		case <-w.store.MailQueue.Queued():
			return true
		default:
			return false
		}
	}
	is(t, "a unit that fails", w.tryMailing(t.Context(), func(ctx context.Context, tx mailRepos) error {
		return errors.Join(tx.mails.Queue(ctx, ask), errTakenBack)
	}), errTakenBack)
	if signaled() {
		t.Error("mail that was taken back is told")
	}
	w.queue(t, ask, ask)
	if !signaled() || signaled() {
		t.Error("a commit is not told once")
	}
	for _, keep := range []bool{false, true} {
		err := w.store.Within(t.Context(), func(ctx context.Context) bool {
			if err := w.tryMailing(ctx, func(ctx context.Context, tx mailRepos) error { return tx.mails.Queue(ctx, ask) }); err != nil {
				t.Error(err)
			}
			if signaled() {
				t.Error("mail is told before the commit")
			}
			return keep
		})
		if err != nil || signaled() != keep {
			t.Errorf("keep %t: %v", keep, err)
		}
	}
}

// mailAccount checks that mail goes with its account.
func mailAccount(t *testing.T, w *world) {
	ada := w.person(t, "ada@example.com")
	w.queue(t, mail.Request{Template: mail.Notice, UserID: ada.ID()}, mail.Request{Template: mail.Notice, To: ada.Snapshot().Email})
	if got := w.listMail(t, mailing.Query{To: ada.Snapshot().Email, Limit: 10}); len(got) != 2 || got[0].To != got[1].To {
		t.Errorf("listed %+v", got)
	}
	for _, c := range w.claimMail(t, 10) {
		w.mailing(t, func(ctx context.Context, tx mailRepos) error {
			return tx.outbox.Address(ctx, c, ada.ID(), ada.Snapshot().Email)
		})
	}
	w.do(t, func(ctx context.Context, tx Repos) error {
		u, err := tx.Users.ByID(ctx, ada.ID())
		if err != nil {
			return err
		}
		return tx.Users.Delete(ctx, u)
	})
	if got := w.listMail(t, mailing.Query{Limit: 10}); len(got) != 0 {
		t.Errorf("mail of nobody is left: %+v", got)
	}
}

func mailPurge(t *testing.T, w *world) {
	ada := w.person(t, "ada@example.com")
	w.queue(t, mail.Request{Template: mail.Notice, UserID: ada.ID(), Once: "evt_1"})
	purge := func() int {
		n, err := w.store.Upkeep.Purge(t.Context(), ops.PurgeMails, w.clock.Now())
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	w.clock.move(30*24*time.Hour - time.Microsecond)
	if n := purge(); n != 0 {
		t.Errorf("%d purged too early", n)
	}
	w.clock.move(time.Microsecond)
	if n := purge(); n != 1 {
		t.Errorf("%d purged, want 1", n)
	}
}
