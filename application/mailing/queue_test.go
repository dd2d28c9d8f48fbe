package mailing_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/adapters/sqlstore/mailing"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/test/harness"
)

// wantOutbox compares the one mail of a template with what it should be.
func wantOutbox(t *testing.T, h *harness.Service, status mail.Status, attempts int, why string) mail.Entry {
	t.Helper()
	left := entries(t, h, mail.Notice)
	if len(left) != 1 || left[0].Status != status || left[0].Attempts != attempts || left[0].LastError != why {
		t.Fatalf("outbox %+v, want one that is %s after %d attempts: %s", left, status, attempts, why)
	}
	return left[0]
}

func TestTemporaryFailureIsTriedAgain(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUp("ada@example.com")
	h.DeliverMail()
	queue(t, h, notice(ada))
	h.FailMail(errors.New("dial tcp 10.0.0.7: connection refused"))
	const why = "the mail server could not be reached or did not answer in time"
	for attempt, pause := range []time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour} {
		if h.DeliverMail() != 1 {
			t.Fatalf("attempt %d was not made", attempt+1)
		}
		wantOutbox(t, h, mail.Queued, attempt+1, why)
		h.Clock.Advance(pause*9/10 - time.Millisecond)
		if h.DeliverMail() != 0 {
			t.Fatalf("attempt %d comes too early", attempt+2)
		}
		h.Clock.Advance(pause/5 + time.Millisecond)
	}
	h.DeliverMail()
	failed := wantOutbox(t, h, mail.Failed, 5, why)
	h.Clock.Advance(24 * time.Hour)
	if h.DeliverMail() != 0 {
		t.Error("a mail that was given up is tried again")
	}
	events := h.Events(mail.KindFailed)
	if len(events) != 1 || events[0].UserID != ada.UserID || events[0].Outcome != "failure" {
		t.Fatalf("events %+v", events)
	}
	var recorded mail.GivenUp
	if err := json.Unmarshal(events[0].Data, &recorded); err != nil || recorded != (mail.GivenUp{MessageID: failed.ID, UserID: user.ID(ada.UserID), Template: mail.Notice, Attempts: 5}) {
		t.Errorf("event %s, %v", events[0].Data, err)
	}
}

func TestMailIsSentOnceTheServerIsBack(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUp("ada@example.com")
	h.DeliverMail()
	queue(t, h, notice(ada))
	h.FailMail(&mail.Refused{Text: "the mail server responded: 451 later"})
	h.DeliverMail()
	wantOutbox(t, h, mail.Queued, 1, "the mail server responded: 451 later")
	h.FailMail(nil)
	h.Clock.Advance(2 * time.Minute)
	if got := h.LastMail("ada@example.com"); got.Subject != "News" {
		t.Errorf("subject %q", got.Subject)
	}
	wantOutbox(t, h, mail.Sent, 2, "")
}

// A mail that nobody can open any more, because JWT_SECRET was changed, holds up no
// other, and is told about.
func TestMailThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada, bob := h.SignUp("ada@example.com"), h.SignUp("bob@example.com")
	h.DeliverMail()
	queue(t, h, notice(ada))
	if _, err := h.Store.Database().Write.ExecContext(t.Context(), `UPDATE mails SET content = 'x' WHERE status = 'queued'`); err != nil {
		t.Fatal(err)
	}
	queue(t, h, notice(bob))
	h.DeliverMail()
	if got := h.LastMail("bob@example.com"); got.Subject != "News" {
		t.Errorf("bob got %q", got.Subject)
	}
	left := entries(t, h, mail.Notice)
	if len(left) != 2 || left[0].Status != mail.Sent || left[1].Status != mail.Failed || !strings.Contains(left[1].LastError, "JWT_SECRET") {
		t.Fatalf("outbox %+v", left)
	}
	if events := h.Events(mail.KindFailed); len(events) != 1 || events[0].UserID != ada.UserID {
		t.Errorf("events %+v", events)
	}
	if left[1].To.String() != "ada@example.com" {
		t.Errorf("the mail is listed for %q", left[1].To)
	}
}

func TestPermanentFailureIsGivenUpAtOnce(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUp("ada@example.com")
	h.DeliverMail()
	queue(t, h, notice(ada))
	h.FailMail(&mail.Refused{Permanent: true, Text: "the mail server responded: 550 no"})
	h.DeliverMail()
	wantOutbox(t, h, mail.Failed, 1, "the mail server responded: 550 no")
	if len(h.Events(mail.KindFailed)) != 1 {
		t.Error("nobody is told")
	}
}

