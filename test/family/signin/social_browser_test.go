package signin_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/social"
	"gatehouse.internal/test/fake/upstream"
	"gatehouse.internal/test/harness"
)

const routes = harness.Issuer + "/api/auth/social/"

// link is where a browser begins.
func link(provider string) string {
	return routes + provider + "?redirect_uri=" + url.QueryEscape(page)
}

func TestBrowserLogin(t *testing.T) {
	t.Parallel()
	w := socialStart(t)
	for _, provider := range upstream.Names() {
		browser := w.Browser()
		began := browser.Step(link(provider))
		if began.Status != http.StatusFound || !strings.HasPrefix(began.URL.String(), w.up[provider].URL) || began.Header.Get("Cache-Control") != "no-store" {
			t.Fatalf("%s: %d to %s", provider, began.Status, began.URL)
		}
		if query := began.URL.Query(); query.Get("redirect_uri") != routes+provider+"/callback" || query.Get("code_challenge_method") != "S256" {
			t.Errorf("%s: asks with %v", provider, query)
		}
		back := browser.Step(began.URL.String())
		arrived := browser.Step(back.URL.String())
		if arrived.Status != http.StatusFound || !strings.HasPrefix(arrived.URL.String(), page+"&") || arrived.Get("state") != began.Get("state") || arrived.Get("tab") != "1" {
			t.Fatalf("%s: arrived %d at %s", provider, arrived.Status, arrived.URL)
		}
		if arrived.Get("code") == back.Get("code") || arrived.Get("code") == "" {
			t.Errorf("%s: the provider's code went to the page", provider)
		}
		w.Anonymous().Do("SOCIAL.CALLBACK", P{
			"provider": provider, "code": arrived.Get("code"), "state": arrived.Get("state"), "redirect_uri": page,
		}).OK()
		// What has come back once does not come back again.
		if again := browser.Step(back.URL.String()); again.Status != http.StatusUnauthorized || again.Header.Get("Location") != "" {
			t.Errorf("%s: a second return is answered %d to %s", provider, again.Status, again.URL)
		}
	}
}

func TestBrowserLoginWithoutAPage(t *testing.T) {
	t.Parallel()
	w := socialStart(t)
	at := w.Browser().Open(routes + "google")
	if at.Status != http.StatusOK || at.Header.Get("Content-Type") != "application/json" || at.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("answer %d: %s", at.Status, at.Body)
	}
	me := w.actor(at.Reply()).Do("USER.ME", nil).OK()
	if me.String("email") != ada {
		t.Errorf("got in as %v", me.Data)
	}
	if event := w.Events(session.KindCreated)[0]; event.Origin.Command != "SOCIAL.CALLBACK" || event.Origin.IP == "" {
		t.Errorf("event = %+v", event)
	}
	// A refusal is an envelope too.
	w.up["google"].Be(upstream.Person{ID: "2", Name: "Eve"})
	if refused := w.Browser().Open(routes + "google"); refused.Status != http.StatusUnauthorized || refused.Reply().Fails(fault.Auth).Failure.Message != social.ErrUnvouched.Message {
		t.Errorf("answer %d: %s", refused.Status, refused.Body)
	}
}

func TestCookie(t *testing.T) {
	t.Parallel()
	w := socialStart(t)
	browser := w.Browser()
	cookie := func() *http.Cookie {
		at := browser.Step(link("google"))
		set, err := http.ParseSetCookie(at.Header.Get("Set-Cookie"))
		if err != nil || len(at.Header.Values("Set-Cookie")) != 1 {
			t.Fatalf("cookies %q", at.Header.Values("Set-Cookie"))
		}
		if strings.Contains(at.URL.String(), set.Value) || at.Get("state") == set.Value {
			t.Error("the cookie stands in the address")
		}
		return set
	}
	first := cookie()
	if !first.HttpOnly || first.SameSite != http.SameSiteLaxMode || first.Path != "/" || first.MaxAge != 600 || first.Secure || first.Name != "gatehouse-social" {
		t.Errorf("cookie = %+v", first)
	}
	// A second tab does not break the first.
	if second := cookie(); second.Value != first.Value {
		t.Error("another tab has another cookie")
	}
	https := on(t, harness.SQLite(t), w.up, "SERVICE_HOST=https://gatehouse.test")
	at := https.Browser().Step("https://gatehouse.test/api/auth/social/google?redirect_uri=" + url.QueryEscape(page))
	if set, err := http.ParseSetCookie(at.Header.Get("Set-Cookie")); err != nil || !set.Secure || set.Name != "__Host-gatehouse-social" || set.Domain != "" {
		t.Errorf("cookie on https = %+v, %v", set, err)
	}
}

