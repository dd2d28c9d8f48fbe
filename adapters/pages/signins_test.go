package pages_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// A person reports a high-risk login as not their own, which revokes it.
func TestSignInsThatWereNotMine(t *testing.T) {
	t.Parallel()
	h := service(t)
	b := visit(t, h).signUp("ada@example.com")
	b.get("/account/sessions/sign-ins").shows(http.StatusOK, "No unusual sign-ins")
	h.Superadmin().Do("POLICY.SET", harness.P{"kind": "risk", "values": harness.P{"new_device": 80, "new_range": 0}}).OK()
	login := func(client string) *harness.Actor {
		in := h.Anonymous().By(client).Do("AUTH.LOGIN", harness.P{"email": "ada@example.com", "password": harness.Password}).OK()
		return h.With(in.String("access_token"))
	}
	own, thief := login("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15"), login("Mozilla/5.0 (Windows NT 10.0) Chrome/131.0 Safari/537.36")
	leads := func(text string) bool { return strings.Contains(text, harness.Issuer+"/account/sessions/sign-ins") }
	if !slices.ContainsFunc(h.Mail("ada@example.com"), func(l harness.Letter) bool { return leads(l.Text) && leads(l.HTML) }) {
		t.Error("no mail leads to the page")
	}
	b.get("/account/notices").shows(http.StatusOK, "Unusual sign-in to your account", "/account/sessions/sign-ins")
	b.get("/account/sessions/sign-ins").shows(http.StatusOK, "Safari on macOS", "Chrome on Windows", "High risk", "new device")
	items := h.Superadmin().Do("RISK.ASSESSMENT_LIST", nil).OK().List("items")
	other, mine := items[0]["id"].(string), items[1]["id"].(string)
	b.fill("/account/sessions/sign-ins/mine", "id="+mine).goes("/account/sessions/sign-ins").follow().shows(http.StatusOK, "marked as yours", "tag good")
	b.get("/account/sessions/sign-ins/none/not-mine").shows(http.StatusNotFound)
	b.get("/account/sessions/sign-ins/"+other+"/not-mine").shows(http.StatusOK, "Chrome on Windows", "30 days")
	b.fill("/account/sessions/sign-ins/not-mine", "id="+other).goes("/account/sessions/sign-ins")
	thief.Do("USER.ME", nil).Fails(fault.Auth)
	own.Do("USER.ME", nil).OK()
	b.follow()
	if b.page.to != "" {
		b.follow()
	}
	b.shows(http.StatusOK, "password")
}
