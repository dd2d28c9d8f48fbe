package account

import (
	"context"
	"time"

	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
)

// Claiming is what an account whose address nobody has proved is set up with.
type Claiming struct {
	Standing

	Credentials outbound.Credentials
	WaysIn      outbound.WaysIn
}

// Claim lets somebody have the account of a mailbox that they proved to be theirs
// by something other than the link which verifies it: a reset, a login by mail, an
// upstream that vouches for the address. As long as the address was unproved, the
// account may have been made by somebody else who waits for its owner to come; what
// that one set up ends: password, sessions, passkeys, linked accounts, API keys and
// remembered devices; the apps of the personal workspace are disabled, its policies
// and mail templates go. It stores the account, and an account of a verified address
// it leaves as it is.
//
// Second factors stay. Most people whose address is unproved simply did not care to
// prove it, and whoever broke into their mailbox must not get around the factor by
// that; a factor alone lets nobody in. Where it is that of somebody who took the
// address in advance, an administrator resets it (MFA.RESET).
//
// Call it before anything that is to stay is added; except is a session that stays,
// if any. It tells how many sessions ended.
func (tx Claiming) Claim(ctx context.Context, u *user.User, except session.ID, now time.Time) (int, error) {
	if u.Snapshot().EmailVerified {
		return 0, nil
	}
	u.Claim(now)
	held, err := tx.Credentials.ByUser(ctx, u.ID())
	if err != nil {
		return 0, err
	}
	held.Void(now)
	if err := tx.Credentials.Save(ctx, held); err != nil {
		return 0, err
	}
	if err := tx.WaysIn.Void(ctx, u.ID()); err != nil {
		return 0, err
	}
	return tx.End(ctx, u, Ending{Except: except, Reason: session.ByClaim}, now)
}

// DropLinks ends every link and pending login of an account: those that were mailed
// to an address which it has no more, among others, also the code of an enrolment.
func DropLinks(ctx context.Context, waiting outbound.Challenges, of user.ID) error {
	if err := DropLogins(ctx, waiting, of); err != nil {
		return err
	}
	return waiting.Drop(ctx, of, challenge.EmailVerification, challenge.FactorCode)
}
