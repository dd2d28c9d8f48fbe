package oauth

import (
	"context"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/delegation"
)

// ConsentRevokeParams are the parameters of OAUTH.CONSENT_REVOKE.
type ConsentRevokeParams struct {
	AppID app.ID `json:"app_id" doc:"ID of the app."`
}

// ConsentRevokeResult is the result of OAUTH.CONSENT_REVOKE.
type ConsentRevokeResult struct {
	Revoked       bool `json:"revoked" doc:"Always true."`
	TokensRevoked int  `json:"tokens_revoked" doc:"Number of grants that were revoked, each with all its tokens."`
}

func (s *Service) consentRevoke() command.Definition {
	return command.Define(command.Spec[ConsentRevokeParams, ConsentRevokeResult]{
		Name:        "OAUTH.CONSENT_REVOKE",
		Summary:     "Revoke an app's access to your account.",
		Description: "All tokens that the app has for you are revoked immediately. The app has to ask for your consent again.",
		Access:      access.User().InPerson(),
		Effect:      command.Writes,
		Withdraws:   true,
		Emits:       []event.Kind{oauth.KindConsentRevoked, oauth.KindRevoked},
		Handle: func(ctx context.Context, call command.Call, p ConsentRevokeParams) (ConsentRevokeResult, error) {
			ended, err := s.shutOut(ctx, call.Caller.User, p.AppID)
			return ConsentRevokeResult{Revoked: err == nil, TokensRevoked: ended}, err
		},
	})
}

// shutOut removes the consent of a person to an app, ends the grants of the app, and returns how
// many it ended.
func (s *Service) shutOut(ctx context.Context, person user.ID, client app.ID) (ended int, err error) {
	err = s.Unit.Do(ctx, func(tx Repos) error {
		consent, err := tx.Consents.Get(ctx, person, client)
		if err != nil {
			return err
		}
		consent.Revoke()
		if err := tx.Consents.Remove(ctx, consent); err != nil {
			return err
		}
		ended, err = account.EndGrants(ctx, tx.Grants, delegation.GrantQuery{User: person, App: client}, oauth.ByConsent, s.Clock.Now())
		return err
	})
	return ended, err
}
