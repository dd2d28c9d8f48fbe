package account

import (
	"context"
	"time"

	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/machines"
	"gatehouse.internal/ports/outbound/people"
	"gatehouse.internal/ports/outbound/signin"
)

// Standing are the repositories of an account's logins.
type Standing struct {
	Users      people.Users
	Sessions   people.Sessions
	Challenges signin.Challenges
}

// Ending is which sessions of an account end, and why.
type Ending struct {
	Except session.ID
	Reason string
}

// endingBatch is how many sessions or keys are read at a time.
const endingBatch = 200

// End stores an account, ends its sessions and pending logins, and returns the number
// of sessions. The account is stored first, even if it is unchanged: a concurrent login
// stores it as well, so it conflicts and starts over instead of opening a session
// afterwards. A caller that reads or stores anything before End must call HoldOff
// first.
func (tx Standing) End(ctx context.Context, u *user.User, e Ending, now time.Time) (int, error) {
	if err := tx.Sessions.HoldOff(ctx, u.ID(), e.Except); err != nil {
		return 0, err
	}
	if err := tx.Users.Save(ctx, u); err != nil {
		return 0, err
	}
	if err := DropLogins(ctx, tx.Challenges, u.ID()); err != nil {
		return 0, err
	}
	which := people.SessionQuery{User: u.ID(), Except: e.Except, Limit: endingBatch, Now: now}
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

// EndKeys ends the active API keys of an account and returns how many. Call it after
// Standing.End: the account is stored then, and a key that is being made meanwhile
// is seen here or finds the account changed.
func EndKeys(ctx context.Context, keys machines.APIKeys, of user.ID, reason string, now time.Time) (int, error) {
	return EndKeysOf(ctx, keys, machines.APIKeyQuery{User: of}, reason, now)
}

// EndKeysOf ends the active API keys that match and returns how many.
func EndKeysOf(ctx context.Context, keys machines.APIKeys, which machines.APIKeyQuery, reason string, now time.Time) (int, error) {
	which.Status, which.Limit, which.Now = apikey.Active, endingBatch, now
	for ended := 0; ; {
		active, err := keys.Matching(ctx, which)
		if err != nil {
			return 0, err
		}
		for _, one := range active {
			one.End(reason, now)
			if err := keys.Save(ctx, one); err != nil {
				return 0, err
			}
		}
		if ended += len(active); len(active) < endingBatch {
			return ended, nil
		}
	}
}

// DropLogins deletes pending logins that are based on less proof than is required now:
// those waiting for a factor or a code, and mailed links, including those that change
// the address.
func DropLogins(ctx context.Context, waiting signin.Challenges, of user.ID) error {
	return waiting.Drop(ctx, of, challenge.SecondFactor, challenge.LoginCode, challenge.LoginLink,
		challenge.PasswordReset, challenge.EmailChange, challenge.FactorEnrolment, challenge.SocialCode)
}
