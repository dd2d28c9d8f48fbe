package pages_test

import (
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/pages"
	"gatehouse.internal/adapters/pages/development"
	"gatehouse.internal/test/harness"
)

// atHome returns a browser that calls the instance by its own address.
func atHome(t *testing.T, h *harness.Service) *browser {
	t.Helper()
	b := visit(t, h)
	b.host = strings.TrimPrefix(harness.Issuer, "http://")
	return b
}

// onIt returns a browser on the machine of the instance.
func onIt(t *testing.T, h *harness.Service) *browser {
	t.Helper()
	b := visit(t, h)
	b.host, b.remote = "localhost:8400", "127.0.0.1:50000"
	b.header.Del("X-Forwarded-For")
	return b
}

const (
	rootEmail    = "root@example.com"
	rootPassword = "the superadmin's own phrase"
)

func devService(t *testing.T) *harness.Service {
	t.Helper()
	return service(t, "BOOTSTRAP_ADMIN_EMAIL="+rootEmail, "BOOTSTRAP_ADMIN_PASSWORD="+rootPassword)
}

func TestStartPage(t *testing.T) {
	t.Parallel()
	h := devService(t)
	b := onIt(t, h).get("/").shows(http.StatusOK, "Your development instance", harness.Issuer, rootEmail, rootPassword, "No emails yet", "Sign in as superadmin")
	b.get("/dev/").shows(http.StatusOK, "Your development instance")
	b.fill("/dev/superadmin").goes("/").follow().shows(http.StatusOK, "Signed in as", "Superadmin").lacks("Sign in as superadmin")
	h.SignUp("ada@example.com")
	h.DeliverMail()
	b.get("/").shows(http.StatusOK, "ada@example.com", "Confirm your email address")
	h.Login(rootEmail, rootPassword).Do("USER.CHANGE_PASSWORD", harness.P{"current_password": rootPassword, "new_password": "another phrase of root"}).OK()
	b.get("/").shows(http.StatusOK).lacks("Signed in as")
	b.fill("/dev/superadmin").goes("/login").follow().shows(http.StatusOK, "password was changed")
}

// Clients on other machines do not see the superadmin's password.
func TestStartPageFromElsewhere(t *testing.T) {
	t.Parallel()
	h := devService(t)
	for name, change := range map[string]func(*browser){
		"another address": func(b *browser) { b.remote = "192.0.2.7:50000" },
		"another name":    func(b *browser) { b.host = strings.TrimPrefix(harness.Issuer, "http://") },
		"a proxy":         func(b *browser) { b.header.Set("X-Forwarded-For", "127.0.0.1") },
		"a proxy's proxy": func(b *browser) { b.header.Set("Via", "1.1 proxy") },
	} {
		b := onIt(t, h).get("/").shows(http.StatusOK, rootPassword)
		change(b)
		if b.get("/").shows(http.StatusOK, rootEmail); strings.Contains(b.page.body, html.EscapeString(rootPassword)) || strings.Contains(b.page.body, "/dev/superadmin") {
			t.Errorf("by %s, the password is told: %s", name, b.page.body)
		}
	}
	b := atHome(t, h)
	b.get("/signup").fill("/dev/superadmin").shows(http.StatusForbidden)
	if b.get("/account"); b.page.status != http.StatusSeeOther {
		t.Errorf("somebody is signed in: %d", b.page.status)
	}
}

// Other host names that resolve to this machine show nothing (DNS rebinding).
func TestOtherNamesShowNothing(t *testing.T) {
	t.Parallel()
	h := devService(t)
	b := onIt(t, h)
	h.SignUp("ada@example.com")
	for _, host := range []string{"evil.example", "evil.example:8400", "localhost.evil.example", "127.0.0.1.evil.example", ""} {
		b.host = host
		b.get("/").goes("/login")
		for _, path := range []string{"/dev/", "/dev/mail", "/dev/commands", "/dev/commands/USER.ME"} {
			b.get(path).shows(http.StatusNotFound, "Page not found")
		}
		b.get("/login").fill("/dev/superadmin").shows(http.StatusNotFound)
		b.header.Set("Accept", "application/json")
		if b.get("/dev/mail"); b.page.status != http.StatusForbidden || strings.Contains(b.page.body, "ada@example.com") {
			t.Errorf("a program reads %d %s by the name %s", b.page.status, b.page.body, host)
		}
		b.header.Set("Accept", "text/html")
	}
	for _, host := range []string{"localhost", "LOCALHOST:8400", "127.0.0.1:8400", "[::1]:8400", "[::1]", "gatehouse.test", "Gatehouse.Test:80"} {
		b.host = host
		b.get("/").shows(http.StatusOK, "Your development instance")
	}
}

