package account

import (
	"context"
	"time"

	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
)

// Standing is what an account is logged in by.
type Standing struct {
	Users      outbound.Users
	Sessions   outbound.Sessions
	Challenges outbound.Challenges
}

// Ending is which sessions of an account end, and why.
type Ending struct {
	Except session.ID
	Reason string
}

// endingBatch is how many sessions are read at a time.
const endingBatch = 200

// End stores an account and ends its sessions and the logins that wait for
// something; it tells how many sessions. The account is stored even if nothing
// about it changed, and first: a login stores it too, so one that is under way
// meanwhile must begin anew, and opens no session behind the back of this.
func (tx Standing) End(ctx context.Context, u *user.User, e Ending, now time.Time) (int, error) {
	if err := tx.Users.Save(ctx, u); err != nil {
		return 0, err
	}
	if err := DropLogins(ctx, tx.Challenges, u.ID()); err != nil {
		return 0, err
	}
	which := outbound.SessionQuery{User: u.ID(), Except: e.Except, Limit: endingBatch, Now: now}
	for ended := 0; ; {
		open, err := tx.Sessions.Matching(ctx, which)
		if err != nil {
			return 0, err
		}
		for _, one := range open {
			one.End(e.Reason, now)
			if err := tx.Sessions.Save(ctx, one); err != nil {
				return 0, err
			}
		}
		if ended += len(open); len(open) < endingBatch {
			return ended, nil
		}
	}
}

// DropLogins ends what would let somebody in who proved less, or something else,
// than what holds now: logins that wait for a factor or a code, and mailed links,
// also one that would give the account another address.
func DropLogins(ctx context.Context, waiting outbound.Challenges, of user.ID) error {
	return waiting.Drop(ctx, of, challenge.SecondFactor, challenge.LoginCode, challenge.LoginLink,
		challenge.PasswordReset, challenge.EmailChange, challenge.FactorEnrolment, challenge.SocialCode)
}
