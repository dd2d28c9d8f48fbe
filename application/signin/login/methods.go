package login

import (
	"slices"
	"time"

	"gatehouse.internal/domain/access"
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
