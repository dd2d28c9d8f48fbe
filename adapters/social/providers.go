package social

import (
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/markbates/goth"
	"github.com/markbates/goth/providers/discord"
	"github.com/markbates/goth/providers/github"
	"github.com/markbates/goth/providers/google"
	"golang.org/x/oauth2"

	"gatehouse.internal/domain/social"
)

// provider is what is particular to one.
type provider struct {
	endpoint oauth2.Endpoint
	// library makes goth's provider.
	library func(c social.Client, redirect string, scopes []string, through *http.Client) goth.Provider
	// verified reports whether the address of goth's user is verified; nil asks
	// /user/emails.
	verified func(goth.User) bool
	// shown is the field of the raw profile that says what the person is called, where
	// goth reads another.
	shown string
}

// providers returns all of them. Clients authenticate in the body, which all three
// take; trying ways out would use a code up.
func providers() map[social.Provider]provider {
	return map[social.Provider]provider{
		social.Google: {
			endpoint: inBody(google.Endpoint.AuthURL, google.Endpoint.TokenURL),
			library: func(c social.Client, redirect string, scopes []string, through *http.Client) goth.Provider {
				made := google.New(c.ID, c.Secret.Reveal(), redirect, scopes...)
				made.HTTPClient = through
				return made
			},
			verified: flag("verified_email"),
		},
		social.GitHub: {
			endpoint: inBody(github.AuthURL, github.TokenURL),
			library: func(c social.Client, redirect string, scopes []string, through *http.Client) goth.Provider {
				made := github.New(c.ID, c.Secret.Reveal(), redirect, scopes...)
				made.HTTPClient = through
				return made
			},
		},
		social.Discord: {
			endpoint: inBody("https://discord.com/api/oauth2/authorize", "https://discord.com/api/oauth2/token"),
			library: func(c social.Client, redirect string, scopes []string, through *http.Client) goth.Provider {
				made := discord.New(c.ID, c.Secret.Reveal(), redirect, scopes...)
				made.HTTPClient = through
				return made
			},
			verified: flag("verified"),
			shown:    "global_name",
		},
	}
}

func inBody(authorize, token string) oauth2.Endpoint {
	return oauth2.Endpoint{AuthURL: authorize, TokenURL: token, AuthStyle: oauth2.AuthStyleInParams}
}

// flag reads a boolean of the raw profile; what is no boolean is false.
func flag(name string) func(goth.User) bool {
	return func(u goth.User) bool {
		set, _ := u.RawData[name].(bool)
		return set
	}
}

// config returns the client as the OAuth library wants it.
func (p provider) config(c social.Client, redirect string) *oauth2.Config {
	return &oauth2.Config{ClientID: c.ID, ClientSecret: c.Secret.Reveal(), Endpoint: p.endpoint, RedirectURL: redirect, Scopes: c.Scopes}
}

// session writes an access token as goth keeps it.
func session(access string) (string, error) {
	written, err := json.Marshal(struct{ AccessToken string }{access})
	return string(written), err
}
