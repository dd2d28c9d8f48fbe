package machines_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	delegationstore "gatehouse.internal/adapters/sqlstore/delegation"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/test/harness"
)

// receiver is a client's address for logout tokens.
type receiver struct {
	*httptest.Server

	mu     sync.Mutex
	tokens []string
	answer func(http.ResponseWriter, *http.Request)
}

func receive(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		token := request.PostFormValue("logout_token")
		if request.URL.Path == "/logout" && request.URL.RawQuery != "of=wiki" { // Back-Channel Logout section 2.2
			t.Errorf("the query of the address became %q", request.URL.RawQuery)
		}
		r.mu.Lock()
		answer := r.answer
		r.tokens = append(r.tokens, token)
		r.mu.Unlock()
		if answer != nil {
			answer(w, request)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// answers sets how the receiver answers from now on; nil is 200.
func (r *receiver) answers(how func(http.ResponseWriter, *http.Request)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = how
}

// taken returns what came since it was asked last.
func (r *receiver) taken() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	came := r.tokens
	r.tokens = nil
	return came
}

// sendLogouts sends what is due, and returns how many attempts there were.
func sendLogouts(t *testing.T, h *harness.Service) int {
	t.Helper()
	n, err := h.Logouts.Pass(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// listening is the wiki with an address for logout tokens.
func listening(by *harness.Actor, to *receiver) oauthMachine {
	return oauthRegister(by, "wiki", P{"type": "web", "redirect_urls": []string{callback}, "scopes": []string{"users:read"}, "backchannel_logout_uri": to.URL + "/logout?of=wiki"})
}

// Whatever ends a session, each client that somebody signed in to by it is told once, by a token
// that stock libraries take, and nobody else is.
func TestClientsAreNotifiedOfLogout(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		to, elsewhere := receive(t), receive(t)
		root := here.Superadmin()
		app := listening(root, to)
		oauthRegister(root, "unused", P{"type": "web", "redirect_urls": []string{callback}, "backchannel_logout_uri": elsewhere.URL})
		second := func(a *harness.Actor) *harness.Actor { return here.Login(emailOf(a), harness.Password) }
		for what, end := range map[string]func(a *harness.Actor){
			"logout":            func(a *harness.Actor) { a.Do("AUTH.LOGOUT", nil).OK() },
			"a session revoked": func(a *harness.Actor) { second(a).Do("SESSION.REVOKE", P{"session_id": a.SessionID}).OK() },
			"all revoked":       func(a *harness.Actor) { second(a).Do("SESSION.REVOKE_ALL", nil).OK() },
			"an administrator":  func(a *harness.Actor) { root.Do("SESSION.REVOKE", P{"session_id": a.SessionID}).OK() },
			"a password changed": func(a *harness.Actor) {
				second(a).Do("USER.CHANGE_PASSWORD", P{"current_password": harness.Password, "new_password": "another battery staple"}).OK()
			},
			"a password set": func(a *harness.Actor) {
				root.Do("USER.SET_PASSWORD", P{"user_id": a.UserID, "password": "another battery staple"}).OK()
			},
			"a user disabled": func(a *harness.Actor) { root.Do("USER.DISABLE", P{"user_id": a.UserID}).OK() },
			"a user deleted":  func(a *harness.Actor) { root.Do("USER.DELETE", P{"user_id": a.UserID}).OK() },
			"users deleted": func(a *harness.Actor) {
				root.Do("USER.BULK_DELETE", P{"user_ids": []string{a.UserID}}).OK()
				here.RunJobs()
			},
			"end_session": func(a *harness.Actor) {
				a.Do("OAUTH.END_SESSION", P{"id_token_hint": app.redeem(here, codeOf(t, a, nil)).OK().String("id_token")}).OK()
			},
			"a refresh token reused": func(a *harness.Actor) {
				first := a.RefreshToken
				next := here.Anonymous().Do("AUTH.REFRESH", P{"refresh_token": first}).OK().String("refresh_token")
				here.Anonymous().Do("AUTH.REFRESH", P{"refresh_token": next}).OK()
				here.Anonymous().Do("AUTH.REFRESH", P{"refresh_token": first}).Fails(fault.Auth)
			},
		} {
			a := here.SignUp(strings.ReplaceAll(what, " ", "-") + "@example.com")
			tokens := app.redeem(there, codeOf(t, a, nil)).OK()
			app.redeem(there, codeOf(t, a, P{"prompt": "consent"})).OK() // twice is one client
			codeOf(t, a, P{"nonce": "never redeemed"})
			end(a)
			if n := sendLogouts(t, there); n != 1 {
				t.Errorf("%s: %d attempts", what, n)
			}
			came := to.taken()
			if len(came) != 1 {
				t.Errorf("%s: %d tokens came", what, len(came))
				continue
			}
			checkLogout(t, what, here, came[0], claimsOf(t, tokens.String("id_token")))
			if n := sendLogouts(t, here); n != 0 {
				t.Errorf("%s: %d attempts afterwards", what, n)
			}
		}
		if came := elsewhere.taken(); len(came) > 0 {
			t.Errorf("a client that nobody used was told %d times", len(came))
		}
	})
}

func emailOf(a *harness.Actor) string { return a.Do("USER.ME", nil).OK().String("email") }

// claimsOf reads a token without looking at its signature.
func claimsOf(t *testing.T, token string) P {
	t.Helper()
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("no token: %q", token)
	}
	read := P{}
	for _, part := range parts[:2] {
		text, err := base64.RawURLEncoding.DecodeString(part)
		if err != nil || json.Unmarshal(text, &read) != nil {
			t.Fatalf("no token: %q", token)
		}
	}
	return read
}