// Without development mode, none of its pages exist.
func TestNoDevelopment(t *testing.T) {
	t.Parallel()
	handler, err := site(answering{[]byte(`{"name":"Gatehouse"}`)}).Handler()
	if err != nil {
		t.Fatal(err)
	}
	if front := shown(t, handler, "/"); front.Code != http.StatusSeeOther || front.Header().Get("Location") != "/login" {
		t.Errorf("/ answers %d %v", front.Code, front.Header())
	}
	for _, path := range []string{"/dev", "/dev/", "/dev/mail", "/dev/mail/x", "/dev/mail/x/html", "/dev/commands", "/dev/commands/USER.ME"} {
		if page := shown(t, handler, path); page.Code != http.StatusNotFound || !strings.Contains(page.Body.String(), "Page not found") {
			t.Errorf("%s answers %d", path, page.Code)
		}
	}
	if slices.Contains(pages.Paths(), "/dev") {
		t.Error("the paths for development are among the others")
	}
	dev := onIt(t, devService(t)).get("/")
	for _, name := range regexp.MustCompile(`/assets/dev\.[^"]+`).FindAllString(dev.page.body, -1) {
		dev.get(name).shows(http.StatusOK)
		if page := shown(t, handler, name); page.Code != http.StatusNotFound {
			t.Errorf("%s is there", name)
		}
	}
}

var frameOf = regexp.MustCompile(`<iframe class="mail" src="([^"]+)"[^>]* sandbox="([^"]*)"`)

func TestMailboxForPeople(t *testing.T) {
	t.Parallel()
	h := devService(t)
	h.SignUp("ada@example.com")
	h.Anonymous().Do("AUTH.PASSWORDLESS_START", harness.P{"email": "ada@example.com", "method": "code"}).OK()
	letter := h.LastMail("ada@example.com")
	b := atHome(t, h).get("/dev/mail").shows(http.StatusOK, "Confirm your email address", letter.Subject, "To ada@example.com")
	b.get("/dev/mail/"+letter.ID.String()).shows(http.StatusOK, letter.Subject, letter.Text)
	if !strings.Contains(b.page.body, `<code class="key code">`+letter.Code()+`</code>`) {
		t.Errorf("the code is not there to be copied: %s", b.page.body)
	}
	if !strings.Contains(b.policy(), "; frame-src 'self'") {
		t.Errorf("the policy of the page is %s", b.policy())
	}
	frame := frameOf.FindStringSubmatch(b.page.body)
	if frame == nil || strings.Contains(frame[2], "allow-scripts") || strings.Contains(frame[2], "allow-same-origin") || strings.Contains(frame[2], "allow-forms") {
		t.Fatalf("the frame of the mail is %q", frame)
	}
	b.get(frame[1])
	if b.page.status != http.StatusOK || !strings.Contains(b.page.body, letter.Code()) || !strings.Contains(b.page.body, `<base target="_top">`) {
		t.Errorf("the mail is %d %s", b.page.status, b.page.body)
	}
	if policy := b.policy(); !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "; sandbox allow-popups") || strings.Contains(policy, "allow-scripts") || b.page.header.Get("X-Frame-Options") != "SAMEORIGIN" {
		t.Errorf("the mail has the policy %s, %s", policy, b.page.header.Get("X-Frame-Options"))
	}
	h.Anonymous().Do("AUTH.FORGOT_PASSWORD", harness.P{"email": "ada@example.com"}).OK()
	reset := h.LastMail("ada@example.com")
	b.get("/dev/mail/" + reset.ID.String()).shows(http.StatusOK)
	if link := strings.TrimPrefix(reset.Link(), harness.Issuer); !strings.Contains(b.page.body, `<a class="button small first" href="`+html.EscapeString(reset.Link())+`">Open the link</a>`) {
		t.Errorf("the link is not there to be followed: %s", b.page.body)
	} else {
		b.get(link).shows(http.StatusOK, "Choose a new password")
	}
	for _, path := range []string{"/dev/mail/eml_01h455vb4pex5vsknk084sn02q", "/dev/mail/eml_01h455vb4pex5vsknk084sn02q/html"} {
		b.get(path).shows(http.StatusNotFound)
	}
	b.header.Set("Accept", "application/json")
	var kept struct {
		Items []struct{ ID, From, To string } `json:"items"`
	}
	if err := json.Unmarshal([]byte(b.get("/dev/mail").page.body), &kept, json.MatchCaseInsensitiveNames(true)); err != nil || len(kept.Items) != 3 || kept.Items[0].ID != reset.ID.String() || kept.Items[0].From != "Gatehouse" {
		t.Errorf("a program reads %s, %v", b.page.body, err)
	}
}

