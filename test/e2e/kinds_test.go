package e2e_test

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"gatehouse.internal/test/harness"
)

// doors is what every door answers to every kind of credential. Each text is good,
// of somebody who may do what the door is for.
const doors = `
              session           refresh           m2m               foreign           bound             key               secret           assertion        proof
bearer        OK                TOKEN_INVALID     OK                TOKEN_INVALID     TOKEN_INVALID     OK                TOKEN_INVALID    TOKEN_INVALID    TOKEN_INVALID
dpop          TOKEN_INVALID     TOKEN_INVALID     TOKEN_INVALID     TOKEN_INVALID     OK                AUTH_ERROR        TOKEN_INVALID    TOKEN_INVALID    TOKEN_INVALID
user          OK                TOKEN_INVALID     PERMISSION_DENIED TOKEN_INVALID     TOKEN_INVALID     OK                TOKEN_INVALID    TOKEN_INVALID    TOKEN_INVALID
in-person     OK                TOKEN_INVALID     PERMISSION_DENIED TOKEN_INVALID     TOKEN_INVALID     PERMISSION_DENIED TOKEN_INVALID    TOKEN_INVALID    TOKEN_INVALID
superadmin    OK                TOKEN_INVALID     PERMISSION_DENIED TOKEN_INVALID     TOKEN_INVALID     PERMISSION_DENIED TOKEN_INVALID    TOKEN_INVALID    TOKEN_INVALID
client        PERMISSION_DENIED TOKEN_INVALID     OK                TOKEN_INVALID     TOKEN_INVALID     PERMISSION_DENIED TOKEN_INVALID    TOKEN_INVALID    TOKEN_INVALID
rotation      AUTH_ERROR        OK                AUTH_ERROR        AUTH_ERROR        AUTH_ERROR        AUTH_ERROR        AUTH_ERROR       AUTH_ERROR       AUTH_ERROR
secret        AUTH_ERROR        AUTH_ERROR        AUTH_ERROR        AUTH_ERROR        AUTH_ERROR        AUTH_ERROR        OK               AUTH_ERROR       AUTH_ERROR
basic         invalid_client    invalid_client    invalid_client    invalid_client    invalid_client    invalid_client    OK               invalid_client   invalid_client
assertion     AUTH_ERROR        AUTH_ERROR        AUTH_ERROR        AUTH_ERROR        AUTH_ERROR        AUTH_ERROR        AUTH_ERROR       OK               AUTH_ERROR
binding       AUTH_ERROR        AUTH_ERROR        AUTH_ERROR        AUTH_ERROR        AUTH_ERROR        AUTH_ERROR        AUTH_ERROR       AUTH_ERROR       OK
proof         false             false             false             false             false             false             false            false            OK
introspection not_m2m           not_m2m           OK                OK                OK                not_m2m           not_m2m          token_invalid    token_invalid
verification  VALIDATION_ERROR  false             VALIDATION_ERROR  VALIDATION_ERROR  VALIDATION_ERROR  OK                false            false            false
leak          VALIDATION_ERROR  false             VALIDATION_ERROR  VALIDATION_ERROR  VALIDATION_ERROR  OK                false            false            false
`

// wallet has credentials of every kind.
type wallet struct {
	admin  person
	app    machine
	holder *harness.Holder
}

// fresh is a credential of a kind that nobody has used yet.
func (w *wallet) fresh(r *replica, kind string) string {
	r.t.Helper()
	switch kind {
	case "session":
		return w.admin.access
	case "refresh":
		return r.again(w.admin).refresh
	case "m2m":
		return w.app.token(r)
	case "foreign":
		return w.app.asks(r, P{"audience": "https://api.example.com"}).text("access_token")
	case "bound":
		return r.sending("M2M.TOKEN", P{"client_id": w.app.slug, "client_secret": w.app.secret}, "DPoP="+w.holder.Proof("POST", here, "")).text("access_token")
	case "key":
		return r.as(w.admin, "API_KEY.CREATE", P{"name": "A key", "scopes": []string{"*"}}).text("key")
	case "secret":
		return w.app.secret
	case "assertion":
		return w.app.assertion(w.holder, nil)
	case "proof":
		return w.holder.Proof("POST", here, "")
	}
	r.t.Fatalf("no kind %q", kind)
	return ""
}

