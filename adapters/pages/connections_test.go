package pages_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/test/fake/upstream"
)

func TestConnections(t *testing.T) {
	t.Parallel()
	h := service(t, "GOOGLE_CLIENT_ID=client", "GOOGLE_CLIENT_SECRET=secret")
	visit(t, h).get("/login").shows(http.StatusOK, "Continue with Google").lacks("GitHub")
	b := visit(t, h).signUp("ada@example.com")
	b.get("/account/connections").shows(http.StatusOK, "Google", "Not linked").lacks("GitHub")
	b.fill("/account/connections/unlink", "provider=google").shows(http.StatusUnprocessableEntity)
	b.get("/account/connections/google/done?error=access_denied").goes("/account/connections").follow().shows(http.StatusOK, "failed or was canceled")
	b.get("/account/connections/google/done?code=forged&state=forged").goes("/account/connections").follow().shows(http.StatusOK, "no longer valid")
	stranger := visit(t, h)
	stranger.get("/login/social/google/done?error=access_denied").goes("/login").follow().shows(http.StatusOK, "failed or was canceled")
	stranger.get("/login/social/google/done?code=forged&state=forged").goes("/login").follow().shows(http.StatusOK, "failed or was canceled")
	stranger.header.Set("Sec-Fetch-Site", "same-origin")
	stranger.get("/login/social/google").provided("&code=forged&state=forged").goes("/login").follow().shows(http.StatusOK, "no longer valid")
	b.header.Set("Sec-Fetch-Site", "same-origin")
	b.get("/account/connections/google/link")
	if b.page.status != http.StatusSeeOther || !strings.HasPrefix(b.page.to, "https://accounts.google.com/") {
		t.Errorf("linking leads to %d %q", b.page.status, b.page.to)
	}
	h.Clock.Advance(20 * time.Minute)
	b.get("/account/connections/google/link").goes("/account/confirm?return_to=%2Faccount%2Fconnections")
}

// An upstream account without an address can be linked.
func TestConnectionWithoutAnAddress(t *testing.T) {
	t.Parallel()
	provider := upstream.Start(t, upstream.Discord)
	h := service(t, provider.Environment()...)
	b := visit(t, h).signUp("ada@example.com")
	b.header.Set("Sec-Fetch-Site", "same-origin")
	line := func() string {
		_, after, _ := strings.Cut(b.get("/account/connections").shows(http.StatusOK, "Discord").page.body, "<strong>Discord</strong><br>")
		text, _, _ := strings.Cut(after, "</div>")
		return text
	}
	for address, want := range map[string]string{"": "Linked", "lovelace@example.com": "lovelace@example.com"} {
		provider.Be(upstream.Person{ID: "1001", Email: address, Verified: address != "", Name: "Ada Lovelace"})
		b.through(h, provider, "/account/connections/discord/link").goes("/account/connections")
		if got := line(); got != `<span class="faint">`+want+"</span>" {
			t.Errorf("linked with the address %q, the page says %s", address, got)
		}
		b.fill("/account/connections/unlink", "provider=discord").goes("/account/connections")
	}
}