func TestMailOfAReplicaThatDiedIsSentByAnother(t *testing.T) {
	t.Parallel()
	for name, database := range databases(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := harness.On(t, database)
			ada := h.SignUp("ada@example.com")
			h.DeliverMail()
			queue(t, h, notice(ada))
			for attempt := 1; attempt <= mail.MaxAttempts; attempt++ {
				claimed := claim(t, h)
				if len(claimed) != 1 || claimed[0].Attempt != attempt {
					t.Fatalf("claimed %+v, want attempt %d", claimed, attempt)
				}
				if again := claim(t, h); len(again) != 0 || h.DeliverMail() != 0 {
					t.Fatal("what one replica sends, another does too")
				}
				h.Clock.Advance(2*time.Minute - time.Microsecond)
				if h.DeliverMail() != 0 {
					t.Fatal("the lease ends early")
				}
				h.Clock.Advance(time.Microsecond)
			}
			h.DeliverMail()
			wantOutbox(t, h, mail.Failed, mail.MaxAttempts+1, "sending was interrupted too often")
		})
	}
}

// claim takes what is due, as a replica does that dies then.
func claim(t *testing.T, h *harness.Service) (claimed []mail.ClaimedMail) {
	t.Helper()
	change(t, h, func(ctx context.Context, tx repos) (err error) {
		now := h.Clock.Now()
		claimed, err = tx.Outbox.Claim(ctx, 10, now, mail.LeaseFrom(now))
		return err
	})
	return claimed
}

func TestReplicasSendEachMailOnce(t *testing.T) {
	t.Parallel()
	for name, database := range databases(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			replicas := []*harness.Service{harness.On(t, database), harness.On(t, database), harness.On(t, database)}
			ada := replicas[0].SignUpVerified("ada@example.com")
			had := len(replicas[0].Mail("ada@example.com"))
			for range 15 {
				queue(t, replicas[0], notice(ada))
			}
			var working sync.WaitGroup
			for _, h := range replicas {
				working.Go(func() { h.DeliverMail() })
			}
			working.Wait()
			if got := len(replicas[0].Mail("ada@example.com")) - had; got != 15 {
				t.Errorf("%d mails, want 15", got)
			}
		})
	}
}

func TestMailboxIsNotFlooded(t *testing.T) {
	t.Parallel()
	for name, database := range databases(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			replicas := []*harness.Service{harness.On(t, database), harness.On(t, database)}
			h := replicas[0]
			ada, eve := h.SignUpVerified("ada@example.com"), h.SignUp("eve@example.com")
			had := len(h.Mail("ada@example.com"))
			for n := range 40 {
				ask := notice(ada)
				if n%2 == 1 { // also by another account, to the same mailbox in other letters
					ask = notice(eve)
					ask.To, ask.Proved = address("ADA@example.com"), true
				}
				queue(t, h, ask)
			}
			replicas[1].Clock.Advance(h.Clock.Now().Sub(replicas[1].Clock.Now()))
			var working sync.WaitGroup
			for _, one := range replicas {
				working.Go(func() { one.DeliverMail() })
			}
			working.Wait()
			if got := len(h.Mail("ada@example.com")) - had; got != mail.MailboxHourly {
				t.Errorf("%d notices to one address, want %d", got, mail.MailboxHourly)
			}
			waiting := 0
			for _, one := range entries(t, h, mail.Notice) {
				if one.Status == mail.Queued {
					waiting++
				}
			}
			if waiting != 2 {
				t.Errorf("%d mails wait, want one for each of the two readers", waiting)
			}
			queue(t, h, notice(eve))
			if len(h.Mail("eve@example.com")) == 0 {
				t.Error("another mailbox gets nothing")
			}
			h.Clock.Advance(time.Hour)
			replicas[1].Clock.Advance(time.Hour)
			for _, one := range replicas {
				working.Go(func() { one.DeliverMail() })
			}
			working.Wait()
			later := h.Mail("ada@example.com")[had+mail.MailboxHourly:]
			reported := 0
			for _, one := range later {
				if reported += strings.Count(one.Text, "News"); one.Subject != "Several security notices for your account" {
					t.Errorf("subject %q", one.Subject)
				}
			}
			if want := 40 - mail.MailboxHourly; len(later) != 2 || reported != want {
				t.Errorf("an hour later %d mails tell of %d notices, want 2 of %d", len(later), reported, want)
			}
		})
	}
}