func TestCommandsAreFound(t *testing.T) {
	t.Parallel()
	h := devService(t)
	b := atHome(t, h).get("/dev/commands").shows(http.StatusOK)
	for _, d := range h.Engine.Catalog() {
		if !strings.Contains(b.page.body, `href="/dev/commands/`+d.Name+`"`) {
			t.Errorf("%s is not listed", d.Name)
		}
	}
	b.get("/dev/commands?q=LIST+session").shows(http.StatusOK, "SESSION.LIST", "for “LIST session”").lacks("APP.REGISTER")
	b.get("/dev/commands?q="+url.QueryEscape(`<script>`)).shows(http.StatusOK, "0 commands").lacks("<script>alert", "“<script>")
	b.get("/dev/commands/NO.SUCH").shows(http.StatusNotFound, "Page not found")
}

// Every command has a form with a field for each parameter, and the example fills it.
func TestEveryCommandHasAForm(t *testing.T) {
	t.Parallel()
	h := devService(t)
	b := atHome(t, h)
	for _, d := range h.Engine.Catalog() {
		var schema struct {
			Properties map[string]any `json:"properties"`
		}
		var example struct {
			Params map[string]any `json:"params"`
		}
		if err := json.Unmarshal(d.Params, &schema); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(d.Example, &example); err != nil {
			t.Fatal(err)
		}
		b.get("/dev/commands/"+d.Name).shows(http.StatusOK, d.Name, d.Summary, "curl -s "+harness.Issuer+"/api/v1/execute")
		for name := range schema.Properties {
			if !strings.Contains(b.page.body, `name="param.`+name+`"`) {
				t.Errorf("%s has no field for %s", d.Name, name)
			}
		}
		b.get("/dev/commands/" + d.Name + "?example").shows(http.StatusOK)
		for name, value := range example.Params {
			if text, is := value.(string); is && !strings.Contains(b.page.body, html.EscapeString(text)) {
				t.Errorf("%s: the example %v of %s is not filled in", d.Name, value, name)
			}
		}
	}
}

func TestRunACommand(t *testing.T) {
	t.Parallel()
	h := devService(t)
	b := atHome(t, h)
	answer := func() string {
		_, rest, _ := strings.Cut(b.page.body, `<pre class="json" tabindex="0">`)
		text, _, _ := strings.Cut(rest, "</pre>")
		return html.UnescapeString(regexp.MustCompile(`<[^>]+>`).ReplaceAllString(text, ""))
	}
	b.get("/dev/commands/USER.ME").shows(http.StatusOK, "you are not signed in").fill("/dev/commands/USER.ME").shows(http.StatusUnprocessableEntity, "AUTH_ERROR")
	b.signUp("ada@example.com")
	b.get("/dev/commands/USER.ME").shows(http.StatusOK, "As Ada.").fill("/dev/commands/USER.ME").shows(http.StatusOK, "OK")
	var me struct {
		Email string `json:"email"`
	}
	if err := json.Unmarshal([]byte(answer()), &me); err != nil || me.Email != "ada@example.com" {
		t.Errorf("the answer is %s, %v", answer(), err)
	}
	b.fill("/dev/commands/USER.ME", "anonymous=1").shows(http.StatusUnprocessableEntity, "AUTH_ERROR")

	// Input is sent as the schema defines it; a dry run stores nothing.
	made := []string{"param.name=Robot <b>", "param.slug=robot", "param.redirect_urls=https://a.example/x\r\n\r\n https://b.example/y "}
	b.get("/dev/commands/APP.REGISTER").fill("/dev/commands/APP.REGISTER", append(made, "dry_run=1")...).shows(http.StatusOK, `"dry_run"`, "Robot <b>").lacks("Robot <b>")
	b.get("/dev/commands/APP.GET").fill("/dev/commands/APP.GET", "param.slug=robot").shows(http.StatusUnprocessableEntity, "NOT_FOUND")
	b.get("/dev/commands/APP.REGISTER").fill("/dev/commands/APP.REGISTER", made...).shows(http.StatusOK, "sk_live_")
	b.get("/dev/commands/APP.GET").fill("/dev/commands/APP.GET", "param.slug=robot").shows(http.StatusOK)
	for _, want := range []string{"Robot <b>", "https://a.example/x", "https://b.example/y"} {
		if !strings.Contains(answer(), want) {
			t.Errorf("the app has no %s: %s", want, answer())
		}
	}
	app := regexp.MustCompile(`"id": "([^"]+)"`).FindStringSubmatch(answer())[1]
	b.get("/dev/commands/APP.UPDATE").fill("/dev/commands/APP.UPDATE", "param.app_id="+app, "param.enabled=false", "param.access_ttl_seconds=900").shows(http.StatusOK)
	if got := answer(); !strings.Contains(got, `"enabled": false`) || !strings.Contains(got, `"access_ttl_seconds": 900`) {
		t.Errorf("the app is %s", got)
	}

	// Errors are shown beside their field, and secrets are not sent back.
	b.get("/dev/commands/APP.LIST").fill("/dev/commands/APP.LIST", "param.limit=many").shows(http.StatusUnprocessableEntity, "VALIDATION_ERROR")
	if !regexp.MustCompile(`value="many"[^>]*>\s*<p class="error">`).MatchString(b.page.body) {
		t.Errorf("the complaint does not stand beside its field: %s", b.page.body)
	}
	b.get("/dev/commands/APP.SET_CLAIMS").fill("/dev/commands/APP.SET_CLAIMS", "param.claims={not json").shows(http.StatusUnprocessableEntity, "This is not valid JSON.")
	b.get("/dev/commands/AUTH.LOGIN").fill("/dev/commands/AUTH.LOGIN", "param.email=ada@example.com", "param.password=my wrong secret").shows(http.StatusUnprocessableEntity, `"password":"…"`).lacks("my wrong secret")
	b.fill("/dev/commands/NO.SUCH").shows(http.StatusNotFound)
	b.send(http.MethodPost, "/dev/commands/USER.ME", url.Values{"csrf": {"forged"}}).shows(http.StatusForbidden)
}

