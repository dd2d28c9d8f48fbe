package app

import (
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/signingkey"
)

// Change is a partial update of an app; nil fields stay unchanged.
type Change struct {
	Name          *string
	Description   *string
	RedirectURLs  []string
	LogoutURLs    []string
	GrantTypes    []GrantType
	Enabled       *bool
	AccessTTL     *time.Duration
	RefreshTTL    *time.Duration
	TokenExchange *bool
	// ExchangeClients are client_ids.
	ExchangeClients []string
	LogoURL         *string
	PolicyURL       *string
	TermsURL        *string
	Rules           RulesChange
}

// RulesChange is a partial update of the rules; nil fields stay unchanged.
type RulesChange struct {
	AuthMethod           *AuthMethod
	BackchannelLogoutURI *string
	SubjectType          *SubjectType
	SectorURI            *string
	IDTokenAlg           *signingkey.Algorithm
	WithoutPKCE          *bool
	RequirePAR           *bool
	DPoPBound            *bool
	SkipConsent          *bool
	Profile              *Profile
	AnyWorkspace         *bool
}

// With returns the rules with a change.
func (r Rules) With(c RulesChange) Rules {
	r.apply(c, &aggregate.Changes{})
	return r
}

func (r *Rules) apply(c RulesChange, changed *aggregate.Changes) {
	aggregate.Put(changed, "token_endpoint_auth_method", &r.AuthMethod, c.AuthMethod)
	aggregate.Put(changed, "backchannel_logout_uri", &r.BackchannelLogoutURI, c.BackchannelLogoutURI)
	aggregate.Put(changed, "subject_type", &r.SubjectType, c.SubjectType)
	aggregate.Put(changed, "sector_identifier_uri", &r.SectorURI, c.SectorURI)
	aggregate.Put(changed, "id_token_signed_response_alg", &r.IDTokenAlg, c.IDTokenAlg)
	aggregate.Put(changed, "require_pkce", &r.WithoutPKCE, c.WithoutPKCE)
	aggregate.Put(changed, "require_par", &r.RequirePAR, c.RequirePAR)
	aggregate.Put(changed, "dpop_bound_access_tokens", &r.DPoPBound, c.DPoPBound)
	aggregate.Put(changed, "skip_consent", &r.SkipConsent, c.SkipConsent)
	aggregate.Put(changed, "profile", &r.Profile, c.Profile)
	aggregate.Put(changed, "any_workspace", &r.AnyWorkspace, c.AnyWorkspace)
}

// Update changes the app. It fails with a validation fault for attributes that do not
// match the type. Without a difference it raises no event.
func (a *App) Update(c Change, now time.Time) error {
	next := a.s
	var changed aggregate.Changes
	aggregate.Put(&changed, "name", &next.Name, c.Name)
	aggregate.Put(&changed, "description", &next.Description, c.Description)
	aggregate.PutList(&changed, "redirect_urls", &next.RedirectURLs, c.RedirectURLs)
	aggregate.PutList(&changed, "logout_urls", &next.LogoutURLs, c.LogoutURLs)
	aggregate.PutList(&changed, "grant_types", &next.GrantTypes, c.GrantTypes)
	aggregate.Put(&changed, "enabled", &next.Enabled, c.Enabled)
	aggregate.Put(&changed, "access_ttl_seconds", &next.AccessTTL, c.AccessTTL)
	aggregate.Put(&changed, "refresh_ttl_days", &next.RefreshTTL, c.RefreshTTL)
	aggregate.Put(&changed, "token_exchange", &next.TokenExchange, c.TokenExchange)
	aggregate.PutList(&changed, "token_exchange_clients", &next.ExchangeClients, c.ExchangeClients)
	aggregate.Put(&changed, "logo_url", &next.LogoURL, c.LogoURL)
	aggregate.Put(&changed, "policy_url", &next.PolicyURL, c.PolicyURL)
	aggregate.Put(&changed, "terms_url", &next.TermsURL, c.TermsURL)
	next.apply(c.Rules, &changed)
	if err := next.check(); err != nil {
		return err
	}
	if len(changed) == 0 {
		return nil
	}
	next.UpdatedAt = now
	a.s = next
	a.Raise(Updated{AppID: a.s.ID, OrgID: a.s.OrgID, Changed: changed, Enabled: a.s.Enabled})
	return nil
}
