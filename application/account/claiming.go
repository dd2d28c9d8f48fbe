package account

import (
	"context"
	"time"

	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/machines"
	"gatehouse.internal/ports/outbound/signin"
)

// Claiming is what an account is set up with.
type Claiming struct {
	Standing

	Credentials signin.Credentials
	WaysIn      signin.WaysIn
	APIKeys     machines.APIKeys
}

// Ended counts the sessions and API keys that ended.
type Ended struct{ Sessions, Keys int }

// Claim returns an account to the owner of its address, who proved the mailbox but not
// that they made the account. As long as the address is not bound (contract section 4),
// somebody else may have made the account and wait for its owner to come. What was set
// up until then ends: password, sessions, passkeys, second factors, linked accounts,
// API keys and remembered devices, and what others could act by in the personal
// workspace. Claim stores the account and binds its address; an account whose address
// is bound stays as it is.
//
// A second factor is no exception. Whoever set it up may be the stranger, and would
// keep the owner out for ever; while nothing but the mailbox says whose the account is,
// the mailbox decides.
//
// Call it before anything that is to stay is added; except is a session that stays,
// if any. What the others are about to store comes before, and ends, or is refused.
func (tx Claiming) Claim(ctx context.Context, u *user.User, except session.ID, now time.Time) (Ended, error) {
	if u.Snapshot().EmailBound {
		return Ended{}, nil
	}
	if err := tx.Sessions.HoldOff(ctx, u.ID(), except); err != nil {
		return Ended{}, err
	}
	u.Claim(now)
	held, err := tx.Credentials.ByUser(ctx, u.ID())
	if err != nil {
		return Ended{}, err
	}
	held.Void(now)
	if err := tx.Credentials.Save(ctx, held); err != nil {
		return Ended{}, err
	}
	// The clients of the sessions are told of their end by the grants that go next.
	sessions, err := tx.End(ctx, u, Ending{Except: except, Reason: session.ByClaim}, now)
	if err != nil {
		return Ended{}, err
	}
	if err := tx.WaysIn.Void(ctx, u.ID(), now); err != nil {
		return Ended{}, err
	}
	keys, err := EndKeys(ctx, tx.APIKeys, u.ID(), apikey.ByClaim, now)
	return Ended{Sessions: sessions, Keys: keys}, err
}

// DropLinks ends every link and pending login of an account: those that were mailed
// to an address which it has no more, among others, also the code of an enrolment.
func DropLinks(ctx context.Context, waiting signin.Challenges, of user.ID) error {
	if err := DropLogins(ctx, waiting, of); err != nil {
		return err
	}
	return waiting.Drop(ctx, of, challenge.EmailVerification, challenge.FactorCode)
}
