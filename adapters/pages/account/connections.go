package account

import (
	"slices"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/kit"
)

// connectionsData is the data of the connections page: linked upstream accounts, and
// applications with consent.
type connectionsData struct {
	Accounts []connection
	Apps     []consentedApp
}

// consentedApp is an application that the person has consented to.
type consentedApp struct{ client.OAuthConsent }

// Said returns descriptions of the granted scopes.
func (c consentedApp) Said() []string { return kit.ScopeLabels(c.Scopes) }

// disconnect revokes the consent to an application.
func (v *visit) disconnect() error {
	if _, err := v.Me().OAuthConsentRevoke(v.Context(), client.OAuthConsentRevokeParams{AppID: v.Form.Text("app_id")}); err != nil {
		return v.Retry(err, v.connections)
	}
	return v.Done("The app was disconnected.", "/account/connections")
}

// connection is an upstream provider, and the linked account if there is one.
type connection struct {
	kit.Provider

	Linked *client.AuthSocialLinked
}

func (v *visit) connections() error {
	linked, err := v.Me().AuthSocialLinked(v.Context(), client.AuthSocialLinkedParams{})
	if err != nil {
		return err
	}
	names := v.Offered().Providers
	for _, one := range linked.Items {
		if !slices.Contains(names, one.Provider) {
			names = append(names, one.Provider)
		}
	}
	var shown []connection
	for _, p := range kit.Named(names) {
		at := slices.IndexFunc(linked.Items, func(one client.AuthSocialLinked) bool { return one.Provider == p.Name })
		c := connection{Provider: p}
		if at >= 0 {
			c.Linked = &linked.Items[at]
		}
		shown = append(shown, c)
	}
	let, err := v.Me().OAuthConsentList(v.Context(), client.OAuthConsentListParams{})
	if err != nil {
		return err
	}
	return v.Show("connections", "Connections", connectionsData{shown, kit.Map(let.Items, func(one client.OAuthConsent) consentedApp { return consentedApp{one} })})
}

// socialLink redirects to an upstream provider to link an account. It is bound to the
// session.
func (v *visit) socialLink() error {
	if err := v.OwnLink(); err != nil {
		return err
	}
	name := v.Request.PathValue("provider")
	begun, err := v.Me().SocialAuthURL(v.Context(), client.SocialAuthURLParams{Provider: client.SocialAuthURLParamsProvider(name), RedirectURI: SocialLinked(v.Site.Host, name), Link: new(true)})
	// The confirmation form must not redirect to the provider: form-action would block
	// it.
	if kit.IsNotRecent(err) {
		return v.Redirect(kit.WithReturn(kit.ConfirmPath, "/account/connections"))
	}
	if err != nil {
		return v.RedirectFailure(err, "/account/connections")
	}
	return v.Redirect(begun.URL)
}

func (v *visit) socialLinked() error {
	brought, ok := v.Callback(SocialLinked(v.Site.Host, v.Request.PathValue("provider")))
	if !ok {
		return v.Wrong(kit.NotThere, "/account/connections")
	}
	_, err := v.Me().AuthSocialLink(v.Context(), client.AuthSocialLinkParams{
		Provider: client.SocialAuthURLParamsProvider(brought.Provider), Code: brought.Code, State: client.Given(brought.State), RedirectURI: brought.RedirectURI,
	})
	if err != nil {
		return v.RedirectFailure(err, "/account/connections")
	}
	return v.Done("The account was linked.", "/account/connections")
}

func (v *visit) unlink() error {
	if _, err := v.Me().AuthSocialUnlink(v.Context(), client.AuthSocialUnlinkParams{Provider: client.SocialAuthURLParamsProvider(v.Form.Text("provider"))}); err != nil {
		return v.Retry(err, v.connections)
	}
	return v.Done("The account was unlinked.", "/account/connections")
}

// SocialLinked returns the address on which a link at a provider ends.
func SocialLinked(host, provider string) string {
	return host + "/account/connections/" + provider + "/done"
}
