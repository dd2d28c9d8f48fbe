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
	outcome "gatehouse.internal/domain/login"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Errors of AUTH.MFA_VERIFY.
var (
	errNoChallenge = fault.Invalid("/challenge_token", "send the challenge token of a login, or call with a bearer token to confirm an enrollment")
	errNoCode      = fault.Invalid("/code", "send a code, or with the method passkey a credential")
	errCredential  = fault.Unfit("/credential", "goes with a challenge token and the method passkey, and without a code")
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
	Code           secret.String `json:"code,omitzero" doc:"The code; spaces and hyphens do not matter." jsonschema:"minLength=1,maxLength=64"`
	ChallengeToken secret.String `json:"challenge_token,omitzero" doc:"The token that the login answered; absent: a code of the caller's pending enrollment." jsonschema:"minLength=1,maxLength=4096"`
	Method         mfa.Method    `json:"method,omitzero" doc:"What the code is of. Absent: six digits are of the app, where one is enrolled, else of the mail; longer codes are told apart by their length. In an enrollment: the one that began last." example:"-"`
	Credential     Assertion     `json:"credential,omitzero" doc:"With the method passkey: what the browser signed for WEBAUTHN.LOGIN_OPTIONS with the challenge token." example:"-"`
}

// MFAVerifyResult is the result of AUTH.MFA_VERIFY.
type MFAVerifyResult struct {
	AccessToken     secret.Shown   `json:"access_token,omitzero" doc:"Bearer token for protected commands; with a challenge token."`
	RefreshToken    secret.Shown   `json:"refresh_token,omitzero" doc:"Token that AUTH.REFRESH takes once for a new pair."`
	TokenType       string         `json:"token_type,omitzero" doc:"Always Bearer (RFC 6750)."`
	ExpiresIn       int            `json:"expires_in,omitzero" doc:"Seconds until the token expires."`
	ChallengeToken  secret.Shown   `json:"challenge_token,omitzero" doc:"With required_actions: a bearer token for the commands that fulfill them, and nothing else."`
	RequiredActions []user.Action  `json:"required_actions,omitzero" doc:"What must be done first; then sign in again."`
	Enabled         bool           `json:"enabled,omitzero" doc:"With a bearer token: the enrollment is confirmed, and logins ask for a second factor."`
	RecoveryCodes   []secret.Shown `json:"recovery_codes,omitzero" doc:"With the first factor of an account: codes that stand in for it, each once. They are shown this once."`
}

func (s *Service) mfaVerify() command.Definition {
	return command.Define(command.Spec[MFAVerifyParams, MFAVerifyResult]{
		Name: "AUTH.MFA_VERIFY",
		Summary: "Submit a second factor: with a challenge token it ends the login, or the proof of presence, that waits for it; with a bearer token, of a recent login, it confirms an enrollment. " +
			"A code works once; five wrong ones end the challenge, and too many over all challenges lock the account for codes.",
		Access:  access.Optional().Unfinished().Recent(),
		Recent:  func(p MFAVerifyParams) bool { return p.ChallengeToken.Empty() },
		Effect:  command.Writes,
		Through: maintenance.Closed,
		Trigger: flow.MFAVerify,
		Guarded: true,
		Emits: []event.Kind{
			mfa.KindEnrolled, mfa.KindSucceeded, mfa.KindFailed, session.KindCreated, session.KindReauthenticated, session.KindTeamSwitched,
			outcome.KindSucceeded, outcome.KindFailed, identity.KindLinked,
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

func (p MFAVerifyParams) given() factor.Given { return factor.Given{Method: p.Method, Code: p.Code} }

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
