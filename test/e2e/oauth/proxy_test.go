package oauth_test

import (
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gatehouse.internal/test/e2e/instance"
)

// stranger is a browser without scripts: it follows redirects, keeps cookies and sends forms.
type stranger struct {
	t      testing.TB
	client *http.Client
	at     *url.URL
	body   string
}

func (s *stranger) take(response *http.Response, err error) *stranger {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	s.at, s.body = response.Request.URL, string(body)
	return s
}

func (s *stranger) open(address string) *stranger {
	s.t.Helper()
	return s.take(s.client.Get(address))
}

// hidden matches a hidden field of a form.
var hidden = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)">`)

// send sends the form of the page to a path of its host, with what is typed into it.
func (s *stranger) send(path string, typed map[string]string) *stranger {
	s.t.Helper()
	form := url.Values{}
	for _, field := range hidden.FindAllStringSubmatch(s.body, -1) {
		form.Set(field[1], html.UnescapeString(field[2]))
	}
	for name, value := range typed {
		form.Set(name, value)
	}
	to := *s.at
	to.Path, to.RawQuery = path, ""
	return s.take(s.client.PostForm(to.String(), form))
}

// sees fails the test unless the page of an address has a text.
func (s *stranger) sees(address, text string) {
	s.t.Helper()
	if !strings.HasPrefix(s.at.String(), address) || !strings.Contains(s.body, text) {
		s.t.Fatalf("%s shows no %q, which %s should:\n%s", s.at, text, address, instance.Tail(s.body))
	}
}

// guarded starts oauth2-proxy, unchanged, in front of a directory, which lets those in whom an
// issuer names. It returns its address.
func guarded(t *testing.T, at *instance.Replica, issuer string, by instance.Person, directory string) string {
	t.Helper()
	program, err := filepath.Abs("../../../bin/oauth2-proxy")
	if err != nil {
		t.Fatal(err)
	}
	listens := "localhost:" + strconv.Itoa(instance.FreePort(t))
	address := "http://" + listens
	made := at.As(by, "APP.REGISTER", P{
		"name": "Handbook", "slug": "handbook", "type": "web", "redirect_urls": []string{address + "/oauth2/callback"}, "logout_urls": []string{address + "/"},
	})
	secret := made.Text("api_key")
	at.Secrets.Add("an app secret", secret)
	run := exec.CommandContext(t.Context(), program, "--provider", "oidc", "--oidc-issuer-url", issuer, "--client-id", "handbook", "--client-secret", secret,
		"--code-challenge-method", "S256", "--scope", "openid email", "--email-domain", "*", "--skip-provider-button",
		"--cookie-secret", strings.Repeat("c", 32), "--cookie-secure=false", "--whitelist-domain", strings.TrimPrefix(at.URL, "http://"),
		"--http-address", listens, "--redirect-url", address+"/oauth2/callback", "--upstream", "file://"+directory+"/#/")
	var log instance.Output
	run.Stdout, run.Stderr = &log, &log
	if err := run.Start(); err != nil {
		t.Fatalf("start oauth2-proxy, which `make setup` builds: %v", err)
	}
	t.Cleanup(func() {
		_ = run.Process.Kill()
		_ = run.Wait()
		if t.Failed() {
			t.Logf("log of oauth2-proxy:\n%s", instance.Tail(log.String()))
		}
	})
	ready := func() bool {
		response, err := http.Get(address + "/ping")
		if err != nil {
			return false
		}
		defer response.Body.Close()
		return response.StatusCode == http.StatusOK
	}
	if !at.Await(ready) {
		t.Fatalf("oauth2-proxy does not become ready:\n%s", instance.Tail(log.String()))
	}
	return address
}

// TestProxyOfOthers guards a static page by oauth2-proxy: it is seen only by who logged in, until
// they sign out.
func TestProxyOfOthers(t *testing.T) {
	instance.OnEach(t, []instance.Store{instance.SQLite()}, func(t *testing.T, on instance.Store) {
		at, directory := openHere(t, on).First(), t.TempDir()
		if err := os.WriteFile(filepath.Join(directory, "index.html"), []byte("<h1>The handbook</h1>"), 0o600); err != nil {
			t.Fatal(err)
		}
		const page = "<h1>The handbook</h1>"
		address := guarded(t, at, at.URL, at.Admin(), directory)
		jar, err := cookiejar.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		browser := &stranger{t: t, client: &http.Client{Jar: jar, Timeout: instance.StartWithin}}
		browser.open(address+"/").sees(at.URL+"/login", "Sign in")
		browser.send("/login", map[string]string{"email": instance.AdminEmail, "password": "wrong " + instance.AdminPassword}).sees(at.URL+"/login", "Sign in")
		browser.send("/login", map[string]string{"email": instance.AdminEmail, "password": instance.AdminPassword}).sees(at.URL+"/oauth/authorize", "Handbook")
		browser.send("/account/consent", map[string]string{"approve": "true"}).sees(address+"/", page)
		browser.open(address+"/oauth2/userinfo").sees(address, instance.AdminEmail)

		leave := at.URL + "/oauth/end_session?" + url.Values{"client_id": {"handbook"}, "post_logout_redirect_uri": {address + "/"}}.Encode()
		browser.open(address+"/oauth2/sign_out?"+url.Values{"rd": {leave}}.Encode()).sees(at.URL+"/oauth/end_session", "Handbook")
		browser.send("/logout", nil).sees(at.URL+"/login", "Sign in")
		browser.open(address+"/").sees(at.URL+"/login", "Sign in")

		// Who has not shown that the address is theirs is nobody to the proxy.
		newcomer := at.SignUp()
		browser.send("/login", map[string]string{"email": newcomer.Email, "password": newcomer.Password}).sees(at.URL+"/oauth/authorize", "Handbook")
		browser.send("/account/consent", map[string]string{"approve": "true"}).sees(address+"/oauth2/callback", "Internal Server Error")
		if browser.open(address + "/"); strings.Contains(browser.body, page) {
			t.Error("the page is shown to who has not verified their address")
		}
	})
}