// open presents a text at a door and returns what that says: OK, or a word for no.
func (w *wallet) open(r *replica, door, text string) string {
	r.t.Helper()
	client := P{"client_id": w.app.slug}
	switch door {
	case "bearer":
		return r.bearing(text, "AUTH.WHOAMI", nil).code()
	case "dpop":
		return r.proving(text, w.holder.Proof("POST", here, text), "AUTH.WHOAMI").code()
	case "user":
		return r.bearing(text, "API_KEY.LIST", nil).code()
	case "in-person":
		return r.bearing(text, "API_KEY.CREATE", P{"name": "Another", "scopes": []string{}}).code()
	case "superadmin":
		return r.bearing(text, "JWT_KEY.LIST", nil).code()
	case "client":
		return r.bearing(text, "API_KEY.VERIFY", P{"key": "nothing"}).code()
	case "rotation":
		return r.rotate(text).code()
	case "secret":
		return r.do(call{command: "M2M.TOKEN", params: with(client, P{"client_secret": text})}).code()
	case "basic":
		return w.basic(r, text)
	case "assertion":
		return w.app.asserts(r, text).code()
	case "binding":
		return r.sending("M2M.TOKEN", with(client, P{"client_secret": w.app.secret}), "DPoP="+text).code()
	case "proof":
		return said(r.as(w.admin, "DPOP.VERIFY", P{"proof": text, "method": "POST", "url": here}), "valid")
	case "introspection":
		return strings.Replace(r.introspected(text), "active", "OK", 1)
	case "verification":
		return said(r.bearing(w.app.token(r), "API_KEY.VERIFY", P{"key": text}), "valid")
	case "leak":
		return w.leak(r, text)
	}
	r.t.Fatalf("no door %q", door)
	return ""
}

// said is the code of an answer, or false where it succeeds and tells of nothing good.
func said(answer *reply, member string) string {
	if answer.code() == "OK" && answer.value(member) != true {
		return "false"
	}
	return answer.code()
}

func (w *wallet) basic(r *replica, text string) string {
	credentials := base64.StdEncoding.EncodeToString([]byte(w.app.slug + ":" + text))
	_, body := r.form("/api/m2m/token", url.Values{"grant_type": {"client_credentials"}}, "Authorization=Basic "+credentials)
	var told struct {
		Error  string
		Access string `json:"access_token"`
	}
	if err := json.Unmarshal([]byte(body), &told); err != nil || (told.Error == "") != (told.Access != "") {
		r.t.Errorf("a token by form = %s", body)
	}
	if told.Access != "" {
		return "OK"
	}
	return told.Error
}

func (w *wallet) leak(r *replica, text string) string {
	answer := r.do(call{command: "API_KEY.REPORT_LEAK", params: P{"keys": []string{text}}})
	if answer.code() != "OK" {
		return answer.code()
	}
	results, _ := answer.value("results").([]any)
	if one, is := results[0].(P); is && one["revoked"] == true {
		return "OK"
	}
	return "false"
}

// TestKindsOfCredentialsAtAllDoors holds every kind of credential against every
// consumer: only those that belong together pass, and nothing is used up by the rest.
func TestKindsOfCredentialsAtAllDoors(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		one, other := s.first(), s.last()
		w := &wallet{admin: one.admin(), holder: one.holder()}
		one.wide(w.admin)
		w.app = one.machine(w.admin, "apps:read", "api_keys:verify")
		// One key for both: what tells assertion and proof apart is not who signed.
		one.change(w.admin, w.app, "APP.SET_JWKS", P{"jwks": P{"keys": []P{w.holder.JWK()}}})

		lines := strings.Split(strings.TrimSpace(doors), "\n")
		for at, kind := range strings.Fields(lines[0]) {
			spared := w.fresh(one, kind)
			var own []string
			for _, line := range lines[1:] {
				row := strings.Fields(line)
				door, want := row[0], row[1+at]
				text := spared
				if want == "OK" {
					own = append(own, door)
					text = w.fresh(one, kind)
				}
				if got := w.open(other, door, text); got != want {
					t.Errorf("%s at the door %s: %s, want %s", kind, door, got, want)
				}
			}
			for _, door := range own[:1] {
				if got := w.open(one, door, spared); got != "OK" {
					t.Errorf("%s at its own door %s, after all others: %s", kind, door, got)
				}
			}
		}
	})
}
