package signin_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/test/harness"
)

// Strangers who lock an account stop none of its live sessions, nor its passkeys.
func TestALockStopsNoLiveSession(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, h, there *harness.Service) {
		alice, bob := h.SignUp(authAddress), h.SignUp("bob@example.com")
		key := alice.Passkey()
		guess(h, authAddress, 10)
		guess(h, "bob@example.com", 10)
		login(h, authAddress, harness.Password).Fails(fault.Auth)
		login(h, "bob@example.com", harness.Password).Fails(fault.Auth)

		asked := alice.Do("AUTH.REAUTHENTICATE", P{"password": harness.Password}).OK()
		h.Anonymous().Do("AUTH.MFA_VERIFY", signed(h, key, asked.String("challenge_token"))).OK()
		h.LoginByPasskey(key).OK()

		there.With(bob.AccessToken).Do("AUTH.REAUTHENTICATE", P{"password": harness.Password}).OK()
		replica := there.With(bob.AccessToken)
		replica.Do("USER.CHANGE_PASSWORD", P{"current_password": "wrong", "new_password": fresh}).Fails(fault.Auth)
		replica.Do("USER.CHANGE_PASSWORD", P{"current_password": harness.Password, "new_password": fresh}).OK()
		login(h, "bob@example.com", fresh).OK()
		// Neither lifts the lock of another account, nor is one lifted by a proof alone.
		login(h, authAddress, harness.Password).Fails(fault.Auth)
	})
}

// However many replicas a session guesses on at once, it gets as many tries as would lock
// the account, and each session counts for itself.
func TestSessionsGuessForThemselves(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, h, there *harness.Service) {
		thief, owner := h.SignUp(authAddress), h.Login(authAddress, harness.Password)
		guesses := []*harness.Actor{h.With(thief.AccessToken), there.With(thief.AccessToken)}
		harness.Together(16, func(i int) *harness.Reply {
			return guesses[i%2].Do("AUTH.REAUTHENTICATE", P{"password": "wrong"})
		})
		if n, m := len(h.Events(session.KindGuessed)), len(h.Events(credential.KindLocked)); n != 1 || m != 0 {
			t.Errorf("%d events session.guessed and %d locks, want 1 and none", n, m)
		}
		thief.Do("AUTH.REAUTHENTICATE", P{"password": harness.Password}).Fails(fault.Auth)
		owner.Do("AUTH.REAUTHENTICATE", P{"password": harness.Password}).OK()
		// The wait ends when it says, and a right password forgets the wrong ones.
		advance(h, there, 16*time.Minute)
		thief.AccessToken = refresh(h, thief.RefreshToken).OK().String("access_token")
		thief.Do("AUTH.REAUTHENTICATE", P{"password": harness.Password}).OK()
	})
}
