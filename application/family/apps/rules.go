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
	AuthMethod           *app.AuthMethod       `json:"token_endpoint_auth_method,omitzero" doc:"How the client authenticates (RFC 7591 section 2): none for spa and native, else client_secret_basic, client_secret_post or private_key_jwt. At /oauth/token the client uses this method alone; M2M.TOKEN and /api/m2m/token take the secret in either form. Absent: whichever it presents."`
	BackchannelLogoutURI *app.CallURL          `json:"backchannel_logout_uri,omitzero" doc:"https address that gets a logout token when a session ends in which somebody signed in to the app (OpenID Connect Back-Channel Logout 1.0); not within a private network, and without a fragment. It is tried five times within two hours until it answers 200. Empty: none."`
	SubjectType          *app.SubjectType      `json:"subject_type,omitzero" doc:"What the client knows people by: public, their identifier; pairwise, another one for each host of redirect_urls."`
	SectorURI            *app.CallURL          `json:"sector_identifier_uri,omitzero" doc:"https address of a JSON array that lists redirect_urls (OpenID Connect Registration section 5). It is fetched and checked. Apps listed together share pairwise subjects, which belong to its host. Send it again to change redirect_urls. Empty: none." example:"-"`
	IDTokenAlg           *signingkey.Algorithm `json:"id_token_signed_response_alg,omitzero" doc:"What its ID tokens and logout tokens are signed by; ES256 when absent. RS256 is for clients that know nothing else."`
	RequirePKCE          *bool                 `json:"require_pkce,omitzero" doc:"false: the client, which authenticates, may ask for codes without PKCE. True when absent, and always for spa and native."`
	RequirePAR           *bool                 `json:"require_par,omitzero" doc:"Whether its authorization requests must be pushed (RFC 9126)."`
	DPoPBound            *bool                 `json:"dpop_bound_access_tokens,omitzero" doc:"Whether it gets only tokens that are bound to a key by DPoP (RFC 9449 section 5.2)."`
	SkipConsent          *bool                 `json:"skip_consent,omitzero" doc:"Whether people are not asked before they are signed in to it: for applications of who runs the instance, set by superadmins alone."`
	Profile              *app.Profile          `json:"profile,omitzero" doc:"fapi2: the FAPI 2.0 Security Profile holds for it, with pushed requests, private_key_jwt and DPoP, and people agree to it anew in each of their sessions. Empty: none." example:"-"`
	AnyWorkspace         *bool                 `json:"any_workspace,omitzero" doc:"true: the claims roles and groups are those of the workspace that the person acts in, and org_id comes with them. The app must check org_id, because anybody can make a workspace with roles and groups of any name. Defaults to false: they are those of the workspace that owns the app, for its members."`
}

// errFirstParty is returned to callers who are not superadmins and skip consent.
var errFirstParty = fault.New(fault.Denied, "only a superadmin may have an app ask nobody for consent")

// rules returns what of the rules is to be changed. It fails for a caller who may not have
// people signed in unasked, and for an address that nothing may be sent to.
func (s *Service) rules(caller access.Caller, p RulesParams) (app.RulesChange, error) {
	if p.SkipConsent != nil && *p.SkipConsent && !caller.Superadmin {
		return app.RulesChange{}, errFirstParty
	}
	if told := p.BackchannelLogoutURI; told != nil && *told != "" {
		if err := s.Logouts.Check(string(*told)); err != nil {
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