// A command that requires a recent login leads to the confirmation and back.
func TestRunACommandThatAsksForPresence(t *testing.T) {
	t.Parallel()
	h := devService(t)
	b := atHome(t, h).signUp("ada@example.com")
	h.Clock.Advance(20 * harness.Step * 2)
	b.get("/dev/commands/AUTH.MFA_SETUP_TOTP").fill("/dev/commands/AUTH.MFA_SETUP_TOTP").shows(http.StatusUnprocessableEntity, "Confirm that it")
	b.get("/account/confirm?return_to=%2Fdev%2Fcommands%2FAUTH.MFA_SETUP_TOTP").fill("/account/confirm", "password="+harness.Password).goes("/dev/commands/AUTH.MFA_SETUP_TOTP")
	b.follow().fill("/dev/commands/AUTH.MFA_SETUP_TOTP").shows(http.StatusOK, "otpauth_url")
}

func TestPretty(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{}`: `{}`, `[]`: `[]`, `null`: `<span class="j-value">null</span>`,
		`{"a":1,"b":["x"]}`:     "{\n  <span class=\"j-name\">&#34;a&#34;</span>: <span class=\"j-value\">1</span>,\n  <span class=\"j-name\">&#34;b&#34;</span>: [\n    <span class=\"j-text\">&#34;x&#34;</span>\n  ]\n}",
		`{"<a>":"<b>\"}{:,\\"}`: "{\n  <span class=\"j-name\">&#34;&lt;a&gt;&#34;</span>: <span class=\"j-text\">&#34;&lt;b&gt;\\&#34;}{:,\\\\&#34;</span>\n}",
		`<script>`:              `&lt;script&gt;`, ``: ``,
	} {
		if got := pages.Pretty([]byte(raw)); got != want {
			t.Errorf("%s is shown as %s, want %s", raw, got, want)
		}
	}
}

// No Host header makes a page panic.
func TestOddHosts(t *testing.T) {
	t.Parallel()
	handler := development.OwnHost("http://localhost:8400", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }))
	for host, want := range map[string]int{
		"localhost": 200, "localhost:1": 200, "127.1.2.3": 200, "[::1]:80": 200, "::1": 200,
		"": 403, ":": 403, "[": 403, "192.0.2.7": 403, "[::1": 200, "localhost.": 403, "xlocalhost": 403,
	} {
		r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
		r.Host = host
		w := httptest.NewRecorder()
		if handler.ServeHTTP(w, r); w.Code != want {
			t.Errorf("%q is answered %d, want %d", host, w.Code, want)
		}
	}
}
