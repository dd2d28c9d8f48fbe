package pages_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"gatehouse.internal/test/harness"
)

// The same form sent once more finds nothing that waits, and says so without the names
// of commands.
func TestEnrolledTwice(t *testing.T) {
	t.Parallel()
	h := service(t)
	b := visit(t, h).signUp("ada@example.com")
	b.get("/account/security").fill("/account/security/totp")
	address, err := url.Parse(b.found(otpauthLink))
	if err != nil {
		t.Fatal(err)
	}
	sent := []string{"setup=" + b.found(setupField), "code=" + code(t, h, address.Query().Get("secret"))}
	late := b.copied()
	b.fill("/account/security/totp/verify", sent...).goes("/account/security/codes")
	late.fill("/account/security/totp/verify", sent...).goes("/account/security").follow().shows(http.StatusOK, "finished already", "Authenticator app")
}
