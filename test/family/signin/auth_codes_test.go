package signin_test

import (
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/setting"
	"gatehouse.internal/test/harness"
)

// missed gives so many wrong codes for an address, five to a login, on both replicas.
func missed(t *testing.T, h, there *harness.Service, email string, times int) {
	t.Helper()
	var begun string
	for i := range times {
		if i%5 == 0 {
			begun = authStart(h, P{"email": email}).OK().String("challenge_id")
		}
		enter([]*harness.Service{h, there}[i%2], P{"challenge_id": begun, "code": "wrong!"}).Fails(fault.Auth)
	}
}

// advance moves the clock of two replicas, which may be one.
func advance(h, there *harness.Service, d time.Duration) {
	h.Clock.Advance(d)
	if there != h {
		there.Clock.Advance(d)
	}
}

// synchronize sets the clock of one replica by that of the other.
func synchronize(h, there *harness.Service) { h.Clock.Advance(there.Clock.Now().Sub(h.Clock.Now())) }

// waits checks that codes of an address have to wait, in all ways, for so long.
func waits(t *testing.T, h *harness.Service, email, begun string, want time.Duration) {
	t.Helper()
	for _, r := range []*harness.Reply{
		authStart(h, P{"email": email}), authStart(h, P{"email": strings.ToUpper(email)}),
		enter(h, P{"challenge_id": begun, "code": "wrong!"}),
	} {
		if got := r.Fails(fault.RateLimited).Failure.RetryAfter; got != want {
			t.Errorf("codes of %s wait %v, want %v", email, got, want)
		}
	}
}

// Wrong codes count for the address over all logins, whether it has an account or not:
// the pauses tell nothing, grow, and are for codes alone.
func TestWrongCodesMakeAnAddressWait(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, h, there *harness.Service) {
		synchronize(h, there)
		alice := authVerified(h, authAddress)
		key := alice.Passkey()
		h.Superadmin().Do("RATE_LIMIT.SET", P{"command": "AUTH.PASSWORDLESS_START", "key": "email", "limit": 1000, "window_seconds": 60}).OK()
		advance := func(d time.Duration) { advance(h, there, d) }
		spare := map[string]string{}
		for _, email := range []string{authAddress, "unknown@example.com"} {
			spare[email] = authStart(h, P{"email": email}).OK().String("challenge_id")
		}
		right := h.MailedCode(authAddress)
		for _, email := range []string{authAddress, "unknown@example.com"} {
			missed(t, h, there, email, 5)
			waits(t, there, email, spare[email], time.Minute)
		}
		failed := len(h.Events(loginevent.KindFailed))
		enter(h, P{"challenge_id": spare[authAddress], "code": right}).Fails(fault.RateLimited)
		if n := len(h.Events(loginevent.KindFailed)); n != failed {
			t.Error("a code that was not looked at counts")
		}
		// Whoever has the mailbox, the password or a passkey gets in meanwhile.
		login(h, authAddress, harness.Password).OK()
		h.LoginByPasskey(key).OK()
		authStart(h, P{"email": authAddress, "method": "link"}).OK()
		enter(h, P{"token": mailedToken(h, authAddress)}).OK()

		for _, pause := range []time.Duration{time.Minute, 2 * time.Minute} {
			advance(pause)
			for _, email := range []string{authAddress, "unknown@example.com"} {
				enter(h, P{"challenge_id": spare[email], "code": "wrong!"}).Fails(fault.Auth)
				waits(t, h, email, spare[email], 2*pause)
			}
		}
		advance(4 * time.Minute)
		enter(there, P{"challenge_id": spare[authAddress], "code": right}).OK()
		// The right one forgot all the wrong ones, of this address.
		missed(t, h, there, authAddress, 4)
		authStart(h, P{"email": authAddress}).OK()
		authStart(h, P{"email": "unknown@example.com"}).OK()
		missed(t, h, there, "unknown@example.com", 1)
		authStart(h, P{"email": "unknown@example.com"}).Fails(fault.RateLimited)
	})
}

// Of many codes that are tried at once, on two replicas and in several logins, no more
// are looked at than one after the other.
func TestWrongCodesAtOnce(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, h, there *harness.Service) {
		authVerified(h, authAddress)
		var begun []string
		for range 4 {
			begun = append(begun, authStart(h, P{"email": authAddress}).OK().String("challenge_id"))
		}
		got := harness.Together(16, func(i int) *harness.Reply {
			return enter([]*harness.Service{h, there}[i%2], P{"challenge_id": begun[i/2%4], "code": "wrong!"})
		})
		if n := harness.Codes(got); n[fault.Auth] != 5 || n[fault.RateLimited] != 11 {
			t.Errorf("16 wrong codes at once = %v, want 5 that were looked at", n)
		}
		if n := len(h.Events(loginevent.KindFailed)); n != 5 {
			t.Errorf("%d events login.failed, want 5", n)
		}
	})
}

// Wrong codes count for an hour.
func TestWrongCodesAreForgotten(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, h, there *harness.Service) {
		authVerified(h, authAddress)
		missed(t, h, there, authAddress, 4)
		advance(h, there, time.Hour)
		missed(t, h, there, authAddress, 4)
		begun := authStart(h, P{"email": authAddress}).OK().String("challenge_id")
		enter(h, P{"challenge_id": begun, "code": h.MailedCode(authAddress)}).OK()
	})
}

// The switch ends mailed codes on every replica with the next request, and what waits for
// one; links go on.
func TestMailedCodesSwitchedOff(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, h, there *harness.Service) {
		synchronize(h, there)
		authVerified(h, authAddress)
		root := h.Superadmin()
		on := func(value bool) {
			same(t, "changed", root.Do("SETTINGS.SET", P{"values": P{"email_codes": value}}).OK().Strings("changed"), []string{"email_codes"})
		}
		if !setting.Defaults().EmailCodes {
			t.Error("codes are off by default")
		}
		begun := authStart(h, P{"email": authAddress}).OK().String("challenge_id")
		answer := P{"challenge_id": begun, "code": h.MailedCode(authAddress)}
		on(false)
		mailed := len(h.Mail(authAddress))
		for _, s := range []*harness.Service{h, there} {
			enter(s, answer).Fails(fault.Denied)
			authStart(s, P{"email": authAddress}).Fails(fault.Denied)
			authStart(s, P{"email": "unknown@example.com", "method": "code"}).Fails(fault.Denied)
			same(t, "methods", s.Anonymous().Do("AUTH.METHOD_LIST", nil).OK().Strings("methods"), []string{"password", "passkey", "link"})
		}
		if n := len(h.Mail(authAddress)); n != mailed {
			t.Errorf("%d mails, want %d", n, mailed)
		}
		authStart(there, P{"email": authAddress, "method": "link"}).OK()
		enter(there, P{"token": mailedToken(h, authAddress)}).OK()
		on(true)
		enter(there, answer).OK()
	})
}
