package people_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"gatehouse.internal/test/harness"
)

// claims are those of an access token.
func claims(t *testing.T, token string) P {
	t.Helper()
	payload, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
	if err != nil {
		t.Fatal(err)
	}
	var claims P
	if err := json.Unmarshal(payload, &claims); err != nil {
		t.Fatal(err)
	}
	return claims
}

// Own permissions ride along in tokens once that is asked for, up to 100 of them.
func TestTokensCarryOwnPermissions(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	alice.Do("PERMISSION.CREATE", P{"permission": "docs:write"}).OK()
	alice.Do("PERMISSION.CREATE", P{"permission": "docs:read"}).OK()
	define(alice, "editor", []string{"docs:write", "flows:read"})
	bob := roleMember(h, alice, "bob", "editor")
	token := func(who *harness.Actor) P {
		pair := h.Anonymous().Do("AUTH.REFRESH", P{"refresh_token": who.RefreshToken}).OK()
		who.RefreshToken = pair.String("refresh_token")
		return claims(t, pair.String("access_token"))
	}
	if plain := token(bob); plain["permissions"] != nil || plain["permissions_overflow"] != nil {
		t.Errorf("claims %v without the setting", plain)
	}
	h.Superadmin().Do("SETTINGS.SET", P{"values": P{"permissions_claim": true}}).OK()
	if got := token(bob)["permissions"]; fmt.Sprint(got) != "[docs:write]" {
		t.Errorf("an editor's token carries %v", got)
	}
	if got := token(alice)["permissions"]; fmt.Sprint(got) != "[docs:read docs:write]" {
		t.Errorf("an owner's token carries %v", got)
	}
	for n := range 99 {
		alice.Do("PERMISSION.CREATE", P{"permission": fmt.Sprint("wiki:", n)}).OK()
	}
	if over := token(alice); over["permissions"] != nil || over["permissions_overflow"] != true {
		t.Errorf("of 101 permissions the token tells %v, overflow %v", over["permissions"], over["permissions_overflow"])
	}
	alice.Do("PERMISSION.DELETE", P{"permission": "wiki:0"}).OK()
	if fits := token(alice); len(fits["permissions"].([]any)) != 100 || fits["permissions_overflow"] != nil {
		t.Errorf("of 100 permissions the token tells %v, overflow %v", fits["permissions"], fits["permissions_overflow"])
	}
}
