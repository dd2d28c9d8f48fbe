package apps

import (
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/signingkey"
)

// RulesParams are how an app wants OAuth to hold for it; they belong to APP.REGISTER and
// APP.UPDATE.
type RulesParams struct {
	AuthMethod           *app.AuthMethod       `json:"token_endpoint_auth_method,omitzero" doc:"Client authentication method (RFC 7591, section 2): none for spa and native apps, otherwise client_secret_basic, client_secret_post or private_key_jwt. /oauth/token accepts only this method. M2M.TOKEN and /api/m2m/token accept the secret in either form. If it was never set, the app can present a secret or an assertion."`
	BackchannelLogoutURI *app.CallURL          `json:"backchannel_logout_uri,omitzero" doc:"https URL that receives a logout token when a session ends in which somebody signed in to the app (OpenID Connect Back-Channel Logout 1.0). It must not be in a private network or have a fragment. Delivery is attempted five times within two hours until the URL answers 200. An empty string removes it."`
	SubjectType          *app.SubjectType      `json:"subject_type,omitzero" doc:"Type of identifier by which the client knows people. public is their user ID. pairwise is a different identifier for each host of redirect_urls."`
	SectorURI            *app.CallURL          `json:"sector_identifier_uri,omitzero" doc:"https URL of a JSON array that lists redirect_urls (OpenID Connect Registration, section 5). The array is fetched and checked. Apps that are listed together share pairwise subjects, which belong to the host of this URL. Send it again whenever you change redirect_urls. An empty string removes it." example:"-"`
	IDTokenAlg           *signingkey.Algorithm `json:"id_token_signed_response_alg,omitzero" doc:"Algorithm that signs ID tokens and logout tokens. Defaults to ES256. Use RS256 for clients that support nothing else."`
	RequirePKCE          *bool                 `json:"require_pkce,omitzero" doc:"Whether authorization requests need PKCE. Defaults to true. Only clients that authenticate can set it to false: it is always true for spa and native apps."`
	RequirePAR           *bool                 `json:"require_par,omitzero" doc:"Whether authorization requests must be pushed (RFC 9126)."`
	DPoPBound            *bool                 `json:"dpop_bound_access_tokens,omitzero" doc:"Whether the app gets only tokens that are bound to a key by DPoP (RFC 9449, section 5.2)."`
	SkipConsent          *bool                 `json:"skip_consent,omitzero" doc:"Whether people are signed in to the app without being asked for consent. Intended for applications of the operator of the instance. Only superadmins can enable it."`
	Profile              *app.Profile          `json:"profile,omitzero" doc:"Security profile of the app. fapi2 enforces the FAPI 2.0 Security Profile with pushed requests, private_key_jwt and DPoP, and people consent anew in each of their sessions. An empty string removes it." example:"-"`
	AnyWorkspace         *bool                 `json:"any_workspace,omitzero" doc:"Whether the claims roles and groups come from the workspace that the person acts in. If true, org_id is included as well. The app must check org_id, because anybody can create a workspace with roles and groups of any name. Defaults to false: the claims come from the workspace that owns the app, for its members."`
}

// errFirstParty is returned to callers who are not superadmins and skip consent.
var errFirstParty = fault.New(fault.Denied, "only superadmins can enable skip_consent")

// rules returns what of the rules is to be changed. It fails for a caller who may not have
// people signed in unasked, and for an address that nothing may be sent to.
func (s *Service) rules(caller access.Caller, p RulesParams) (app.RulesChange, error) {
	if p.SkipConsent != nil && *p.SkipConsent && !caller.Superadmin {
		return app.RulesChange{}, errFirstParty
	}
	if uri := p.BackchannelLogoutURI; uri != nil && *uri != "" {
		if err := s.Logouts.Check(string(*uri)); err != nil {
			return app.RulesChange{}, fault.Unfit("/backchannel_logout_uri", err.Error())
		}
	}
	c := app.RulesChange{
		AuthMethod: p.AuthMethod, BackchannelLogoutURI: (*string)(p.BackchannelLogoutURI), SubjectType: p.SubjectType, SectorURI: (*string)(p.SectorURI), IDTokenAlg: p.IDTokenAlg,
		RequirePAR: p.RequirePAR, DPoPBound: p.DPoPBound, SkipConsent: p.SkipConsent, Profile: p.Profile, AnyWorkspace: p.AnyWorkspace,
	}
	if p.RequirePKCE != nil {
		without := !*p.RequirePKCE
		c.WithoutPKCE = &without
	}
	return c, nil
}