// What one browser began, another does not end, and neither does the first one then.
func TestAnotherBrowser(t *testing.T) {
	t.Parallel()
	w := socialStart(t)
	for _, begun := range []string{link("google"), routes + "google"} {
		mine, theirs := w.Browser(), w.Browser()
		theirs.Step(link("github")) // they have a cookie of their own
		back := mine.Step(mine.Step(begun).URL.String()).URL.String()
		for _, browser := range []*harness.Browser{theirs, mine, w.Browser()} {
			at := browser.Step(back)
			if at.Status != http.StatusUnauthorized || at.Header.Get("Location") != "" || at.Reply().Fails(fault.Auth).Failure.Message != challenge.ErrGone.Message {
				t.Errorf("answer %d to %s: %s", at.Status, at.URL, at.Body)
			}
		}
	}
	// A state of another provider is none.
	mine := w.Browser()
	back := mine.Step(mine.Step(link("google")).URL.String()).URL.String()
	if at := mine.Step(strings.Replace(back, "/google/", "/discord/", 1)); at.Status != http.StatusUnauthorized {
		t.Errorf("the state of another provider: %d", at.Status)
	}
	if n := w.count(session.KindCreated); n != 0 {
		t.Errorf("%d sessions began", n)
	}
}

// Somebody's code does not come in by the state of another, whoever brings it.
func TestCodeInjection(t *testing.T) {
	t.Parallel()
	w := socialStart(t)
	victim, eve := w.Browser(), w.Browser()
	stolen := victim.Step(victim.Step(link("google")).URL.String()).Get("code")
	own := eve.Step(link("google"))
	w.up["google"].Be(upstream.Person{ID: "666", Email: "eve@example.com", Verified: true, Name: "Eve"})
	at := eve.Step(routes + "google/callback?code=" + url.QueryEscape(stolen) + "&state=" + own.Get("state"))
	if failure := w.finish("google", at.Get("code")).Fails(fault.Auth).Failure; failure.Message != social.ErrCode.Message {
		t.Errorf("told %s", failure.Message)
	}
	if failed := w.Events(loginevent.KindFailed); len(failed) != 1 || string(failed[0].Data) != `{"reason":"upstream"}` {
		t.Errorf("events = %+v", failed)
	}
	if n := w.count(session.KindCreated); n != 0 {
		t.Errorf("%d sessions began", n)
	}
}

// The pages of the service let whoever comes with a code in, so a login that ends
// there is of one browser from its beginning to its end.
func TestOwnPagesAreOfOneBrowser(t *testing.T) {
	t.Parallel()
	w := socialStart(t)
	done := harness.Issuer + "/login/social/google/done"
	eve := w.Browser()
	began := eve.Step(routes + "google?redirect_uri=" + url.QueryEscape(done))
	arrived := eve.Step(eve.Step(began.URL.String()).URL.String())
	if !strings.HasPrefix(arrived.URL.String(), done+"?") {
		t.Fatalf("arrived at %s", arrived.URL)
	}
	params := P{"provider": "google", "code": arrived.Get("code"), "redirect_uri": done}
	w.Anonymous().Do("SOCIAL.CALLBACK", params).Fails(fault.Auth)
	if n := w.count(session.KindCreated); n != 0 {
		t.Errorf("%d sessions began", n)
	}
}

func TestDeclinedAtTheProvider(t *testing.T) {
	t.Parallel()
	w := socialStart(t)
	w.up["github"].Switch(upstream.Switches{Declined: true})
	w.nothing(func() {
		at := w.Browser().Open(link("github"))
		if at.Get("error") != "access_denied" || at.Get("code") != "" || at.Get("state") == "" || strings.Contains(at.URL.String(), "%3Cb%3E") || at.Get("error_description") == "" {
			t.Errorf("arrived at %s", at.URL)
		}
		if here := w.Browser().Open(routes + "github"); here.Status != http.StatusUnauthorized || here.Reply().Fails(fault.Auth).Failure.Message != social.ErrDeclined.Message {
			t.Errorf("answer %d: %s", here.Status, here.Body)
		}
	})
	browser := w.Browser()
	state := browser.Step(link("github")).Get("state")
	if at := browser.Step(routes + "github/callback?error=%3Cscript%3E&state=" + state); at.Get("error") != "temporarily_unavailable" || strings.Contains(at.URL.String(), "Cscript") {
		t.Errorf("arrived at %s", at.URL)
	}
}