// checkLogout verifies a logout token as a client does by coreos/go-oidc and OpenID Connect
// Back-Channel Logout 1.0 section 2.6.
func checkLogout(t *testing.T, what string, h *harness.Service, token string, id P) {
	t.Helper()
	published := httptest.NewServer(h.Handler)
	defer published.Close()
	ctx := oidc.ClientContext(t.Context(), published.Client())
	verifier := oidc.NewVerifier(harness.Issuer, oidc.NewRemoteKeySet(ctx, published.URL+"/.well-known/jwks.json"),
		&oidc.Config{ClientID: "wiki", Now: h.Clock.Now, SupportedSigningAlgs: []string{"ES256", "RS256"}})
	verified, err := verifier.Verify(ctx, token)
	if err != nil {
		t.Errorf("%s: the token: %v", what, err)
		return
	}
	var claims struct {
		ID     string                    `json:"jti"`
		SID    string                    `json:"sid"`
		Events map[string]map[string]any `json:"events"`
		Nonce  *string                   `json:"nonce"`
	}
	if err := verified.Claims(&claims); err != nil {
		t.Fatal(err)
	}
	event, has := claims.Events["http://schemas.openid.net/event/backchannel-logout"]
	if !has || len(event) > 0 || len(claims.Events) != 1 || claims.ID == "" || claims.Nonce != nil || claims.SID != id["sid"] || verified.Subject != id["sub"] {
		t.Errorf("%s: the token says %+v of %s", what, claims, verified.Subject)
	}
	if all := claimsOf(t, token); all["typ"] != "logout+jwt" || verified.Expiry.Sub(verified.IssuedAt) != oauth.LogoutLife {
		t.Errorf("%s: the token is %v", what, all)
	}
	// No other consumer of tokens takes it.
	h.With(token).Do("AUTH.WHOAMI", nil).Fails(fault.TokenInvalid)
	h.Anonymous().Do("OAUTH.END_SESSION", P{"id_token_hint": token}).Fails(fault.Validation)
}