// Whoever floods a mailbox with mail that anybody can ask for keeps its owner neither
// from logging in nor from reading what happens to the account.
func TestFloodsHideNoNotice(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUpVerified("ada@example.com")
	for range 2 * mail.MailboxHourly {
		queue(t, h, mail.Request{Template: mail.Test, UserID: user.ID(ada.UserID)})
	}
	if got := len(h.Mail("ada@example.com")); got != mail.MailboxHourly {
		t.Errorf("%d mails to one address, want %d", got, mail.MailboxHourly)
	}
	queue(t, h, notice(ada))
	if last := h.LastMail("ada@example.com"); last.Subject != "News" {
		t.Errorf("the last mail is %q, not the notice", last.Subject)
	}
	for range 2 * mail.MailboxHourly {
		queue(t, h, notice(ada))
	}
	vital := notice(ada)
	vital.Vital, vital.Facts = true, map[string]string{"headline": "Vital"}
	queue(t, h, vital)
	if last := h.LastMail("ada@example.com"); last.Subject != "Vital" {
		t.Errorf("the last mail is %q, not the vital notice", last.Subject)
	}
	queue(t, h, mail.Request{Template: mail.FactorCode, UserID: user.ID(ada.UserID)})
	if last := h.LastMail("ada@example.com"); !strings.HasSuffix(last.Subject, "security code") {
		t.Errorf("the last mail is %q, not the code", last.Subject)
	}
}

// Accounts that all ask for somebody's address flood neither the mailbox nor keep its
// owner from coming back by mail.
func TestFloodsOfChangesHideNoLink(t *testing.T) {
	t.Parallel()
	for name, database := range databases(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := harness.On(t, database)
			h.SignUp("ada@example.com")
			had := len(h.Mail("ada@example.com"))
			for n := range 6 {
				eve := h.SignUp(fmt.Sprintf("eve%d@example.com", n))
				for range 5 {
					eve.Do("USER.CHANGE_EMAIL", harness.P{"new_email": "ada@example.com", "password": harness.Password}).OK()
				}
			}
			if got := len(h.Mail("ada@example.com")) - had; got != mail.MailboxHourly {
				t.Errorf("%d mails by changes, want %d", got, mail.MailboxHourly)
			}
			for command, want := range map[string]string{
				"AUTH.FORGOT_PASSWORD": "Reset your password", "AUTH.PASSWORDLESS_START": "sign-in code",
			} {
				h.Anonymous().Do(command, harness.P{"email": "ada@example.com"}).OK()
				if last := h.LastMail("ada@example.com"); !strings.Contains(last.Subject, want) {
					t.Errorf("%s: the last mail is %q", command, last.Subject)
				}
			}
		})
	}
}

// What somebody asks for by an address goes to the address as the account has it, not
// to another mailbox that only folds alike.
func TestAskedMailGoesToTheAddressOfTheAccount(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.SignUp("mike@example.com")
	for _, command := range []string{"AUTH.FORGOT_PASSWORD", "AUTH.RESEND_VERIFICATION", "AUTH.PASSWORDLESS_START"} {
		had := len(h.Mail("mike@example.com"))
		h.Anonymous().Do(command, harness.P{"email": "MIKE@example.com"}).OK()
		got := h.Mail("mike@example.com")
		if len(got) != had+1 || got[had].To.String() != "mike@example.com" {
			t.Errorf("%s: %d mails, not one to the account", command, len(got)-had)
		}
	}
}

func TestDepthIsPublished(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUp("ada@example.com")
	h.DeliverMail()
	queue(t, h, notice(ada), notice(ada))
	if depth, err := mailing.Queue(h.Store).Depth(t.Context()); err != nil || depth != 2 {
		t.Errorf("depth %d, %v, want 2", depth, err)
	}
}

// counters are limits that cannot be counted for a while.
type counters struct{ outbound.Admission }

// Admit fails.
func (counters) Admit(context.Context, outbound.AdmissionAsk) (outbound.AdmissionAnswer, error) {
	return outbound.AdmissionAnswer{}, errors.New("the counters are down")
}

func TestMailThatCannotBePreparedIsTriedAgain(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUp("ada@example.com")
	h.DeliverMail()
	queue(t, h, notice(ada))
	works := h.Delivery.Limits
	h.Delivery.Limits = counters{}
	if _, err := h.Delivery.Pass(t.Context()); err == nil || !strings.Contains(err.Error(), "the counters are down") {
		t.Errorf("Pass() = %v", err)
	}
	wantOutbox(t, h, mail.Queued, 1, "the email could not be prepared")
	h.Delivery.Limits = works
	h.Clock.Advance(2 * time.Minute)
	h.DeliverMail()
	wantOutbox(t, h, mail.Sent, 2, "")
}
