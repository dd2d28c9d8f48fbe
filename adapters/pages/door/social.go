package door

import (
	"net/url"
	"slices"

	"gatehouse.internal/adapters/client"
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
	brought, ok := v.Callback(kit.WithPending(SocialDone(v.Site.Host, name), v.Request.URL.Query().Get(kit.PendingField)))
	if !ok || began != name {
		return v.Wrong(kit.NotThere, "/login")
	}
	o, err := v.Anyone().SocialCallback(v.Context(), client.SocialCallbackParams{
		Provider: client.SocialAuthURLParamsProvider(brought.Provider), Code: brought.Code, State: client.Given(brought.State), RedirectURI: brought.RedirectURI,
	})
	if err != nil {
		return v.RedirectFailure(err, "/login")
	}
	if token := v.InvitationToken(); token != "" {
		if _, err := v.Anyone().TeamInvitationGet(v.Context(), client.TeamInvitationGetParams{Token: token}); err != nil {
			return v.welcome(kit.Outcome(o))
		}
	}
	return v.Entered(kit.Outcome(o))
}
