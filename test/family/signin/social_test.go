package signin_test

import (
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/identity"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/test/fake/upstream"
	"gatehouse.internal/test/harness"
)

const (
	// page is registered; the login returns to it.
	page = "https://app.example.com/done?tab=1"
	ada  = "ada@example.com"
)

// world is a service with the three providers.
type world struct {
	*harness.Service
	up map[string]*upstream.Server
	t  *testing.T
}

func socialStart(t *testing.T, variables ...string) *world {
	t.Helper()
	return on(t, harness.SQLite(t), upstream.StartAll(t), variables...)
}

func on(t *testing.T, database string, up map[string]*upstream.Server, variables ...string) *world {
	t.Helper()
	all := slices.Concat(upstream.Environment(up), []string{"SOCIAL_REDIRECT_URLS=" + page}, variables)
	return &world{Service: harness.On(t, database, all...), up: up, t: t}
}

// socialOnEachStore runs a test on both databases, with two replicas on PostgreSQL.
func socialOnEachStore(t *testing.T, test func(t *testing.T, here, there *world)) {
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		w := socialStart(t)
		test(t, w, w)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		database, up := harness.Postgres(t), upstream.StartAll(t)
		test(t, on(t, database, up), on(t, database, up))
	})
}

// begin asks for a login and returns the state and the provider's address.
func (w *world) begin(as *harness.Actor, provider string, more P) *harness.Reply {
	w.t.Helper()
	params := P{"provider": provider, "redirect_uri": page}
	for name, value := range more {
		params[name] = value
	}
	return as.Do("SOCIAL.AUTH_URL", params)
}

// code logs the person in at a provider and gives the one-time code that comes back.
func (w *world) code(provider string) string {
	w.t.Helper()
	at := w.Browser().Open(w.begin(w.Anonymous(), provider, nil).OK().String("url"))
	if !strings.HasPrefix(at.URL.String(), page) || at.Get("code") == "" {
		w.t.Fatalf("the login at %s led to %s", provider, at.URL)
	}
	return at.Get("code")
}

func (w *world) finish(provider, code string) *harness.Reply {
	w.t.Helper()
	return w.Anonymous().Do("SOCIAL.CALLBACK", P{"provider": provider, "code": code, "redirect_uri": page})
}

// login goes the whole way.
func (w *world) login(provider string) *harness.Reply {
	w.t.Helper()
	return w.finish(provider, w.code(provider))
}

// actor is who got these tokens.
func (w *world) actor(pair *harness.Reply) *harness.Actor {
	w.t.Helper()
	a := w.With(pair.OK().String("access_token"))
	who := a.Do("AUTH.WHOAMI", nil).OK()
	a.UserID, a.OrgID, a.SessionID = who.String("subject"), who.String("org_id"), who.String("session_id")
	return a
}

// verify marks the address of an account as verified, and as bound to it.
func (w *world) verify(who *harness.Actor) {
	w.t.Helper()
	if _, err := w.Store.Database().Write.ExecContext(w.t.Context(), `UPDATE users SET email_verified = TRUE, email_bound = TRUE WHERE id = $1`, who.UserID); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) count(kind event.Kind) int { w.t.Helper(); return len(w.Events(kind)) }

// nothing fails the test unless a stretch of it stored no account, identity,
// session or event.
func (w *world) nothing(stretch func()) {
	w.t.Helper()
	before := w.count("")
	stretch()
	if after := w.Events(""); len(after) != before {
		w.t.Errorf("%d events were stored, the last one %s", len(after)-before, after[0].Kind)
	}
}

