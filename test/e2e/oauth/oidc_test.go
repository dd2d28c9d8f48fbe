package oauth_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"testing"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"gatehouse.internal/test/e2e/browser"
	"gatehouse.internal/test/e2e/instance"
)

// relyingParty is an application that logs people in by coreos/go-oidc and
// golang.org/x/oauth2, unchanged.
type relyingParty struct {
	t *testing.T
	// app is its identifier.
	app      string
	config   oauth2.Config
	provider *oidc.Provider
	// verifier is that of PKCE, answers what browsers came back with.
	verifier string
	answers  chan url.Values
}

// relying registers the application with somebody's workspace, and starts it.
func relying(t *testing.T, at *instance.Replica, by instance.Person, more P) *relyingParty {
	t.Helper()
	rp := &relyingParty{t: t, verifier: oauth2.GenerateVerifier(), answers: make(chan url.Values, 1)}
	back := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/callback" || r.ParseForm() != nil {
			http.NotFound(w, r)
			return
		}
		rp.answers <- r.Form
		_, _ = w.Write([]byte("<!doctype html><title>Wiki</title><p>You are in the wiki."))
	}))
	t.Cleanup(back.Close)
	params := P{"name": "Wiki", "slug": "wiki", "type": "web", "redirect_urls": []string{back.URL + "/callback"}}
	for name, value := range more {
		params[name] = value
	}
	made := at.As(by, "APP.REGISTER", params)
	rp.app = made.Text("app.id")
	secret := made.Text("api_key")
	at.Secrets.Add("an app secret", secret)
	var err error
	if rp.provider, err = oidc.NewProvider(t.Context(), at.URL); err != nil {
		t.Fatal(err)
	}
	rp.config = oauth2.Config{
		ClientID: "wiki", ClientSecret: secret, Endpoint: rp.provider.Endpoint(), RedirectURL: back.URL + "/callback",
		Scopes: []string{oidc.ScopeOpenID, "profile", "email", oidc.ScopeOfflineAccess},
	}
	return rp
}

// begin is where the application sends a browser.
func (rp *relyingParty) begin(options ...oauth2.AuthCodeOption) string {
	return rp.config.AuthCodeURL("the-state", append(options, oidc.Nonce("the-nonce"), oauth2.S256ChallengeOption(rp.verifier))...)
}

// finish redeems the code, and checks all that the application is told. It returns the ID token.
func (rp *relyingParty) finish(answer url.Values, email string) string {
	rp.t.Helper()
	if answer.Get("state") != "the-state" || answer.Get("code") == "" {
		rp.t.Fatalf("the answer: %v", answer)
	}
	ctx := context.Background()
	token, err := rp.config.Exchange(ctx, answer.Get("code"), oauth2.VerifierOption(rp.verifier))
	if err != nil {
		rp.t.Fatalf("the exchange: %v", err)
	}
	raw, _ := token.Extra("id_token").(string)
	idToken, err := rp.provider.Verifier(&oidc.Config{ClientID: "wiki"}).Verify(ctx, raw)
	if err != nil {
		rp.t.Fatalf("the ID token: %v", err)
	}
	if idToken.Nonce != "the-nonce" || idToken.VerifyAccessToken(token.AccessToken) != nil {
		rp.t.Errorf("the ID token: %+v", idToken)
	}
	info, err := rp.provider.UserInfo(ctx, rp.config.TokenSource(ctx, token))
	if err != nil || info.Email != email || info.Subject != idToken.Subject {
		rp.t.Errorf("the claims: %+v, %v", info, err)
	}
	token.Expiry = token.Expiry.AddDate(-1, 0, 0) // so that the library refreshes it
	next, err := rp.config.TokenSource(ctx, token).Token()
	if err != nil || next.AccessToken == token.AccessToken || next.RefreshToken == token.RefreshToken {
		rp.t.Errorf("the refresh: %v", err)
	}
	return raw
}

// TestOpenIDConnect logs somebody in to an application by its stock libraries.
func TestOpenIDConnect(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		here := openHere(t, on).First()
		ada, admin := here.SignUp(), here.Admin()
		rp := relying(t, here, admin, nil)
		for _, algorithm := range []string{"ES256", "RS256"} {
			here.As(admin, "APP.UPDATE", P{"app_id": rp.app, "id_token_signed_response_alg": algorithm})
			if got := rp.login(here, ada); got != algorithm {
				t.Errorf("an ID token by %s, want %s", got, algorithm)
			}
		}
	})
}

