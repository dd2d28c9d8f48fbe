// Package factor enrolls and verifies second factors, for logins, the commands of the
// family MFA and administrators (contract section 5).
package factor

import (
	"context"
	"crypto/subtle"
	"time"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/domain/label"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/crypt"
	"gatehouse.internal/ports/outbound/workspaces"
)

// Passkeys answers a challenge by a passkey.
type Passkeys interface {
	// SecondFactor verifies a browser's response for the challenge of a token.
	SecondFactor(ctx context.Context, call command.Call, token secret.String, credential []byte) (login.Outcome, error)
}

// Service enrolls and checks second factors.
type Service struct {
	Login    *login.Service
	Unit     outbound.Unit[login.Repos]
	TOTP     crypt.TOTP
	Passkeys Passkeys
	// Providers returns at which providers a linked identity is a way in.
	Providers account.Providers
	Blinder   outbound.Blinder
	// BrandingDirectory supplies the name under which authenticator apps list the service.
	BrandingDirectory workspaces.BrandingDirectory
	Clock             outbound.Clock
	IDs               outbound.IDs
	Random            outbound.Random
}

// SubmittedCode is a code as the caller sent it.
type SubmittedCode struct {
	Method mfa.Method
	Code   secret.String
}

// mailedCode is a mailed code that an open challenge accepts.
type mailedCode struct {
	digest, code string
	until        time.Time
}

// attempt returns a code together with the expected values.
func (s *Service) attempt(g SubmittedCode, mailed mailedCode) mfa.Attempt {
	index := s.Blinder.Index(label.ChallengeCode+mailed.digest, mfa.Digits(g.Code))
	right := mailed.code != "" && s.Clock.Now().Before(mailed.until) && subtle.ConstantTimeCompare([]byte(index), []byte(mailed.code)) == 1
	return mfa.Attempt{Method: g.Method, Code: g.Code.Reveal(), Codes: s.TOTP.Code, Mailed: right}
}

// ways returns the authentication methods (RFC 8176) that a code adds to those proved before.
// A mailed code counts as a second factor only if something other than the mailbox was proved
// before it.
func ways(amr []string, method mfa.Method) []string {
	if method == mfa.Email && (len(amr) == 0 || login.MailboxAlone(amr)) {
		return []string{login.ByCode}
	}
	return []string{login.ByCode, login.ByFactors}
}
