package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
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
		encoded([]byte(good)), encoded([]byte("{}")) + "." + payload + "." + signature, encoded([]byte("null")) + "." + payload + "." + signature,
		encoded([]byte(`[]`)) + "." + payload + "." + signature, encoded([]byte(strings.Repeat("[", 3000))) + "." + payload + "." + signature,
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
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		ada := s.first().signUp()
		tried := 0
		for code, headers := range badCredentials(ada.access, ada.refresh) {
			for _, sent := range headers {
				answer := s.any(tried).present(sent)
				if answer.status != http.StatusUnauthorized || answer.code() != code {
					t.Errorf("Authorization %.120q: %v %d %s, want 401 %s", sent, answer.err, answer.status, answer.body, code)
				}
				tried++
			}
		}
		if tried < 100 {
			t.Errorf("%d kinds of headers tried, want a hundred", tried)
		}
		s.last().present().fails("AUTH_ERROR")
		s.last().present("").fails("AUTH_ERROR")
		s.last().present("Bearer "+ada.access, "Bearer "+ada.access).fails("TOKEN_INVALID")
		s.last().present("Bearer "+ada.access, "Basic dXNlcjpwYXNz").fails("TOKEN_INVALID")
		for _, good := range []string{"Bearer " + ada.access, "bearer " + ada.access, "BEARER " + ada.access, "Bearer  " + ada.access} {
			s.last().present(good).ok()
		}
	})
}

// present calls USER.ME with these Authorization headers.
func (r *replica) present(credentials ...string) *reply {
	r.t.Helper()
	header := jsonHeader()
	if len(credentials) > 0 {
		header["Authorization"] = credentials
	}
	return r.post([]byte(`{"command":"USER.ME"}`), header)
}

// Every character of a signed token counts, and nothing may be put behind it.
func TestEveryPartOfATokenCounts(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		ada := s.first().signUp()
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
		for i := 0; i < len(ada.access); i += 7 {
			s.any(i).present("Bearer " + replace(ada.access, i)).fails("TOKEN_INVALID")
		}
		for i := 3; i < len(ada.refresh); i += 5 {
			s.any(i).rotate(replace(ada.refresh, i)).fails("AUTH_ERROR")
		}
		for i, forged := range []string{
			ada.refresh[:len(ada.refresh)-1], ada.refresh + "A", ada.refresh + "=", " " + ada.refresh, ada.refresh + "\n", ada.refresh[3:],
			"RT_" + ada.refresh[3:], ada.access[:500], fmt.Sprintf("rt_%s", ada.session), "rt_", "rt_" + strings.Repeat("A", 400),
		} {
			s.any(i).rotate(forged).fails("AUTH_ERROR")
		}
		// None of that did anything to the session.
		s.first().as(ada, "USER.ME", nil).ok()
		s.last().rotate(ada.refresh).ok()
	})
}
