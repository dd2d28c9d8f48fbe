package app

import (
	"slices"
	"time"
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
	var changed []string
	note := func(name string, did bool) {
		if did {
			changed = append(changed, name)
		}
	}
	note("name", set(&next.Name, c.Name))
	note("description", set(&next.Description, c.Description))
	note("redirect_urls", setList(&next.RedirectURLs, c.RedirectURLs))
	note("logout_urls", setList(&next.LogoutURLs, c.LogoutURLs))
	note("grant_types", setList(&next.GrantTypes, c.GrantTypes))
	note("enabled", set(&next.Enabled, c.Enabled))
	note("access_ttl_seconds", set(&next.AccessTTL, c.AccessTTL))
	note("refresh_ttl_days", set(&next.RefreshTTL, c.RefreshTTL))
	note("token_exchange", set(&next.TokenExchange, c.TokenExchange))
	note("logo_url", set(&next.LogoURL, c.LogoURL))
	note("policy_url", set(&next.PolicyURL, c.PolicyURL))
	note("terms_url", set(&next.TermsURL, c.TermsURL))
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

// set puts a value over another, and reports whether that was a change.
func set[T comparable](into, value *T) bool {
	if value == nil || *into == *value {
		return false
	}
	*into = *value
	return true
}

func setList[T comparable](into *[]T, value []T) bool {
	if value == nil || slices.Equal(*into, value) {
		return false
	}
	*into = slices.Clone(value)
	return true
}
