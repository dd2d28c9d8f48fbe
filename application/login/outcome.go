package login

import (
	"time"

	"gatehouse.internal/application/token"
	"gatehouse.internal/domain/login"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Outcome is what a login answers: the token pair (specification section 2.4), a
// challenge for a second factor, or what is required first (contract section 5).
type Outcome struct {
	AccessToken  secret.Shown `json:"access_token,omitzero" doc:"Bearer token for protected commands; absent while something is missing."`
	RefreshToken secret.Shown `json:"refresh_token,omitzero" doc:"Token that AUTH.REFRESH takes once for a new pair."`
	TokenType    string       `json:"token_type,omitzero" doc:"Always Bearer (RFC 6750)."`
	ExpiresIn    int          `json:"expires_in" doc:"Seconds until the access token or the challenge expires."`
	MFARequired  bool         `json:"mfa_required,omitzero" doc:"A second factor is missing: send its code and the challenge token to AUTH.MFA_VERIFY."`
	// ChallengeToken is a handle, or an access token for what is required.
	ChallengeToken  secret.Shown  `json:"challenge_token,omitzero" doc:"With mfa_required: what AUTH.MFA_VERIFY takes. With required_actions: a bearer token for the commands that fulfil them, and nothing else."`
	Methods         []mfa.Method  `json:"methods,omitzero" doc:"Ways in which the challenge may be answered."`
	RequiredActions []user.Action `json:"required_actions,omitzero" doc:"What must be done first; then log in again. change_password: USER.CHANGE_PASSWORD, verify_email: AUTH.VERIFY_EMAIL, enroll_mfa: AUTH.MFA_SETUP_TOTP or a passkey."`
}

// Answer hands out what a login came to, outside any unit of work: it signs the
// tokens. A reason makes it fail with refused, which tells nothing of it; only that
// the person is no member of the workspace that they asked for is said.
func (s *Service) Answer(o Opened, reason string, refused error) (Outcome, error) {
	switch {
	case reason == login.NotAMember:
		return Outcome{}, workspace.ErrNotMember
	case reason != "":
		return Outcome{}, refused
	case o.Challenge != "":
		return Outcome{MFARequired: true, ChallengeToken: o.Challenge, Methods: o.Methods, ExpiresIn: int(challengeLife / time.Second)}, nil
	case len(o.Actions) > 0:
		bearer, expiresIn, err := s.Access.IssueUnfinished(o.Session, o.User, o.Roles)
		return Outcome{RequiredActions: o.Actions, ChallengeToken: secret.Shown(bearer), ExpiresIn: expiresIn}, err
	}
	access, expiresIn, err := s.Access.Issue(o.Session, o.User, o.Roles)
	if err != nil {
		return Outcome{}, err
	}
	pair := token.NewPair(access, o.Refresh, expiresIn)
	return Outcome{AccessToken: pair.AccessToken, RefreshToken: pair.RefreshToken, TokenType: pair.TokenType, ExpiresIn: expiresIn}, nil
}
