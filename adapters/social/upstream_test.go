package social_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	socialadapter "gatehouse.internal/adapters/social"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/social"
	"gatehouse.internal/ports/outbound/signin"
	"gatehouse.internal/test/fake/upstream"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk" // RFC 7636 appendix B
	back     = "http://gatehouse.test/api/auth/social/x/callback"
	state    = "af0ifjsldkj"
)

// world is one provider with a client of it.
type world struct {
	t      *testing.T
	server *upstream.Server
	asks   *socialadapter.Upstream
	client social.Client
}

func start(t *testing.T, name string) *world {
	t.Helper()
	s := upstream.Start(t, name)
	base, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	p := social.Provider(name)
	w := &world{t: t, server: s, client: social.Client{Provider: p, ID: s.ClientID, Secret: secret.New(s.Secret), Scopes: p.DefaultScopes()}}
	w.asks = socialadapter.New(socialadapter.Options{Bases: map[social.Provider]*url.URL{p: base}, Patience: 2 * time.Second})
	t.Cleanup(w.asks.Close)
	return w
}

// each runs a test with every provider.
func each(t *testing.T, test func(t *testing.T, w *world)) {
	for _, name := range upstream.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, start(t, name))
		})
	}
}

// code logs the person in at the provider and returns the code that comes back.
func (w *world) code() string {
	w.t.Helper()
	address, err := w.asks.AuthorizationURL(w.client, signin.UpstreamAuthParams{State: state, Verifier: verifier, RedirectURI: back})
	if err != nil {
		w.t.Fatal(err)
	}
	browser := &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport:     &http.Transport{DisableKeepAlives: true},
	}
	answer, err := browser.Get(address)
	if err != nil {
		w.t.Fatal(err)
	}
	defer answer.Body.Close()
	to, err := answer.Location()
	if err != nil || to.Query().Get("state") != state {
		w.t.Fatalf("the provider answers %s to %v", answer.Status, to)
	}
	return to.Query().Get("code")
}

func (w *world) exchange(code string) (signin.UpstreamLogin, error) {
	return w.asks.Exchange(w.t.Context(), w.client, signin.UpstreamTokenParams{Code: secret.New(code), Verifier: verifier, RedirectURI: back})
}

func address(t *testing.T, text string) email.Address {
	t.Helper()
	parsed, err := email.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestAuthorizationURL(t *testing.T) {
	t.Parallel()
	for name, want := range map[social.Provider]string{
		social.Google:  "https://accounts.google.com/o/oauth2/auth?",
		social.GitHub:  "https://github.com/login/oauth/authorize?",
		social.Discord: "https://discord.com/api/oauth2/authorize?",
	} {
		client := social.Client{Provider: name, ID: "us", Secret: secret.New("hidden"), Scopes: name.DefaultScopes()}
		got, err := socialadapter.New(socialadapter.Options{}).AuthorizationURL(client, signin.UpstreamAuthParams{State: state, Verifier: verifier, RedirectURI: back})
		if err != nil || !strings.HasPrefix(got, want) || strings.Contains(got, "hidden") || strings.Contains(got, verifier) {
			t.Errorf("%s: %s, %v", name, got, err)
		}
		parsed, _ := url.Parse(got)
		query := parsed.Query()
		for key, value := range map[string]string{
			"client_id": "us", "response_type": "code", "state": state, "redirect_uri": back, "scope": strings.Join(client.Scopes, " "),
			"code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
		} {
			if query.Get(key) != value {
				t.Errorf("%s: %s = %q, want %q", name, key, query.Get(key), value)
			}
		}
	}
}

func TestExchange(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		got, err := w.exchange(w.code())
		if err != nil {
			t.Fatal(err)
		}
		want := social.Profile{
			ID: "1001", Email: address(t, "ada@example.com"), Verified: true, Name: "Ada Lovelace", Avatar: "https://images.example.com/ada.png",
		}
		life := time.Hour
		switch w.server.Name {
		case upstream.Discord:
			want.Avatar = "https://media.discordapp.net/avatars/1001/a1b2c3.jpg"
		case upstream.GitHub:
			life = 0
		}
		if got.Profile != want {
			t.Errorf("profile = %+v\nwant      %+v", got.Profile, want)
		}
		if got.Tokens.Life != life || !slices.Equal(got.Tokens.Scopes, w.client.Scopes) || !strings.Contains(got.Tokens.Access.Reveal(), "access") {
			t.Errorf("tokens = %+v", got.Tokens)
		}
		if got.Tokens.Refresh.Empty() != (w.server.Name == upstream.GitHub) {
			t.Errorf("refresh token = %q", got.Tokens.Refresh.Reveal())
		}
	})
}