func TestSocialLogin(t *testing.T) {
	t.Parallel()
	socialOnEachStore(t, func(t *testing.T, here, there *world) {
		for i, provider := range upstream.Names() {
			address := provider + "@example.com"
			here.up[provider].Be(upstream.Person{ID: "4711", Email: address, Verified: true, Name: "Ada Lovelace", Avatar: "https://images.example.com/ada.png"})
			pair := here.login(provider).OK()
			if !pair.Has("refresh_token") || pair.Int("expires_in") != 900 || pair.String("token_type") != "Bearer" {
				t.Errorf("data = %v", pair.Data)
			}
			first := here.actor(pair)
			me := first.Do("USER.ME", nil).OK()
			if me.String("email") != address || !me.Bool("email_verified") || !strings.EqualFold(me.String("display_name")[:3], "ada") || !strings.HasPrefix(me.String("avatar"), "https://") {
				t.Errorf("profile = %v", me.Data)
			}
			if who := first.Do("AUTH.WHOAMI", nil); who.Strings("amr")[0] != "fed" || who.Strings("roles")[0] != "owner" {
				t.Errorf("whoami = %v", who.Data)
			}
			linked := first.Do("AUTH.SOCIAL_LINKED", nil).OK().List("items")
			if len(linked) != 1 || linked[0]["provider"] != provider || linked[0]["upstream_id"] != "4711" || linked[0]["email"] != address || linked[0]["linked_at"] == nil {
				t.Errorf("linked = %v", linked)
			}
			// The identifier tells who it is; the address may change.
			here.up[provider].Be(upstream.Person{ID: "4711", Email: "new-" + address, Name: "Ada"})
			again := there.actor(there.login(provider))
			if again.UserID != first.UserID || again.SessionID == first.SessionID {
				t.Errorf("the second login got into %s, the first into %s", again.UserID, first.UserID)
			}
			if me := again.Do("USER.ME", nil).OK(); me.String("email") != address {
				t.Errorf("the address here became %s", me.String("email"))
			}
			if n, m, o := here.count(user.KindCreated), here.count(identity.KindLinked), here.count(loginevent.KindSucceeded); n != i+2 || m != i+1 || o != i+1 {
				t.Errorf("%s: %d accounts, %d identities and %d logins were told of", provider, n, m, o)
			}
		}
		for _, e := range here.Events(identity.KindLinked) {
			if strings.Contains(string(e.Data), "4711") || strings.Contains(string(e.Data), "@") || e.Origin.Command != "SOCIAL.CALLBACK" || e.Origin.IP == "" {
				t.Errorf("event = %+v, %s", e, e.Data)
			}
		}
	})
}

// Providers are asked for what the specification says (section 4.5), and no more.
func TestScopes(t *testing.T) {
	t.Parallel()
	w := socialStart(t)
	for provider, want := range map[string]string{"google": "openid email profile", "github": "user:email", "discord": "identify email"} {
		address, err := url.Parse(w.begin(w.Anonymous(), provider, nil).OK().String("url"))
		if err != nil || address.Query().Get("scope") != want {
			t.Errorf("%s is asked for %q (%v), want %q", provider, address.Query().Get("scope"), err, want)
		}
	}
}

// A page that is the provider's redirect target itself brings the provider's code,
// with the state.
func TestPageThatIsTheRedirectTarget(t *testing.T) {
	t.Parallel()
	w := socialStart(t)
	there := func() (code, state string) {
		begun := w.begin(w.Anonymous(), "google", nil).OK()
		address, _ := url.Parse(begun.String("url"))
		query := address.Query()
		query.Set("redirect_uri", page)
		address.RawQuery = query.Encode()
		at := w.Browser().Open(address.String())
		if at.Get("state") != begun.String("state") {
			t.Fatalf("arrived at %s", at.URL)
		}
		return at.Get("code"), begun.String("state")
	}
	finish := func(code, state string) *harness.Reply {
		return w.Anonymous().Do("SOCIAL.CALLBACK", P{"provider": "google", "code": code, "redirect_uri": page, "state": state})
	}
	code, state := there()
	w.finish("google", code).Fails(fault.Auth) // without the state it is nobody's
	finish(code, state).OK()
	finish(code, state).Fails(fault.Auth)

	// A state is good once, whatever came with it.
	code, state = there()
	finish("another code", state).Fails(fault.Auth)
	finish(code, state).Fails(fault.Auth)

	// A code that came back by way of the service was asked for with its address.
	begun := w.begin(w.Anonymous(), "google", nil).OK()
	landing := w.Browser().Step(begun.String("url"))
	finish(landing.Get("code"), begun.String("state")).Fails(fault.Auth)
}

