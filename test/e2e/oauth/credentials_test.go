package oauth_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"gatehouse.internal/test/e2e/instance"
)

// badCredentials are Authorization headers that nothing may accept, by the code
// they are to be answered with, made from a token that is good.
func badCredentials(good, refresh string) map[string][]string {
	var auth, invalid []string
	for _, scheme := range []string{
		"Basic", "Digest", "Token", "Negotiate", "ApiKey", "JWT", "OAuth", "MAC", "AWS4-HMAC-SHA256", "Bearerx", "xBearer", "Bear", "B",
		"Bearer:", "Bearer,", "Bearer=", `"Bearer"`, "Bearér", "null", "undefined", "Mutual", "SCRAM-SHA-256", "vapid", "Hoba", "PrivateToken",
	} {
		auth = append(auth, scheme+" "+good, scheme)
	}
	auth = append(auth, good, "Bearer"+good, "Bearer\t"+good, "Bearer:"+good, ", Bearer "+good, "Basic dXNlcjpwYXNz")
	auth = append(auth, "Bearer ak_live_"+strings.Repeat("a", 46), "Bearer ak_live_", "DPoP ak_live_"+strings.Repeat("a", 46))

	header, rest, _ := strings.Cut(good, ".")
	payload, signature, _ := strings.Cut(rest, ".")
	mangled := []string{
		"", good + " " + good, good + "," + good, good + ", Basic dXNlcjpwYXNz", `"` + good + `"`, "'" + good + "'", "<" + good + ">",
		"{" + good + "}", good + ";", good + "=", good + "==", good + ".", "." + good, good + "." + signature, good + "..", "..", ".", "...", "....",
		header, header + ".", header + "." + payload, header + "." + payload + ".", header + ".." + signature, "." + payload + "." + signature,
		payload + "." + header + "." + signature, header + "." + header + "." + signature, header + "." + payload + "." + payload,
		header + "." + payload + "." + signature + "." + signature + "." + signature, strings.ToUpper(good), strings.ToLower(good),
		strings.ReplaceAll(good, ".", ","), strings.ReplaceAll(good, ".", " "), strings.ReplaceAll(good, ".", "%2E"), good + "\u00fc", "\u00fc" + good,
		"null", "undefined", "true", "0", "-1", "1e309", "[object Object]", "NaN", "{}", "[]", "%00", "%s%s%n", "../../etc/passwd",
		"' OR '1'='1", "${jndi:ldap://x}", "$(id)", "`id`", refresh, "sk_live_" + strings.Repeat("a", 46),
		strings.Repeat("a", 8000), strings.Repeat(".", 8000), strings.Repeat("a.", 4000), strings.Repeat("e30.", 5), "e30.e30.e30", "e30.e30.",
		instance.Encoded([]byte(good)), instance.Encoded([]byte("{}")) + "." + payload + "." + signature, instance.Encoded([]byte("null")) + "." + payload + "." + signature,
		instance.Encoded([]byte(`[]`)) + "." + payload + "." + signature, instance.Encoded([]byte(strings.Repeat("[", 3000))) + "." + payload + "." + signature,
		header + "=." + payload + "." + signature, header + "." + payload + "=." + signature, header + "\n." + payload,
	}
	for i := range 12 {
		mangled = append(mangled, good[:len(good)*i/12], good[len(good)*i/12+1:])
	}
	for _, token := range mangled {
		if !strings.Contains(token, "\n") { // what no client can send
			invalid = append(invalid, "Bearer "+token)
		}
	}
	return map[string][]string{"AUTH_ERROR": auth, "TOKEN_INVALID": invalid}
}

func TestBadAuthorizationHeaders(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		ada := s.First().SignUp()
		tried := 0
		for code, headers := range badCredentials(ada.Access, ada.Refresh) {
			for _, sent := range headers {
				answer := s.Any(tried).Present(sent)
				if answer.Status != http.StatusUnauthorized || answer.Code() != code {
					t.Errorf("Authorization %.120q: %v %d %s, want 401 %s", sent, answer.Err, answer.Status, answer.Body, code)
				}
				tried++
			}
		}
		if tried < 100 {
			t.Errorf("%d kinds of headers tried, want a hundred", tried)
		}
		s.Last().Present().Fails("AUTH_ERROR")
		s.Last().Present("").Fails("AUTH_ERROR")
		s.Last().Present("Bearer "+ada.Access, "Bearer "+ada.Access).Fails("TOKEN_INVALID")
		s.Last().Present("Bearer "+ada.Access, "Basic dXNlcjpwYXNz").Fails("TOKEN_INVALID")
		for _, good := range []string{"Bearer " + ada.Access, "bearer " + ada.Access, "BEARER " + ada.Access, "Bearer  " + ada.Access} {
			s.Last().Present(good).OK()
		}
	})
}

// Every character of a signed token counts, and nothing may be put behind it.
func TestEveryPartOfATokenCounts(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		ada := s.First().SignUp()
		replace := func(text string, at int) string {
			for _, with := range "AQgw" {
				// The last character of a part holds bits that mean nothing; the
				// four tried differ in those that do.
				if text[at] != byte(with) && text[at] != '.' {
					return text[:at] + string(with) + text[at+1:]
				}
			}
			return text + "A"
		}
		for i := 0; i < len(ada.Access); i += 7 {
			s.Any(i).Present("Bearer " + replace(ada.Access, i)).Fails("TOKEN_INVALID")
		}
		for i := 3; i < len(ada.Refresh); i += 5 {
			s.Any(i).Rotate(replace(ada.Refresh, i)).Fails("AUTH_ERROR")
		}
		for i, forged := range []string{
			ada.Refresh[:len(ada.Refresh)-1], ada.Refresh + "A", ada.Refresh + "=", " " + ada.Refresh, ada.Refresh + "\n", ada.Refresh[3:],
			"RT_" + ada.Refresh[3:], ada.Access[:500], fmt.Sprintf("rt_%s", ada.Session), "rt_", "rt_" + strings.Repeat("A", 400),
		} {
			s.Any(i).Rotate(forged).Fails("AUTH_ERROR")
		}
		// None of that did anything to the session.
		s.First().As(ada, "USER.ME", nil).OK()
		s.Last().Rotate(ada.Refresh).OK()
	})
}