// A code works once, for the verifier and address that it was asked for with, and
// for the client that it was given to.
func TestCodesOfOthers(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		used := w.code()
		if _, err := w.exchange(used); err != nil {
			t.Fatal(err)
		}
		for what, answer := range map[string]signin.UpstreamTokenParams{
			"a used code":      {Code: secret.New(used), Verifier: verifier, RedirectURI: back},
			"an invented code": {Code: secret.New("x"), Verifier: verifier, RedirectURI: back},
			"another verifier": {Code: secret.New(w.code()), Verifier: "another" + verifier[7:], RedirectURI: back},
			"another address":  {Code: secret.New(w.code()), Verifier: verifier, RedirectURI: back + "/"},
		} {
			if _, err := w.asks.Exchange(t.Context(), w.client, answer); !errors.Is(err, social.ErrCode) {
				t.Errorf("%s: %v", what, err)
			}
		}
		w.client.Secret = secret.New("wrong")
		_, err := w.exchange(w.code())
		if !errors.Is(err, social.ErrUnavailable) || !strings.Contains(fmt.Sprint(errors.Unwrap(err)), "client") {
			t.Errorf("a wrong secret: %v because of %v", err, errors.Unwrap(err))
		}
	})
}

// What a provider does wrong is one error, soon, and tells no token.
func TestProvidersThatFail(t *testing.T) {
	t.Parallel()
	huge := `{"id":"1","login":"` + strings.Repeat("x", 300<<10) + `"}`
	for what, now := range map[string]upstream.Switches{
		"down":                      {Down: true},
		"slow":                      {Slow: true},
		"a token without a token":   {Token: `{"token_type":"bearer"}`},
		"a token of a wrong type":   {Token: `{"access_token":7}`},
		"a token that is no JSON":   {Token: `<html>`},
		"a huge token":              {Token: `{"access_token":"` + strings.Repeat("x", 300<<10) + `"}`},
		"a token and an odd error":  {Token: `{"error":"<script>","access_token":"x"}`},
		"a profile of a wrong type": {Profile: `{"id":{},"login":7,"verified":"true","verified_email":"true"}`},
		"a profile of nobody":       {Profile: `{}`},
		"a profile that is a list":  {Profile: `[]`},
		"a profile that is null":    {Profile: `null`},
		"a profile that is no JSON": {Profile: `<html>`},
		"a profile that breaks off": {Profile: `{"id":"1`},
		"a huge profile":            {Profile: huge},
		"an error":                  {Status: http.StatusInternalServerError},
		"a token that is refused":   {Status: http.StatusUnauthorized},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, w *world) {
				if now.Slow {
					w.asks = socialadapter.New(socialadapter.Options{Bases: w.bases(), Patience: 50 * time.Millisecond})
				}
				code := w.code()
				w.server.Switch(now)
				began := time.Now()
				_, err := w.exchange(code)
				if !errors.Is(err, social.ErrUnavailable) {
					t.Fatalf("err = %v", err)
				}
				if took := time.Since(began); took > time.Minute {
					t.Errorf("it took %v", took)
				}
				if cause := fmt.Sprint(errors.Unwrap(err)); strings.Contains(cause, "access-") || strings.Contains(cause, "<script") || strings.Contains(cause, "<html") || len(cause) > 500 {
					t.Errorf("the log would read %.600s", cause)
				}
			})
		})
	}
}

func (w *world) bases() map[social.Provider]*url.URL {
	base, err := url.Parse(w.server.URL)
	if err != nil {
		w.t.Fatal(err)
	}
	return map[social.Provider]*url.URL{w.client.Provider: base}
}

// A token goes nowhere but to the provider.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	t.Cleanup(elsewhere.Close)
	each(t, func(t *testing.T, w *world) {
		code := w.code()
		w.server.Switch(upstream.Switches{Elsewhere: elsewhere.URL})
		if _, err := w.exchange(code); !errors.Is(err, social.ErrUnavailable) {
			t.Errorf("err = %v", err)
		}
	})
}