func TestCodesWorkOnceForWhatTheyWereMade(t *testing.T) {
	t.Parallel()
	socialOnEachStore(t, func(t *testing.T, here, there *world) {
		code := here.code("github")
		for what, params := range map[string]P{
			"another provider":  {"provider": "google", "code": code, "redirect_uri": page},
			"another address":   {"provider": "github", "code": code, "redirect_uri": "https://app.example.com/done"},
			"another state":     {"provider": "github", "code": code, "redirect_uri": page, "state": "x"},
			"an invented one":   {"provider": "github", "code": strings.Repeat("x", 43), "redirect_uri": page},
			"an invented state": {"provider": "github", "code": "x", "redirect_uri": page, "state": strings.Repeat("x", 43)},
		} {
			if params["code"] == code {
				params["code"] = here.code("github")
			}
			failure := here.Anonymous().Do("SOCIAL.CALLBACK", params).Fails(fault.Auth).Failure
			if failure.Message != challenge.ErrGone.Message {
				t.Errorf("%s: %s", what, failure.Message)
			}
			params["provider"], params["redirect_uri"] = "github", page
			delete(params, "state")
			here.Anonymous().Do("SOCIAL.CALLBACK", params).Fails(fault.Auth) // it is used up
		}
		replies := make([]*harness.Reply, 8)
		var at sync.WaitGroup
		for i := range replies {
			at.Go(func() { replies[i] = []*world{here, there}[i%2].finish("github", code) })
		}
		at.Wait()
		good := 0
		for _, r := range replies {
			if r.Failure == nil {
				good++
			}
		}
		if good != 1 || here.count(session.KindCreated) != 1 {
			t.Errorf("%d of 8 got in by one code, %d sessions began", good, here.count(session.KindCreated))
		}
	})
}

func TestTimeRunsOut(t *testing.T) {
	t.Parallel()
	w := socialStart(t)
	begun := w.begin(w.Anonymous(), "google", nil).OK()
	if begun.Int("expires_in") != 600 {
		t.Errorf("expires_in = %d", begun.Int("expires_in"))
	}
	w.Clock.Advance(10 * time.Minute)
	if at := w.Browser().Open(begun.String("url")); at.Status != 401 {
		t.Errorf("a late return is answered %d", at.Status)
	}
	code := w.code("google")
	w.Clock.Advance(2 * time.Minute)
	w.finish("google", code).Fails(fault.Auth)
	w.login("google").OK()
}

func TestRedirectsMustBeRegistered(t *testing.T) {
	t.Parallel()
	w := socialStart(t)
	for _, address := range []string{
		"https://app.example.com/done", page + "&x=1", "https://app.example.com/Done?tab=1", "https://evil.example.com/done?tab=1",
		"https://app.example.com@evil.example.com/done?tab=1", page + "#", "//app.example.com/done?tab=1", "javascript:alert(1)", "/login",
		harness.Issuer + "/login", harness.Issuer + "/login/social/google/done", harness.Issuer + "/api/auth/social/github/callback",
		harness.Issuer + "/api/auth/social/google/callback?x", "https://app.example.com:443/done?tab=1", "",
	} {
		w.begin(w.Anonymous(), "google", P{"redirect_uri": address}).Fails(fault.Validation).Field("/redirect_uri")
	}
	root := w.Superadmin()
	root.Do("APP.REGISTER", P{"name": "Shop", "slug": "shop", "redirect_urls": []string{"https://shop.example.com/back"}}).OK()
	w.begin(w.Anonymous(), "google", P{"redirect_uri": "https://shop.example.com/back"}).OK()
	// Everybody has a workspace; an app in it is no reason to send others there.
	w.SignUp("eve@example.com").Do("APP.REGISTER", P{"name": "Trap", "slug": "trap", "redirect_urls": []string{"https://evil.example.com/back"}}).OK()
	w.begin(w.Anonymous(), "google", P{"redirect_uri": "https://evil.example.com/back"}).Fails(fault.Validation)
	// Nor is one that registered itself, or may change its own addresses, wherever it is kept.
	root.Do("SETTINGS.SET", P{"values": P{"client_registration": "open"}}).OK()
	for name, by := range map[string]*harness.Actor{"open": w.Anonymous(), "token": root} {
		address := "https://" + name + ".example.com/back"
		by.Do("OAUTH.CLIENT_REGISTER", P{"client_name": "Trap", "redirect_uris": []string{address}}).OK()
		w.begin(w.Anonymous(), "google", P{"redirect_uri": address}).Fails(fault.Validation)
	}
}
