package mailing_test

import (
	"testing"
	"time"

	"gatehouse.internal/test/harness"
)

// An address that nobody verified may be the address of a stranger: it gets 3 notices a day, vital
// ones included, and the others in one mail on the next day. It is told nothing of a deletion.
func TestNoticesToUnprovedAddresses(t *testing.T) {
	t.Parallel()
	for name, database := range databases(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := harness.On(t, database)
			const stranger, owner = "eve@example.com", "ada@example.com"
			eve, ada := h.SignUp(stranger), proved(h, owner)
			had := map[string]int{stranger: len(h.Mail(stranger)), owner: len(h.Mail(owner))}
			for range 6 {
				queue(t, h, vitalNotice(eve), vitalNotice(ada))
			}
			for address, want := range map[string]int{stranger: 3, owner: 6} {
				if got := len(h.Mail(address)) - had[address]; got != want {
					t.Errorf("%d notices to %s, want %d", got, address, want)
				}
			}
			h.Clock.Advance(25 * time.Hour)
			if got := len(h.Mail(stranger)) - had[stranger]; got != 4 {
				t.Errorf("%d mails after a day, want one with the other notices", got)
			}
			h.Login(stranger, harness.Password).Do("USER.DELETE", harness.P{"password": harness.Password}).OK()
			if got := len(h.Mail(stranger)) - had[stranger]; got > 5 { // the new device may be told of
				t.Errorf("%d mails after the deletion", got)
			}
		})
	}
}
