package e2e_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"testing"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
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
func relying(t *testing.T, at *replica, by person, more P) *relyingParty {
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
	made := at.as(by, "APP.REGISTER", params)
	rp.app = made.text("app.id")
	secret := made.text("api_key")
	at.secrets.add("an app secret", secret)
	var err error
	if rp.provider, err = oidc.NewProvider(t.Context(), at.url); err != nil {
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
	told, err := rp.provider.Verifier(&oidc.Config{ClientID: "wiki"}).Verify(ctx, raw)
	if err != nil {
		rp.t.Fatalf("the ID token: %v", err)
	}
	if told.Nonce != "the-nonce" || told.VerifyAccessToken(token.AccessToken) != nil {
		rp.t.Errorf("the ID token: %+v", told)
	}
	info, err := rp.provider.UserInfo(ctx, rp.config.TokenSource(ctx, token))
	if err != nil || info.Email != email || info.Subject != told.Subject {
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
	onBoth(t, func(t *testing.T, on store) {
		here := openHere(t, on).first()
		ada, admin := here.signUp(), here.admin()
		rp := relying(t, here, admin, nil)
		for _, algorithm := range []string{"ES256", "RS256"} {
			here.as(admin, "APP.UPDATE", P{"app_id": rp.app, "id_token_signed_response_alg": algorithm})
			if got := rp.login(here, ada); got != algorithm {
				t.Errorf("an ID token by %s, want %s", got, algorithm)
			}
		}
	})
}

// login is somebody who lets the application in, if they have not yet. It returns what their ID
// token is signed by.
func (rp *relyingParty) login(here *replica, who person) (algorithm string) {
	rp.t.Helper()
	begun, err := url.Parse(rp.begin())
	if err != nil {
		rp.t.Fatal(err)
	}
	asked := P{}
	for name, values := range begun.Query() {
		asked[name] = values[0]
	}
	opened := here.as(who, "OAUTH.AUTHORIZE", asked)
	if opened.value("consent_required") == true {
		opened = here.as(who, "OAUTH.CONSENT_DECIDE", P{"request_id": opened.text("request_id"), "approve": true})
	}
	to, err := url.Parse(opened.text("redirect_to"))
	if err != nil {
		rp.t.Fatal(err)
	}
	algorithm, _ = headerOf(rp.t, rp.finish(to.Query(), who.email))["alg"].(string)
	return algorithm
}

// TestEveryPageFits for authorization: somebody is sent here by an application, signs in,
// agrees, and takes that back.
func TestEveryPageOfAuthorizationFits(t *testing.T) {
	onIts(t, sqlite(), func(t *testing.T, on store) {
		if *screens != "" {
			if err := os.MkdirAll(*screens, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		at := house(t, on)
		w, p := newTab(t, at), newcomer()
		w.register(p)
		rp := relying(t, at, at.again(p), nil)
		other := newTab(t, at)
		other.open(rp.begin()).sees("to continue to Wiki").picture("sign-in-to-app")
		other.open(rp.begin()).fill("E-mail address", p.email).fill("Password", p.password).press("Sign in").sees("wants to").picture("consent")
		other.press("Allow").sees("You are in the wiki")
		rp.finish(<-rp.answers, p.email)
		other.open(rp.begin(oauth2.SetAuthURLParam("response_mode", "form_post"))).sees("You are in the wiki")
		rp.finish(<-rp.answers, p.email)
		other.open(rp.begin(oauth2.SetAuthURLParam("prompt", "select_account"))).sees("Choose an account").picture("accounts")
		other.press("Use another account").sees("Sign in").open(rp.begin(oauth2.SetAuthURLParam("prompt", "select_account")))
		other.press("Continue as " + p.email).sees("You are in the wiki")
		rp.finish(<-rp.answers, p.email)
		other.open(rp.begin(oauth2.SetAuthURLParam("prompt", "login"))).sees("Wiki asks you to sign in again").picture("sign-in-again")
		other.fill("Password", p.password).press("Confirm").sees("You are in the wiki")
		rp.finish(<-rp.answers, p.email)
		other.open("/account/connections").sees("Wiki").picture("connected")
		other.press("Disconnect Wiki").sees("was disconnected")
		other.open(rp.begin()).press("Cancel").sees("You are in the wiki")
		if denied := <-rp.answers; denied.Get("error") != "access_denied" {
			t.Errorf("a refusal: %v", denied)
		}
		other.open(at.url + "/oauth/authorize?client_id=nobody").sees("nothing was given").picture("unauthorized")

		at.as(at.again(p), "APP.REGISTER", P{"name": "Television", "slug": "tv", "type": "native", "grant_types": []string{"device_code", "refresh_token"}})
		tv := oauth2.Config{ClientID: "tv", Endpoint: rp.provider.Endpoint(), Scopes: []string{oidc.ScopeOpenID, "profile"}}
		device, err := tv.DeviceAuth(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		other.open(device.VerificationURIComplete).sees("Does your device show this code?").picture("device")
		other.press("Continue").sees("on another device wants to").picture("device-asks")
		other.press("Allow").sees("The device is connected")
		if token, err := tv.DeviceAccessToken(t.Context(), device); err != nil || !token.Valid() {
			t.Errorf("the device gets %v", err)
		}
		other.open(at.url + "/oauth/end_session?client_id=wiki").sees("asks to sign you out").picture("sign-out")
		other.press("Sign out").sees("You are signed out")
	})
}
