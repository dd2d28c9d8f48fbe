package pages

import (
	"net/url"
	"slices"

	"gatehouse.internal/domain/social"
)

// SocialReturns returns the addresses on which a login or a link at a provider ends.
// They need no registration as redirect addresses.
func SocialReturns(host string) []string {
	var all []string
	for _, name := range social.Providers() {
		all = append(all, loginDone(host, string(name)), linkDone(host, string(name)))
	}
	return all
}

func loginDone(host, provider string) string { return host + "/login/social/" + provider + "/done" }

func linkDone(host, provider string) string {
	return host + "/account/connections/" + provider + "/done"
}

// socialLogin redirects to an upstream provider, which redirects to socialDone. The API
// route in between binds the login to this browser.
func (v *visit) socialLogin() error {
	if err := v.ownLink(); err != nil {
		return err
	}
	name := v.r.PathValue("provider")
	if !slices.Contains(social.Providers(), social.Provider(name)) {
		return errNoPage
	}
	v.pending.Provider = name
	sealed, err := v.sealedPending()
	if err != nil {
		return err
	}
	query := url.Values{"redirect_uri": {withPending(loginDone(v.site.Host, name), sealed)}}
	if token := v.invitationToken(); token != "" {
		query.Set("invitation_token", token)
	}
	return v.redirect("/api/auth/social/" + name + "?" + query.Encode())
}

// callbackParams returns the parameters of a provider's response, or false if it has none.
func (v *visit) callbackParams(back string) (params, bool) {
	query := v.r.URL.Query()
	if query.Get("error") != "" || query.Get("code") == "" {
		return nil, false
	}
	return params{
		"provider": v.r.PathValue("provider"), "code": query.Get("code"), "redirect_uri": back,
	}.text("state", query.Get("state")), true
}

const notThere = "Signing in with this provider failed or was canceled. Try again."

// socialDone completes a login at a provider. The login must have started on these
// pages, since any site can send a browser to the API route.
func (v *visit) socialDone() error {
	name := v.r.PathValue("provider")
	began := v.pending.Provider
	v.pending.Provider = ""
	brought, ok := v.callbackParams(withPending(loginDone(v.site.Host, name), v.r.URL.Query().Get(pendingField)))
	if !ok || began != name {
		return v.wrong(notThere, "/login")
	}
	var o outcome
	if err := v.ask("SOCIAL.CALLBACK", brought, &o); err != nil {
		return v.redirectFailure(err, "/login")
	}
	if v.invitationToken() != "" && v.ask("TEAM.INVITATION_GET", params{"token": v.invitationToken()}, nil) != nil {
		return v.welcome(o)
	}
	return v.entered(o)
}

// redirectFailure redirects to a page with the message of an error.
func (v *visit) redirectFailure(err error, to string) error {
	if err := v.refused(err); err != nil {
		return err
	}
	return v.wrong(v.form.Message, to)
}

// connection is an upstream provider, and the linked account if there is one.
type connection struct {
	provider

	Linked *identity
}

func (v *visit) connections() error {
	var linked list[identity]
	if err := v.call("AUTH.SOCIAL_LINKED", nil, &linked); err != nil {
		return err
	}
	names := v.offered().Providers
	for _, one := range linked.Items {
		if !slices.Contains(names, one.Provider) {
			names = append(names, one.Provider)
		}
	}
	var shown []connection
	for _, p := range named(names) {
		at := slices.IndexFunc(linked.Items, func(one identity) bool { return one.Provider == p.Name })
		c := connection{provider: p}
		if at >= 0 {
			c.Linked = &linked.Items[at]
		}
		shown = append(shown, c)
	}
	var let list[consentedApp]
	if err := v.call("OAUTH.CONSENT_LIST", nil, &let); err != nil {
		return err
	}
	return v.show("connections", "Connections", connectionsData{shown, let.Items})
}

// socialLink redirects to an upstream provider to link an account. It is bound to the
// session.
func (v *visit) socialLink() error {
	if err := v.ownLink(); err != nil {
		return err
	}
	name := v.r.PathValue("provider")
	var begun struct {
		URL string `json:"url"`
	}
	err := v.call("SOCIAL.AUTH_URL", params{"provider": name, "redirect_uri": linkDone(v.site.Host, name), "link": true}, &begun)
	// The confirmation form must not redirect to the provider: form-action would block
	// it.
	if isNotRecent(err) {
		return v.redirect(withReturn(confirmPath, "/account/connections"))
	}
	if err != nil {
		return v.redirectFailure(err, "/account/connections")
	}
	return v.redirect(begun.URL)
}

func (v *visit) socialLinked() error {
	brought, ok := v.callbackParams(linkDone(v.site.Host, v.r.PathValue("provider")))
	if !ok {
		return v.wrong(notThere, "/account/connections")
	}
	if err := v.call("AUTH.SOCIAL_LINK", brought, nil); err != nil {
		return v.redirectFailure(err, "/account/connections")
	}
	return v.done("The account was linked.", "/account/connections")
}

func (v *visit) unlink() error {
	if err := v.call("AUTH.SOCIAL_UNLINK", params{"provider": v.form.text("provider")}, nil); err != nil {
		return v.retry(err, (*visit).connections)
	}
	return v.done("The account was unlinked.", "/account/connections")
}
