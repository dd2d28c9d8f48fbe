package commerce_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"gatehouse.internal/test/harness"
)

// Tokens carry chosen features once the setting names some: those that are true for the
// person, at login and with each refresh.
func TestTokensCarryFeatures(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		ada.Do("FEATURE.CREATE", P{"key": "pdf", "type": "bool", "default": false, "rules": []P{{"when": "user.email == 'ada@example.com' && 'owner' in user.roles", "value": true}}}).OK()
		ada.Do("FEATURE.CREATE", P{"key": "sso", "type": "bool", "default": false}).OK()
		ada.Do("FEATURE.CREATE", P{"key": "seats", "type": "int", "default": 3}).OK()
		carried := func(token string) string {
			payload, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
			if err != nil {
				t.Fatal(err)
			}
			var claims P
			if err := json.Unmarshal(payload, &claims); err != nil {
				t.Fatal(err)
			}
			return fmt.Sprint(claims["features"])
		}
		refreshed := func() string {
			pair := h.Anonymous().Do("AUTH.REFRESH", P{"refresh_token": ada.RefreshToken}).OK()
			ada.RefreshToken = pair.String("refresh_token")
			return carried(pair.String("access_token"))
		}
		want(t, "without the setting", refreshed(), "<nil>")
		root := h.Superadmin()
		root.Do("SETTINGS.SET", P{"values": P{"features_claim": []string{"sso", "pdf", "seats", "none"}}}).OK()
		want(t, "with it", refreshed(), "[pdf]")
		ada.Do("FEATURE.OVERRIDE_SET", P{"key": "sso", "org_id": ada.OrgID, "value": true}).OK()
		login := h.Anonymous().Do("AUTH.LOGIN", P{"email": "ada@example.com", "password": harness.Password}).OK()
		want(t, "after an override", carried(login.String("access_token")), "[sso pdf]")
		root.Do("SETTINGS.SET", P{"values": P{"features_claim": nil}}).OK()
		want(t, "switched off", refreshed(), "<nil>")
	})
}
