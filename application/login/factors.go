package login

import (
	"context"
	"slices"

	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/session"
)

// Authentication methods of second factors (RFC 8176).
const (
	// ByCode is a code that works once: of an app, mailed, or written down.
	ByCode = "otp"
	// ByFactors is more than one factor.
	ByFactors = "mfa"
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

// MailboxAlone tells that nothing was proved but that mail arrives: another code by
// mail would be no second factor.
func MailboxAlone(amr []string) bool { return slices.Equal(amr, []string{ByCode}) }

// offered are the ways in which a challenge of somebody may be answered who proved
// their identity so far by these.
func offered(held *mfa.Factors, passkey bool, amr []string) []mfa.Method {
	methods := held.Methods()
	if MailboxAlone(amr) {
		methods = slices.DeleteFunc(methods, func(m mfa.Method) bool { return m == mfa.Email })
	}
	if passkey {
		methods = append(methods, mfa.Passkey)
	}
	return methods
}

// TakesMail tells whether a mailed code answers the challenge.
func (w Waiting) TakesMail(held *mfa.Factors) bool {
	return w.Mailbox || (held.Has(mfa.Email) && !MailboxAlone(w.AMR))
}

// ReauthenticateOtherwise asks the person of a session for presence where the
// account has no password: for one of their second factors or passkeys, else for a
// code that is mailed to them. What the session was proved by stays proved.
func (s *Service) ReauthenticateOtherwise(ctx context.Context, tx Repos, p Proof, of session.ID) (Opened, error) {
	held, err := tx.Factors.ByUser(ctx, p.UserID)
	if err != nil {
		return Opened{}, err
	}
	passkey, err := tx.Factors.HasPasskey(ctx, p.UserID)
	if err != nil {
		return Opened{}, err
	}
	w := Waiting{UserID: p.UserID, Org: p.Org, Session: of}
	methods := offered(held, passkey, nil)
	if len(methods) == 0 {
		w.Mailbox, methods = true, []mfa.Method{mfa.Email}
	}
	return s.await(ctx, tx, w, methods)
}