// login is somebody who lets the application in, if they have not yet. It returns what their ID
// token is signed by.
func (rp *relyingParty) login(here *instance.Replica, who instance.Person) (algorithm string) {
	rp.t.Helper()
	begun, err := url.Parse(rp.begin())
	if err != nil {
		rp.t.Fatal(err)
	}
	asked := P{}
	for name, values := range begun.Query() {
		asked[name] = values[0]
	}
	opened := here.As(who, "OAUTH.AUTHORIZE", asked)
	if opened.Value("consent_required") == true {
		opened = here.As(who, "OAUTH.CONSENT_DECIDE", P{"request_id": opened.Text("request_id"), "approve": true})
	}
	to, err := url.Parse(opened.Text("redirect_to"))
	if err != nil {
		rp.t.Fatal(err)
	}
	algorithm, _ = instance.HeaderOf(rp.t, rp.finish(to.Query(), who.Email))["alg"].(string)
	return algorithm
}

// TestEveryPageFits for authorization: somebody is sent here by an application, signs in,
// agrees, and takes that back.
func TestEveryPageOfAuthorizationFits(t *testing.T) {
	instance.OnIts(t, instance.SQLite(), func(t *testing.T, on instance.Store) {
		if *browser.Screens != "" {
			if err := os.MkdirAll(*browser.Screens, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		at := browser.House(t, on)
		w, p := browser.NewTab(t, at), instance.Newcomer()
		w.Register(p)
		rp := relying(t, at, at.Again(p), nil)
		other := browser.NewTab(t, at)
		other.Open(rp.begin()).Sees("to continue to Wiki").Picture("sign-in-to-app")
		other.Open(rp.begin()).Fill("Email address", p.Email).Fill("Password", p.Password).Press("Sign in").Sees("wants to").Picture("consent")
		other.Press("Allow").Sees("You are in the wiki")
		rp.finish(<-rp.answers, p.Email)
		other.Open(rp.begin(oauth2.SetAuthURLParam("response_mode", "form_post"))).Sees("You are in the wiki")
		rp.finish(<-rp.answers, p.Email)
		other.Open(rp.begin(oauth2.SetAuthURLParam("prompt", "select_account"))).Sees("Choose an account").Picture("accounts")
		other.Press("Use another account").Sees("Sign in").Open(rp.begin(oauth2.SetAuthURLParam("prompt", "select_account")))
		other.Press("Continue as " + p.Email).Sees("You are in the wiki")
		rp.finish(<-rp.answers, p.Email)
		other.Open(rp.begin(oauth2.SetAuthURLParam("prompt", "login"))).Sees("Wiki asks you to sign in again").Picture("sign-in-again")
		other.Fill("Password", p.Password).Press("Confirm").Sees("You are in the wiki")
		rp.finish(<-rp.answers, p.Email)
		other.Open("/account/connections").Sees("Wiki").Picture("connected")
		other.Press("Disconnect Wiki").Sees("was disconnected")
		other.Open(rp.begin()).Press("Cancel").Sees("You are in the wiki")
		if denied := <-rp.answers; denied.Get("error") != "access_denied" {
			t.Errorf("a refusal: %v", denied)
		}
		other.Open(at.URL + "/oauth/authorize?client_id=nobody").Sees("got no access").Picture("unauthorized")

		at.As(at.Again(p), "APP.REGISTER", P{"name": "Television", "slug": "tv", "type": "native", "grant_types": []string{"device_code", "refresh_token"}})
		tv := oauth2.Config{ClientID: "tv", Endpoint: rp.provider.Endpoint(), Scopes: []string{oidc.ScopeOpenID, "profile"}}
		device, err := tv.DeviceAuth(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		other.Open(device.VerificationURIComplete).Sees("Does your device show this code?").Picture("device")
		other.Press("Continue").Sees("on another device wants to").Picture("device-asks")
		other.Press("Allow").Sees("The device is connected")
		if token, err := tv.DeviceAccessToken(t.Context(), device); err != nil || !token.Valid() {
			t.Errorf("the device gets %v", err)
		}
		other.Open(at.URL + "/oauth/end_session?client_id=wiki").Sees("asks to sign you out").Picture("sign-out")
		other.Press("Sign out").Sees("You are signed out")
	})
}
