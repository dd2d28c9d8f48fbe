package app

import (
	"time"

	"gatehouse.internal/domain/aggregate"
)

// Change is what of an app is to be changed; nil stays.
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
	LogoURL       *string
	PolicyURL     *string
	TermsURL      *string
}

// Update changes fields of the app. It fails with a validation fault that names
// what does not suit the type. What stays the same raises nothing.
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
	aggregate.Put(&changed, "logo_url", &next.LogoURL, c.LogoURL)
	aggregate.Put(&changed, "policy_url", &next.PolicyURL, c.PolicyURL)
	aggregate.Put(&changed, "terms_url", &next.TermsURL, c.TermsURL)
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
