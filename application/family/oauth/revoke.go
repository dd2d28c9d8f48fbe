package oauth

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"gatehouse.internal/application/client"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/token"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/keytext"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/m2m"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/secret"
)

// errTokenType is returned for keys and secrets, which are no tokens (RFC 7009 section 2.2.1).
var errTokenType = fault.New(fault.Validation,
	"unsupported_token_type: send an access or refresh token; revoke API keys with API_KEY.REVOKE and client secrets with APP.SECRET_REVOKE")

// RevokeParams are the parameters of OAUTH.REVOKE.
type RevokeParams struct {
	Token               secret.String `json:"token" doc:"Token to revoke." jsonschema:"minLength=1,maxLength=16384"`
	ClientID            string        `json:"client_id,omitzero" doc:"The client_id of the app. Defaults to the sub of client_assertion." jsonschema:"example=billing-worker"`
	ClientSecret        secret.String `json:"client_secret,omitzero" doc:"Client secret of the app, which APP.REGISTER returned as api_key."`
	ClientAssertion     secret.String `json:"client_assertion,omitzero" doc:"JWT signed by the app, in place of a secret. See M2M.TOKEN." jsonschema:"minLength=1,maxLength=8192" example:"-"`
	ClientAssertionType string        `json:"client_assertion_type,omitzero" doc:"Required with client_assertion. Must be urn:ietf:params:oauth:client-assertion-type:jwt-bearer." jsonschema:"minLength=1,maxLength=128" example:"-"`
	TokenTypeHint       string        `json:"token_type_hint,omitzero" doc:"Type of the token, such as access_token. The token is found without it." jsonschema:"minLength=1,maxLength=64,example=access_token"`
}

// RevokeResult is the result of OAUTH.REVOKE.
type RevokeResult struct {
	Revoked bool `json:"revoked" doc:"Whether the token belongs to this client and is revoked, by this call or an earlier one. False for every other text, without a reason."`
}

// credentials returns those of the client. An assertion names it by itself (RFC 7521
// section 4.2).
func (p RevokeParams) credentials() client.Credentials {
	return client.Credentials{
		ID: cmp.Or(p.ClientID, app.Asserted(p.ClientAssertion.Reveal())), Secret: p.ClientSecret,
		Assertion: p.ClientAssertion, AssertionType: p.ClientAssertionType,
	}
}

const revokeDescription = "The token is revoked immediately. If it acts for a person, all tokens that the client obtained with the same authorization are revoked as " +
	"well.\n\n" +
	"A token that is unknown, has expired or belongs to another client is not an error. It stays as it is."

func (s *Service) revoke() command.Definition {
	return command.Define(command.Spec[RevokeParams, RevokeResult]{
		Name:        "OAUTH.REVOKE",
		Summary:     "Revoke a token of the calling client (RFC 7009).",
		Description: revokeDescription,
		Access:      access.Public(),
		Effect:      command.Writes,
		Withdraws:   true,
		Limits:      []limit.Spec{limit.PerMinute(limit.IP, 6000), limit.PerMinute(limit.Token, 600)},
		Subject: func(_ context.Context, p RevokeParams) (command.Subject, error) {
			return s.Clients.Naming(p.credentials())
		},
		Emits:  []event.Kind{oauth.KindRevoked},
		Handle: s.end,
	})
}

func (s *Service) end(ctx context.Context, call command.Call, p RevokeParams) (RevokeResult, error) {
	credentials := p.credentials()
	credentials.DryRun, credentials.Count = call.DryRun, call.Count
	caller, err := s.Clients.Identify(ctx, &credentials, call.Client)
	if err != nil {
		return RevokeResult{}, err
	}
	text := p.Token.Reveal()
	if strings.HasPrefix(text, string(keytext.APIKey)) || strings.HasPrefix(text, string(keytext.AppSecret)) {
		return RevokeResult{}, errTokenType
	}
	if id, _, err := s.Authorization.Texts.ReadRefresh(p.Token); err == nil {
		return s.endGrant(ctx, id, caller.App.ID)
	}
	found, err := s.Access.Inspect(ctx, text, s.Access.Refresh(s.Admission))
	switch {
	case errors.Is(err, token.ErrInvalid), errors.Is(err, token.ErrExpired):
		return RevokeResult{}, nil
	case err != nil:
		return RevokeResult{}, err
	case found.Delegated():
		return s.endGrant(ctx, oauth.GrantID(found.Grant), caller.App.ID)
	case !found.Machine(), found.Client != caller.App.Slug:
		return RevokeResult{}, nil
	}
	err = s.Unit.Do(ctx, func(tx Repos) error {
		ended, err := tx.Tokens.Revoke(ctx, found.ID, s.Clock.Now())
		switch {
		case err != nil:
			return err
		case ended.App != caller.App.ID:
			return m2m.ErrNotFound // of an app that had the slug before; rolls back
		case ended.Already:
			return nil
		}
		return tx.Events.Record(ctx, oauth.RevokedData{JTI: found.ID, AppID: ended.App, OrgID: ended.Org})
	})
	if errors.Is(err, m2m.ErrNotFound) {
		return RevokeResult{}, nil
	}
	if err != nil {
		return RevokeResult{}, err
	}
	return RevokeResult{Revoked: true}, nil
}

// endGrant ends a grant of a client, with all its tokens.
func (s *Service) endGrant(ctx context.Context, id oauth.GrantID, of app.ID) (RevokeResult, error) {
	err := s.Unit.Do(ctx, func(tx Repos) error {
		grant, err := tx.Grants.ByID(ctx, id)
		switch {
		case err != nil:
			return err
		case grant.Snapshot().AppID != of:
			return oauth.ErrGrantNotFound
		case grant.Ended():
			return nil
		}
		grant.End(oauth.ByClient, s.Clock.Now())
		return tx.Grants.Save(ctx, grant)
	})
	if errors.Is(err, oauth.ErrGrantNotFound) {
		return RevokeResult{}, nil
	}
	if err != nil {
		return RevokeResult{}, err
	}
	return RevokeResult{Revoked: true}, nil
}