func TestCanceledCallsAreNotAwaited(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		code := w.code()
		w.server.Switch(upstream.Switches{Slow: true})
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		began := time.Now()
		_, err := w.asks.Exchange(ctx, w.client, signin.UpstreamTokenParams{Code: secret.New(code), Verifier: verifier, RedirectURI: back})
		if !errors.Is(err, social.ErrUnavailable) || time.Since(began) > time.Minute {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// An address counts only when the provider says that it is verified, and where it
// says so: in a truth value of its own, not in a text.
func TestVerifiedAddresses(t *testing.T) {
	t.Parallel()
	ada := upstream.Person{ID: "7", Email: "ada@example.com", Name: "Ada"}
	each(t, func(t *testing.T, w *world) {
		look := func(p upstream.Person, now upstream.Switches) social.Profile {
			w.server.Be(p)
			w.server.Switch(now)
			got, err := w.exchange(w.code())
			if err != nil {
				t.Fatal(err)
			}
			return got.Profile
		}
		if p := look(ada, upstream.Switches{}); p.Vouched() || p.Email.String() != ada.Email {
			t.Errorf("an address that is not verified: %+v", p)
		}
		verified := ada
		verified.Verified = true
		if p := look(verified, upstream.Switches{}); !p.Vouched() {
			t.Errorf("a verified address: %+v", p)
		}
		if p := look(verified, upstream.Switches{Scopes: []string{"openid", "identify"}}); p.Vouched() || !p.Email.IsZero() {
			t.Errorf("without the scope: %+v", p)
		}
		none := verified
		none.Email = ""
		if p := look(none, upstream.Switches{}); p.Vouched() || !p.Email.IsZero() {
			t.Errorf("without an address: %+v", p)
		}
		several := verified
		several.Email = "ada@example.com, eve@example.com"
		if p := look(several, upstream.Switches{}); p.Vouched() {
			t.Errorf("two addresses in one: %+v", p)
		}
	})
}

func TestGoogleSaysVerifiedInWords(t *testing.T) {
	t.Parallel()
	w := start(t, upstream.Google)
	for _, said := range []string{`"true"`, `1`, `null`, `["true"]`} {
		code := w.code()
		w.server.Switch(upstream.Switches{Profile: `{"id":"1","email":"ada@example.com","verified_email":` + said + `}`})
		got, err := w.exchange(code)
		if err != nil || got.Profile.Vouched() {
			t.Errorf("verified_email %s: %+v, %v", said, got.Profile, err)
		}
	}
}

// The address in github's profile is what the person wants to show, nothing more.
func TestGitHubPublicAddress(t *testing.T) {
	t.Parallel()
	w := start(t, upstream.GitHub)
	for emails, want := range map[string]string{
		`[{"email":"own@example.com","primary":true,"verified":true}]`:  "own@example.com",
		`[{"email":"own@example.com","primary":true,"verified":false}]`: "",
		`[{"email":"own@example.com","primary":false,"verified":true}]`: "",
		`[]`: "",
	} {
		code := w.code()
		w.server.Switch(upstream.Switches{Profile: `{"id":5,"login":"eve","email":"victim@example.com"}`, Emails: emails})
		got, err := w.exchange(code)
		if err != nil || got.Profile.Vouched() != (want != "") || (want != "" && got.Profile.Email.String() != want) {
			t.Errorf("%s: %+v, %v", emails, got.Profile, err)
		}
	}
	code := w.code()
	w.server.Switch(upstream.Switches{Profile: `{"id":5}`, Emails: `{"message":"odd"}`})
	if _, err := w.exchange(code); !errors.Is(err, social.ErrUnavailable) {
		t.Errorf("err = %v", err)
	}
}

// Not everybody at discord has a name beside the one that they log in with.
func TestDiscordNames(t *testing.T) {
	t.Parallel()
	w := start(t, upstream.Discord)
	for shown, want := range map[string]string{`"Nelly the Elder"`: "Nelly the Elder", `null`: "nelly_99", `""`: "nelly_99", `" \u202e"`: "nelly_99", `7`: "nelly_99"} {
		code := w.code()
		w.server.Switch(upstream.Switches{Profile: `{"id":"5","username":"nelly_99","global_name":` + shown + `}`})
		if got, err := w.exchange(code); err != nil || got.Profile.Name != want {
			t.Errorf("global_name %s: %q, %v", shown, got.Profile.Name, err)
		}
	}
}

// github answers tokens as a form, whose bytes need not be text.
func TestTokensThatAreNoText(t *testing.T) {
	t.Parallel()
	w := start(t, upstream.GitHub)
	w.server.Switch(upstream.Switches{Scopes: []string{"user:email", "\xff"}})
	if got, err := w.exchange(w.code()); !errors.Is(err, social.ErrUnavailable) {
		t.Errorf("scopes %q, %v", got.Tokens.Scopes, err)
	}
}

func TestRefresh(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		first, err := w.exchange(w.code())
		if err != nil {
			t.Fatal(err)
		}
		w.server.Switch(upstream.Switches{Life: 60})
		next, err := w.asks.Refresh(t.Context(), w.client, first.Tokens.Refresh)
		if w.server.Name == upstream.GitHub {
			if !errors.Is(err, social.ErrCode) {
				t.Errorf("github refreshes: %v", err)
			}
			return
		}
		if err != nil || next.Life != time.Minute || next.Access.Reveal() == first.Tokens.Access.Reveal() {
			t.Fatalf("%+v, %v", next, err)
		}
		if _, err := w.asks.Refresh(t.Context(), w.client, first.Tokens.Refresh); !errors.Is(err, social.ErrCode) {
			t.Errorf("a used refresh token: %v", err)
		}
		w.server.Switch(upstream.Switches{Down: true})
		if _, err := w.asks.Refresh(t.Context(), w.client, next.Refresh); !errors.Is(err, social.ErrUnavailable) {
			t.Errorf("a provider that is down: %v", err)
		}
	})
}
