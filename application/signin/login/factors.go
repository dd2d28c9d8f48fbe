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
	// ByCode is a code that works once: of an app, mailed, or written down.
	ByCode = "otp"
	// ByProvider is a login at a provider: the identity is federated (not in RFC 8176, but
	// as others write it).
	ByProvider = "fed"
	// ByFactors is more than one factor.
	ByFactors = session.ByFactors
)

// Joined is how somebody proved their identity in more ways than before.
func Joined(amr []string, by ...string) []string {
	joined := slices.Clone(amr)
	for _, way := range by {
		if !slices.Contains(joined, way) {
			joined = append(joined, way)
		}
	}
	return joined
}

// MailboxAlone reports whether nothing was proved but that mail arrives: another code by
// mail would be no second factor.
func MailboxAlone(amr []string) bool { return slices.Equal(amr, []string{ByCode}) }

// Proves reports whether a caller holds a session of an account that was begun by
// something of the account, and so proves whose it is. One that was begun by mail
// alone says no more than the mailbox does.
func Proves(caller access.Caller, of user.ID) bool {
	return caller.Kind == access.Person && caller.User == of && !MailboxAlone(caller.AMR)
}

// offered are the ways in which a challenge of somebody may be answered who proved
// their identity so far by these.
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

// distrusted reports whether mailed codes are enrolled, and are no second factor yet
// beside another one.
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

// ErrPasswordNeeded says that only the password proves presence.
var ErrPasswordNeeded = fault.Unfit("/password", "is required: the account has a password and no passkey")

// ReauthenticateOtherwise asks the person of a session for presence by something other
// than the password: by a passkey, which proves more than that, and where the account
// has no password by any of their second factors, else by a code that is mailed to
// them. What the session was proved by stays proved. It fails with ErrPasswordNeeded.
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
