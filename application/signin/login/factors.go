package login

import (
	"context"
	"slices"
	"time"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
)

// Authentication methods (RFC 8176).
const (
	// ByCode is a one-time code: from an app, mailed, or a recovery code.
	ByCode = "otp"
	// ByProvider is the authentication method of a login at an upstream provider. RFC
	// 8176 defines no value; "fed" is in common use.
	ByProvider = "fed"
	// ByFactors is more than one factor.
	ByFactors = session.ByFactors
)

// Joined adds authentication methods to those proved before.
func Joined(amr []string, by ...string) []string {
	joined := slices.Clone(amr)
	for _, way := range by {
		if !slices.Contains(joined, way) {
			joined = append(joined, way)
		}
	}
	return joined
}

// MailboxAlone reports whether access to the mailbox is all that was proved; a mailed code is
// then no second factor.
func MailboxAlone(amr []string) bool { return slices.Equal(amr, []string{ByCode}) }

// Proves reports whether a session proves that the caller owns the account: it was begun with
// a credential of the account. A session that was begun by mail alone proves access to the
// mailbox only.
func Proves(caller access.Caller, of user.ID) bool {
	return caller.Kind == access.Person && caller.User == of && !MailboxAlone(caller.AMR)
}

// offered returns the methods that can answer a challenge, given the authentication methods
// proved before.
func offered(held *mfa.Factors, passkey bool, amr []string, now time.Time) []mfa.Method {
	methods := held.Methods()
	if MailboxAlone(amr) || distrusted(held, passkey, now) {
		methods = slices.DeleteFunc(methods, func(m mfa.Method) bool { return m == mfa.Email })
	}
	if passkey {
		methods = append(methods, mfa.Passkey)
	}
	return methods
}

// distrusted reports whether mailed codes are enrolled but do not yet count as a second
// factor.
func distrusted(held *mfa.Factors, passkey bool, now time.Time) bool {
	return held.Has(mfa.Email) && !held.TakesMail(passkey, now)
}

// TakesMail reports whether a mailed code answers the challenge.
func (w Waiting) TakesMail(held *mfa.Factors) bool {
	if w.PasskeyOnly {
		return false
	}
	return w.Mailbox || (held.Has(mfa.Email) && !w.NoMail && !MailboxAlone(w.AMR))
}

// ErrPasswordNeeded is returned if a reauthentication requires the password.
var ErrPasswordNeeded = fault.Unfit("/password", "is required: the account has a password and no passkey")

// ReauthenticateOtherwise opens a challenge by which the person of a session reauthenticates
// without the password: by a passkey, or, for accounts without a password, by any second
// factor, or else by a mailed code. The authentication methods of the session are kept. It
// fails with ErrPasswordNeeded.
func (s *Service) ReauthenticateOtherwise(ctx context.Context, tx Repos, p Proof, of session.ID) (Opened, error) {
	held, err := tx.Factors.ByUser(ctx, p.UserID)
	if err != nil {
		return Opened{}, err
	}
	passkey, err := tx.Factors.HasPasskey(ctx, p.UserID)
	if err != nil {
		return Opened{}, err
	}
	secured, err := tx.Credentials.ByUser(ctx, p.UserID)
	if err != nil {
		return Opened{}, err
	}
	now := s.Clock.Now()
	w := Waiting{UserID: p.UserID, Org: p.Org, Session: of, NoMail: distrusted(held, passkey, now)}
	methods := offered(held, passkey, nil, now)
	switch {
	case secured.Hash() != "" && !passkey:
		return Opened{}, ErrPasswordNeeded
	case secured.Hash() != "":
		w.PasskeyOnly, methods = true, []mfa.Method{mfa.Passkey}
	case len(methods) == 0:
		w.Mailbox, methods = true, []mfa.Method{mfa.Email}
	}
	return s.await(ctx, tx, w, methods)
}
