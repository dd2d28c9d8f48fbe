package account

import (
	"context"
	"time"

	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/signin"
)

// ClaimRepos are the repositories to claim an account.
type ClaimRepos struct {
	AccessRepos

	Credentials  signin.Credentials
	LoginMethods signin.LoginMethods
}

// Claim returns an account to the owner of its address, who proved control of the
// mailbox but not that they created the account. As long as the address is not bound
// (contract section 4), somebody else may have created the account in advance. All
// credentials set up before are removed: password, sessions, passkeys, second factors,
// linked accounts, API keys and remembered devices, and credentials of others for the
// personal workspace. Claim stores the account and binds its address; an account whose
// address is bound stays unchanged.
//
// Second factors are removed as well, because their owner may be the other person, who
// could otherwise lock the owner of the address out; while only the mailbox proves
// ownership of the account, it decides.
//
// Claim must be called before anything that is to be kept is added; except is a session
// to keep, if any. Credentials that others store concurrently are removed if they are
// stored before, and refused otherwise.
func (tx ClaimRepos) Claim(ctx context.Context, u *user.User, except session.ID, now time.Time) (Ended, error) {
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
	// Clients of the sessions are notified by the removal of the grants below.
	ended, err := tx.End(ctx, u, EndOptions{Except: except, Reason: session.ByClaim}, now)
	if err != nil {
		return Ended{}, err
	}
	return ended, tx.LoginMethods.Void(ctx, u.ID(), now)
}

// DropLinks ends every link and pending login of an account: those that were mailed
// to an address which it has no more, among others, also the code of an enrollment.
func DropLinks(ctx context.Context, waiting signin.Challenges, of user.ID) error {
	if _, err := DropLogins(ctx, waiting, of); err != nil {
		return err
	}
	_, err := waiting.Drop(ctx, signin.ChallengeQuery{About: of, Kinds: []challenge.Kind{challenge.EmailVerification, challenge.FactorCode}})
	return err
}
