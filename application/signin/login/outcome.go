package login

import (
	"context"
	"time"

	"gatehouse.internal/application/token"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
)

// Outcome is the result of a login: the token pair (specification section 2.4), a
// challenge for a second factor, or required actions (contract section 5).
type Outcome struct {
	AccessToken  secret.Shown `json:"access_token,omitzero" doc:"Bearer token for protected commands. Omitted while a second factor or a required action is missing."`
	RefreshToken secret.Shown `json:"refresh_token,omitzero" doc:"Refresh token for AUTH.REFRESH. It works once."`
	TokenType    string       `json:"token_type,omitzero" doc:"Always Bearer (RFC 6750)."`
	ExpiresIn    int          `json:"expires_in" doc:"Seconds until the access token or the challenge expires."`
	MFARequired  bool         `json:"mfa_required,omitzero" doc:"Whether a second factor is needed. Send its code with the challenge token to AUTH.MFA_VERIFY."`
	// ChallengeToken is the token of a challenge, or an access token for the required actions.
	ChallengeToken  secret.Shown  `json:"challenge_token,omitzero" doc:"With mfa_required, the token to pass to AUTH.MFA_VERIFY. With required_actions, a bearer token that only the commands for these actions accept."`
	Methods         []mfa.Method  `json:"methods,omitzero" doc:"Methods that can answer the challenge."`
	RequiredActions []user.Action `json:"required_actions,omitzero" doc:"Actions to complete before signing in again. change_password uses USER.CHANGE_PASSWORD, verify_email uses AUTH.VERIFY_EMAIL, and enroll_mfa uses AUTH.MFA_SETUP_TOTP or a passkey."`
}

// Answer turns the outcome of a login into its result and signs the tokens, outside any unit
// of work. It fails with the refusal, if there is one.
func (s *Service) Answer(ctx context.Context, o Opened) (Outcome, error) {
	switch {
	case o.Refusal != nil:
		return Outcome{}, o.Refusal
	case o.Challenge != "":
		return Outcome{MFARequired: true, ChallengeToken: o.Challenge, Methods: o.Methods, ExpiresIn: int(challengeLife / time.Second)}, nil
	}
	held, err := s.Books.Standing(ctx, o.Held, s.Clock.Now())
	if err != nil {
		return Outcome{}, err
	}
	if len(o.Actions) > 0 {
		bearer, expiresIn, err := s.Access.IssueUnfinished(o.Session, o.User, held)
		return Outcome{RequiredActions: o.Actions, ChallengeToken: bearer, ExpiresIn: expiresIn}, err
	}
	access, expiresIn, err := s.Access.Issue(ctx, o.Session, o.User, held)
	if err != nil {
		return Outcome{}, err
	}
	pair := token.NewPair(access, o.Refresh, expiresIn)
	return Outcome{AccessToken: pair.AccessToken, RefreshToken: pair.RefreshToken, TokenType: pair.TokenType, ExpiresIn: expiresIn}, nil
}
