package pages_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/test/harness"
)

// television registers a device application; it returns a function that starts a device
// authorization.
func television(h *harness.Service) func() *harness.Reply {
	h.Superadmin().Do("APP.REGISTER", harness.P{"name": "Television", "slug": "tv", "type": "native", "grant_types": []string{"device_code"}}).OK()
	return func() *harness.Reply {
		return h.Anonymous().By("TV/1.0 (Linux)").Do("OAUTH.DEVICE_START", harness.P{"client_id": "tv", "scope": "openid email"}).OK()
	}
}

// redirectFailure returns the token endpoint's response to the device.
func tokenAnswer(h *harness.Service, begun *harness.Reply) string {
	r := h.Anonymous().Do("OAUTH.TOKEN", harness.P{"grant_type": oauth.DeviceGrant, "client_id": "tv", "device_code": begun.String("device_code")})
	if r.Failure == nil {
		return r.String("scope")
	}
	word, _, _ := strings.Cut(r.Failure.Message, ":")
	return word
}

// A person opens the address of a device, signs in, sees the request, and approves it:
// none of that happens by a link alone.
func TestConnectingADevice(t *testing.T) {
	t.Parallel()
	h := service(t)
	begin := television(h)
	visit(t, h).signUp("ada@example.com")
	begun := begin()
	complete, err := url.Parse(begun.String("verification_uri_complete"))
	if err != nil {
		t.Fatal(err)
	}
	code, b := begun.String("user_code"), visit(t, h)
	b.get(complete.RequestURI()).goes("/login?return_to="+url.QueryEscape(complete.RequestURI())).follow().fill("/login", "email=ada@example.com", "password="+harness.Password)
	b.goes(complete.RequestURI()).follow().shows(http.StatusOK, "Does your device show this code?", code).lacks("Television", "Allow")
	b.fill("/device", "user_code="+strings.ToLower(code))
	b.shows(http.StatusOK, "Television", "tv", "See your email address", "10.", "Linux", "ada@example.com", "only if you just started it yourself").lacks("See your name")
	if got := b.page.header.Get("Content-Security-Policy"); !strings.Contains(got, "form-action 'self';") || !strings.Contains(got, "frame-ancestors 'none'") {
		t.Errorf("the policy of the page: %s", got)
	}
	if got := tokenAnswer(h, begun); got != "authorization_pending" {
		t.Errorf("after a look the device is told %s", got)
	}
	b.fill("/device/decide", "user_code="+code, "approve=true").goes("/account/connections").follow().shows(http.StatusOK, "The device is connected", "Television")
	if got := tokenAnswer(h, begun); got != "openid email" {
		t.Errorf("the device is told %s", got)
	}

	b.get("/device").shows(http.StatusOK, "other device shows").fill("/device", "user_code="+code)
	b.shows(http.StatusUnprocessableEntity, "Unknown or expired device code", code)
	again := begin()
	b.fill("/device", "user_code="+again.String("user_code")).shows(http.StatusOK, "Television", "Allow") // the page is shown again
	b.fill("/device/decide", "user_code="+again.String("user_code"), "decision=deny").goes("/account").follow().shows(http.StatusOK, "not connected")
	if got := tokenAnswer(h, again); got != "access_denied" {
		t.Errorf("the device is told %s", got)
	}
	b.get("/device").fill("/device/decide", "user_code="+again.String("user_code"), "approve=true").shows(http.StatusUnprocessableEntity, "Unknown or expired device code")
}

// Approval needs a form of this site, and wrong codes are rate limited.
func TestDevicesAreGuarded(t *testing.T) {
	t.Parallel()
	h := service(t)
	begun := television(h)()
	b := visit(t, h).signUp("ada@example.com")
	foreign := url.Values{"user_code": {begun.String("user_code")}, "approve": {"true"}}
	b.send(http.MethodPost, "/device/decide", foreign).shows(http.StatusForbidden)
	b.get("/device/decide").shows(http.StatusNotFound)
	for range 20 {
		b.get("/device").fill("/device", "user_code=BBBB-BBBB").shows(http.StatusUnprocessableEntity)
	}
	b.get("/device").fill("/device", "user_code="+begun.String("user_code")).shows(http.StatusTooManyRequests, "Too many attempts").lacks("Television")
	if got := tokenAnswer(h, begun); got != "authorization_pending" {
		t.Errorf("the device is told %s", got)
	}
}

// An old session confirms that it is the person before it lets a device keep access.
func TestDevicesThatKeepAccessNeedARecentSignIn(t *testing.T) {
	t.Parallel()
	h := service(t)
	television(h)
	b := visit(t, h).signUp("ada@example.com")
	h.Clock.Advance(16 * time.Minute)
	begun := h.Anonymous().Do("OAUTH.DEVICE_START", harness.P{"client_id": "tv", "scope": "openid offline_access"}).OK()
	code := begun.String("user_code")
	b.get("/device").fill("/device", "user_code="+code).shows(http.StatusOK, "Allow").fill("/device/decide", "user_code="+code, "approve=true")
	b.goes("/account/confirm").follow().fill("/account/confirm", "password="+harness.Password)
	b.goes("/device?user_code="+code).follow().fill("/device", "user_code="+code).fill("/device/decide", "user_code="+code, "approve=true").goes("/account/connections")
}
