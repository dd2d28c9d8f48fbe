package account

import (
	"slices"
	"time"

	"gatehouse.internal/adapters/pages/kit"
)

// connectionsData is the data of the connections page: linked upstream accounts, and
// applications with consent.
type connectionsData struct {
	Accounts []connection
	Apps     []consentedApp
}

// consentedApp is an application that the person has consented to.
type consentedApp struct {
	App struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"app"`
	Scopes    []string  `json:"scopes"`
	GrantedAt time.Time `json:"granted_at"`
}

// Said returns descriptions of the granted scopes.
func (c consentedApp) Said() []string { return kit.ScopeLabels(c.Scopes) }

// disconnect revokes the consent to an application.
func (v *visit) disconnect() error {
	if err := v.Call("OAUTH.CONSENT_REVOKE", kit.Params{"app_id": v.Form.Text("app_id")}, nil); err != nil {
		return v.Retry(err, v.connections)
	}
	return v.Done("The app was disconnected.", "/account/connections")
}

// connection is an upstream provider, and the linked account if there is one.
type connection struct {
	kit.Provider

	Linked *identity
}

func (v *visit) connections() error {
	var linked kit.List[identity]
	if err := v.Call("AUTH.SOCIAL_LINKED", nil, &linked); err != nil {
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
		at := slices.IndexFunc(linked.Items, func(one identity) bool { return one.Provider == p.Name })
		c := connection{Provider: p}
		if at >= 0 {
			c.Linked = &linked.Items[at]
		}
		shown = append(shown, c)
	}
	var let kit.List[consentedApp]
	if err := v.Call("OAUTH.CONSENT_LIST", nil, &let); err != nil {
		return err
	}
	return v.Show("connections", "Connections", connectionsData{shown, let.Items})
}

// socialLink redirects to an upstream provider to link an account. It is bound to the
// session.
func (v *visit) socialLink() error {
	if err := v.OwnLink(); err != nil {
		return err
	}
	name := v.Request.PathValue("provider")
	var begun struct {
		URL string `json:"url"`
	}
	err := v.Call("SOCIAL.AUTH_URL", kit.Params{"provider": name, "redirect_uri": SocialLinked(v.Site.Host, name), "link": true}, &begun)
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
	brought, ok := v.CallbackParams(SocialLinked(v.Site.Host, v.Request.PathValue("provider")))
	if !ok {
		return v.Wrong(kit.NotThere, "/account/connections")
	}
	if err := v.Call("AUTH.SOCIAL_LINK", brought, nil); err != nil {
		return v.RedirectFailure(err, "/account/connections")
	}
	return v.Done("The account was linked.", "/account/connections")
}

func (v *visit) unlink() error {
	if err := v.Call("AUTH.SOCIAL_UNLINK", kit.Params{"provider": v.Form.Text("provider")}, nil); err != nil {
		return v.Retry(err, v.connections)
	}
	return v.Done("The account was unlinked.", "/account/connections")
}

// SocialLinked returns the address on which a link at a provider ends.
func SocialLinked(host, provider string) string {
	return host + "/account/connections/" + provider + "/done"
}

type identity struct {
	Provider string    `json:"provider"`
	Email    string    `json:"email"`
	LinkedAt time.Time `json:"linked_at"`
}