// A client that fails, hangs or is away is told again, five times in all, by a token of its own
// each time; a replica that died with a logout in hand is followed by another once its lease has
// ended, and what it says then counts no more.
func TestLogoutNotificationIsRetried(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		to := receive(t)
		ada := here.SignUp("ada@example.com")
		app := listening(ada, to)
		end := func() {
			a := here.Login("ada@example.com", harness.Password)
			app.redeem(here, codeOf(t, a, nil)).OK()
			a.Do("AUTH.LOGOUT", nil).OK()
		}
		wait := func(by time.Duration) {
			here.Clock.Advance(by)
			there.Clock.Advance(by)
		}
		end()
		held, err := delegationstore.Logouts(there.Store).Claim(t.Context(), 10, there.Clock.Now(), there.Clock.Now().Add(oauth.LogoutLease))
		if err != nil || len(held) != 1 {
			t.Fatalf("claimed %d, %v", len(held), err)
		}
		wait(oauth.LogoutLease - time.Second)
		if n := sendLogouts(t, there); n != 0 {
			t.Errorf("%d attempts before the lease has ended", n)
		}
		wait(2 * time.Second)
		to.answers(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
		if n := sendLogouts(t, there); n != 1 {
			t.Errorf("%d attempts after the lease", n)
		}
		if err := delegationstore.Logouts(here.Store).Forget(t.Context(), held[0].Logout); err != nil {
			t.Fatal(err)
		}
		wait(31 * time.Second)
		if n := sendLogouts(t, here); n != 0 { // it is the second pause
			t.Errorf("%d attempts within the pause", n)
		}
		wait(5 * time.Minute)
		to.answers(nil)
		if n := sendLogouts(t, here); n != 1 {
			t.Errorf("%d attempts after the pause", n)
		}
		came := to.taken()
		if len(came) != 2 || claimsOf(t, came[0])["jti"] == claimsOf(t, came[1])["jti"] {
			t.Errorf("came %v", came)
		}

		to.answers(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) })
		end()
		attempts := 0
		for range 20 {
			attempts += sendLogouts(t, here)
			wait(20 * time.Minute)
		}
		if attempts != 5 || len(to.taken()) != 5 {
			t.Errorf("%d attempts of one that redirects", attempts)
		}
	})
}

// Two replicas that work at once tell every logout once.
func TestLogoutsAreShared(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		to := receive(t)
		to.answers(func(http.ResponseWriter, *http.Request) { time.Sleep(2 * time.Millisecond) })
		ada := here.SignUp("ada@example.com")
		app := listening(ada, to)
		const sessions = 12
		for range sessions {
			app.redeem(here, codeOf(t, here.Login("ada@example.com", harness.Password), nil)).OK()
		}
		ada.Do("SESSION.REVOKE_ALL", nil).OK()
		var working sync.WaitGroup
		for _, replica := range []*harness.Service{here, there} {
			working.Go(func() { sendLogouts(t, replica) })
		}
		working.Wait()
		seen := map[any]bool{}
		for _, token := range to.taken() {
			seen[claimsOf(t, token)["sid"]] = true
		}
		if len(seen) != sessions {
			t.Errorf("%d of %d sessions were told", len(seen), sessions)
		}
		if n := sendLogouts(t, here); n != 0 {
			t.Errorf("%d attempts afterwards", n)
		}
	})
}

// Nothing is sent into this machine or a private network, and an address that was taken away, or
// that a dry run of a logout would have told, is told nothing.
func TestLogoutGoesNowhereElse(t *testing.T) {
	t.Parallel()
	production := harness.InProduction(t, harness.SQLite(t))
	ada := production.SignUp("ada@example.com")
	for _, address := range []string{"/logout", "http://app.example.com/", "https://127.0.0.1/", "https://metadata.google.internal/", "https://[::1]:8443/", "https://app.example.com:22/", "https://u:p@app.example.com/", "https://app.example.com/#x"} {
		ada.Do("APP.REGISTER", P{"name": "x", "slug": "x", "backchannel_logout_uri": address}).Fails(fault.Validation)
	}
	h, to := harness.New(t), receive(t)
	ada = h.SignUp("ada@example.com")
	app := listening(ada, to)
	bob, eve := h.SignUp("bob@example.com"), h.SignUp("eve@example.com")
	for _, a := range []*harness.Actor{bob, eve} {
		app.redeem(h, codeOf(t, a, nil)).OK()
	}
	bob.DryRun().Do("AUTH.LOGOUT", nil).OK()
	if n := sendLogouts(t, h); n != 0 {
		t.Errorf("%d attempts after a dry run", n)
	}
	bob.Do("AUTH.LOGOUT", nil).OK()
	ada.Do("APP.UPDATE", P{"app_id": app.id, "backchannel_logout_uri": ""}).OK()
	eve.Do("AUTH.LOGOUT", nil).OK()
	if n := sendLogouts(t, h); n != 1 || len(to.taken()) > 0 {
		t.Errorf("%d attempts, of an address that was taken away", n)
	}
}