// Who was away for too long, or comes back twice, reads it on a page; programs read an
// envelope.
func TestLostOnTheWayBack(t *testing.T) {
	t.Parallel()
	w := socialStart(t)
	set := func(enabled any) {
		w.Superadmin().Do("SOCIAL.PROVIDER_SET", P{"provider": "google", "enabled": enabled}).OK()
	}
	done := harness.Issuer + "/login/social/google/done"
	come := func(begun string, meanwhile func()) (*harness.Browser, string) {
		browser := w.Browser()
		back := browser.Step(browser.Step(begun).URL.String()).URL.String()
		meanwhile()
		return browser, back
	}
	late := func() { w.Clock.Advance(10 * time.Minute) }
	off := func() { set(false) }
	for what, lost := range map[string]struct {
		begun     string
		meanwhile func()
		status    int
	}{
		"too late":          {link("google"), late, http.StatusUnauthorized},
		"too late, no page": {routes + "google", late, http.StatusUnauthorized},
		"switched off":      {routes + "google", off, http.StatusNotFound},
	} {
		for _, accept := range []string{"", "application/json", "*/*", "text/html,application/xml;q=0.9,*/*;q=0.8"} {
			browser, back := come(lost.begun, lost.meanwhile)
			browser.Accept = accept
			at := browser.Step(back)
			if person := strings.HasPrefix(accept, "text/html"); person && (at.Status != http.StatusSeeOther || at.URL.String() != done) {
				t.Errorf("%s: a person is answered %d to %s", what, at.Status, at.URL)
			} else if !person && (at.Status != lost.status || at.Header.Get("Location") != "" || at.Reply().Failure == nil) {
				t.Errorf("%s: %q is answered %d to %s", what, accept, at.Status, at.URL)
			}
			set(nil)
		}
	}

	person, back := come(link("google"), func() {})
	person.Accept = "text/html"
	if first := person.Step(back); !strings.HasPrefix(first.URL.String(), page+"&") {
		t.Fatalf("arrived %d at %s", first.Status, first.URL)
	}
	if landed := person.Open(back); landed.Status != http.StatusOK || landed.URL.String() != harness.Issuer+"/login" || !strings.Contains(string(landed.Body), "failed or was canceled") {
		t.Errorf("a second return is answered %d at %s: %s", landed.Status, landed.URL, landed.Body)
	}
	// What is told where it ends is not told by the page.
	w.up["google"].Be(upstream.Person{ID: "2", Name: "Eve"})
	if refused := person.Open(routes + "google"); refused.Reply().Fails(fault.Auth).Failure.Message != social.ErrUnvouched.Message {
		t.Errorf("answer %d: %s", refused.Status, refused.Body)
	}
	for path, status := range map[string]int{
		"myspace/callback?state=x":                    http.StatusNotFound,
		"google/callback?state=x&state=y":             http.StatusBadRequest,
		"google/callback?redirect_uri=//evil.example": http.StatusSeeOther,
	} {
		if at := person.Step(routes + path); at.Status != status || (status == http.StatusSeeOther && at.URL.String() != done) {
			t.Errorf("%s: %d to %s", path, at.Status, at.URL)
		}
	}
}

func TestOddRequests(t *testing.T) {
	t.Parallel()
	w := socialStart(t)
	browser := w.Browser()
	for address, status := range map[string]int{
		routes + "myspace": http.StatusNotFound,
		routes + "Google":  http.StatusNotFound,
		routes + "google/": http.StatusNotFound,
		routes + "google?redirect_uri=https://evil.example/": http.StatusBadRequest,
		link("google") + "&redirect_uri=x":                   http.StatusBadRequest,
		routes + "google?redirect_uri=%ff":                   http.StatusBadRequest,
		routes + "google/callback":                           http.StatusUnauthorized,
		routes + "google/callback?code=x":                    http.StatusUnauthorized,
		routes + "google/callback?code=x&state=y":            http.StatusUnauthorized,
		routes + "google/callback?code=x&state=y&state=z":    http.StatusBadRequest,
	} {
		at := browser.Step(address)
		if at.Status != status || at.Header.Get("Location") != "" {
			t.Errorf("%s: %d to %s", address, at.Status, at.URL)
		}
		at.Reply()
	}
	plain := harness.New(t)
	if at := plain.Browser().Step(link("google")); at.Status != http.StatusNotFound || at.Reply().Failure.Code != fault.NotFound {
		t.Errorf("a provider that is off: %d, %s", at.Status, at.Body)
	}
}
