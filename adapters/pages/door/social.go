package door

import (
	"net/url"
	"slices"

	"gatehouse.internal/adapters/pages/kit"
	"gatehouse.internal/domain/social"
)

// SocialDone returns the address on which a login at a provider ends.
func SocialDone(host, provider string) string { return host + "/login/social/" + provider + "/done" }

// socialLogin redirects to an upstream provider, which redirects to socialDone. The API
// route in between binds the login to this browser.
func (v *visit) socialLogin() error {
	if err := v.OwnLink(); err != nil {
		return err
	}
	name := v.Request.PathValue("provider")
	if !slices.Contains(social.Providers(), social.Provider(name)) {
		return kit.ErrNoPage
	}
	v.Pending.Provider = name
	sealed, err := v.SealedPending()
	if err != nil {
		return err
	}
	query := url.Values{"redirect_uri": {kit.WithPending(SocialDone(v.Site.Host, name), sealed)}}
	if token := v.InvitationToken(); token != "" {
		query.Set("invitation_token", token)
	}
	return v.Redirect("/api/auth/social/" + name + "?" + query.Encode())
}

// socialDone completes a login at a provider. The login must have started on these
// pages, since any site can send a browser to the API route.
func (v *visit) socialDone() error {
	name := v.Request.PathValue("provider")
	began := v.Pending.Provider
	v.Pending.Provider = ""
	brought, ok := v.CallbackParams(kit.WithPending(SocialDone(v.Site.Host, name), v.Request.URL.Query().Get(kit.PendingField)))
	if !ok || began != name {
		return v.Wrong(kit.NotThere, "/login")
	}
	var o kit.Outcome
	if err := v.Ask("SOCIAL.CALLBACK", brought, &o); err != nil {
		return v.RedirectFailure(err, "/login")
	}
	if v.InvitationToken() != "" && v.Ask("TEAM.INVITATION_GET", kit.Params{"token": v.InvitationToken()}, nil) != nil {
		return v.welcome(o)
	}
	return v.Entered(o)
}
