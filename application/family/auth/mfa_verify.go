package auth

import (
	"context"
	"encoding/json"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/application/signin/factor"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/identity"
	"gatehouse.internal/domain/invitation"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Errors of AUTH.MFA_VERIFY.
var (
	errNoChallenge = fault.Invalid("/challenge_token", "send the challenge token of a sign-in, or an access token to confirm an enrollment")
	errNoCode      = fault.Invalid("/code", "send a code, or a credential if the method is passkey")
	errCredential  = fault.Unfit("/credential", "requires a challenge token and the method passkey, and no code")
)

// Assertion is what a browser signed, as PublicKeyCredential.toJSON gives it.
type Assertion map[string]json.RawMessage

// SchemaFragment describes it in a JSON Schema. What its members must be
// is said by whoever reads it.
func (Assertion) SchemaFragment() map[string]any {
	return map[string]any{"type": "object", "maxProperties": 16}
}

// MFAVerifyParams are the parameters of AUTH.MFA_VERIFY.
type MFAVerifyParams struct {
	Code           secret.String `json:"code,omitzero" doc:"The code. Spaces and hyphens are ignored." jsonschema:"minLength=1,maxLength=64"`
	ChallengeToken secret.String `json:"challenge_token,omitzero" doc:"Challenge token returned by the sign-in. Omit to confirm your pending enrollment." jsonschema:"minLength=1,maxLength=4096"`
	Method         mfa.Method    `json:"method,omitzero" doc:"Method that the code belongs to. If omitted, six digits belong to the authenticator app if one is enrolled, else to email. Longer codes are recognized by their length. When you confirm an enrollment, it defaults to the latest one." example:"-"`
	Credential     Assertion     `json:"credential,omitzero" doc:"Assertion that the browser signed for WEBAUTHN.LOGIN_OPTIONS with the challenge token. Used with the method passkey." example:"-"`
}

// MFAVerifyResult is the result of AUTH.MFA_VERIFY.
type MFAVerifyResult struct {
	AccessToken     secret.Shown   `json:"access_token,omitzero" doc:"Bearer token for protected commands. Returned for a challenge token."`
	RefreshToken    secret.Shown   `json:"refresh_token,omitzero" doc:"Refresh token for AUTH.REFRESH. It works once."`
	TokenType       string         `json:"token_type,omitzero" doc:"Always Bearer (RFC 6750)."`
	ExpiresIn       int            `json:"expires_in,omitzero" doc:"Seconds until the token expires."`
	ChallengeToken  secret.Shown   `json:"challenge_token,omitzero" doc:"Present with required_actions. A bearer token that only the commands for these actions accept."`
	RequiredActions []user.Action  `json:"required_actions,omitzero" doc:"Actions to complete before signing in again."`
	Enabled         bool           `json:"enabled,omitzero" doc:"Whether the enrollment is confirmed, so that sign-ins require a second factor. Returned when you confirm an enrollment."`
	RecoveryCodes   []secret.Shown `json:"recovery_codes,omitzero" doc:"Recovery codes, returned only once, with the first second factor of an account. Each replaces the second factor once."`
}

func (s *Service) mfaVerify() command.Definition {
	return command.Define(command.Spec[MFAVerifyParams, MFAVerifyResult]{
		Name:    "AUTH.MFA_VERIFY",
		Summary: "Verify a second factor, or confirm an enrollment.",
		Description: "- With a challenge token, the call completes the sign-in or reauthentication that is waiting for the second factor.\n" +
			"- With an access token, it confirms the enrollment of a second factor. This requires a sign-in within the last 15 minutes.\n\n" +
			"Each code works once. Five wrong codes end the challenge. Too many wrong codes over all challenges block codes for the account " +
			"for a while.",
		Access:  access.Optional().Unfinished().Recent(),
		Recent:  func(p MFAVerifyParams) bool { return p.ChallengeToken.Empty() },
		Effect:  command.Writes,
		Through: maintenance.Closed,
		Trigger: flow.MFAVerify,
		Guarded: true,
		Emits: []event.Kind{
			mfa.KindEnrolled, mfa.KindSucceeded, mfa.KindFailed, session.KindCreated, session.KindReauthenticated, session.KindTeamSwitched,
			loginevent.KindSucceeded, loginevent.KindFailed, identity.KindLinked,
			invitation.KindAccepted, workspace.KindMemberAdded, user.KindEmailVerified,
		},
		Handle: func(ctx context.Context, call command.Call, p MFAVerifyParams) (MFAVerifyResult, error) {
			if err := p.check(call.Caller); err != nil {
				return MFAVerifyResult{}, err
			}
			if p.ChallengeToken.Empty() {
				codes, err := s.Factors.Confirm(ctx, call, p.given())
				return MFAVerifyResult{Enabled: err == nil, RecoveryCodes: codes}, err
			}
			done, err := s.answer(ctx, call, p)
			return MFAVerifyResult{
				AccessToken: done.AccessToken, RefreshToken: done.RefreshToken, TokenType: done.TokenType, ExpiresIn: done.ExpiresIn,
				ChallengeToken: done.ChallengeToken, RequiredActions: done.RequiredActions,
			}, err
		},
	})
}

func (p MFAVerifyParams) given() factor.SubmittedCode {
	return factor.SubmittedCode{Method: p.Method, Code: p.Code}
}

// check finds parameters that do not go together.
func (p MFAVerifyParams) check(caller access.Caller) error {
	passkey := p.Method == mfa.Passkey || (p.Method == "" && p.Credential != nil)
	switch {
	case p.ChallengeToken.Empty() && !caller.Authenticated():
		return errNoChallenge
	case p.ChallengeToken.Empty() && caller.Kind != access.Person:
		return access.ErrInPerson
	case (p.Credential != nil) != passkey || (passkey && (p.ChallengeToken.Empty() || !p.Code.Empty())):
		return errCredential
	case !passkey && p.Code.Empty():
		return errNoCode
	}
	return nil
}

// answer completes a challenge with its second factor.
func (s *Service) answer(ctx context.Context, call command.Call, p MFAVerifyParams) (login.Outcome, error) {
	if p.Credential == nil {
		return s.Factors.Answer(ctx, call, p.ChallengeToken, p.given())
	}
	signed, err := strictjson.Encode(p.Credential)
	if err != nil {
		return login.Outcome{}, err
	}
	return s.Factors.Passkeys.SecondFactor(ctx, call, p.ChallengeToken, signed)
}
