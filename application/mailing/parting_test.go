package mailing_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/mail"
	"gatehouse.internal/test/harness"
)

// vitalNotice is one that is mailed whatever the person prefers.
func vitalNotice(to *harness.Actor) mail.Request {
	request := notice(to)
	request.Vital = true
	return request
}

// Whoever takes an account over and deletes it cannot keep its owner from hearing what
// they did, nor that it is gone.
func TestVitalMailOutlivesItsAccount(t *testing.T) {
	t.Parallel()
	for name, database := range databases(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := harness.On(t, database)
			ada := proved(h, "ada@example.com")
			had := len(h.Mail("ada@example.com"))
			queue(t, h, notice(ada), vitalNotice(ada))
			ada.Do("USER.DELETE", harness.P{"password": harness.Password}).OK()
			var subjects []string
			for _, one := range h.Mail("ada@example.com")[had:] {
				subjects = append(subjects, one.Subject)
			}
			if want := []string{"News", "Your account was deleted"}; !slices.Equal(subjects, want) {
				t.Errorf("mails %q, want %q", subjects, want)
			}
			if left := entries(t, h, mail.Notice); len(left) != 2 || left[0].Status != mail.Sent || left[0].To.String() != "ada@example.com" {
				t.Errorf("outbox %+v", left)
			}
		})
	}
}

// A replica that has a vital mail in hand when its account goes loses its turn, not the
// mail.
func TestVitalMailInHandOutlivesItsAccount(t *testing.T) {
	t.Parallel()
	for name, database := range databases(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := harness.On(t, database)
			ada := proved(h, "ada@example.com")
			had := len(h.Mail("ada@example.com"))
			queue(t, h, vitalNotice(ada))
			var claimed []mail.ClaimedMail
			change(t, h, func(ctx context.Context, tx repos) (err error) {
				claimed, err = tx.Outbox.Claim(ctx, 10, h.Clock.Now(), mail.LeaseFrom(h.Clock.Now()))
				return err
			})
			ada.Do("USER.DELETE", harness.P{"password": harness.Password}).OK()
			change(t, h, func(ctx context.Context, tx repos) error {
				if err := tx.Outbox.Drop(ctx, claimed[0]); !errors.Is(err, mail.ErrLost) {
					t.Errorf("Drop() = %v, want ErrLost", err)
				}
				return nil
			})
			h.Clock.Advance(10 * time.Minute)
			if got := h.Mail("ada@example.com")[had:]; len(got) != 2 {
				t.Errorf("%d mails, want the notice and that of the deletion", len(got))
			}
		})
	}
}
