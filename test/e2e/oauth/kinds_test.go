package oauth_test

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"gatehouse.internal/test/e2e/instance"
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
	admin  instance.Person
	app    instance.Machine
	holder *harness.Holder
}

// fresh is a credential of a kind that nobody has used yet.
func (w *wallet) fresh(r *instance.Replica, kind string) string {
	r.T.Helper()
	switch kind {
	case "session":
		return w.admin.Access
	case "refresh":
		return r.Again(w.admin).Refresh
	case "m2m":
		return w.app.Token(r)
	case "foreign":
		return w.app.Asks(r, P{"audience": "https://api.example.com"}).Text("access_token")
	case "bound":
		return r.Sending("M2M.TOKEN", P{"client_id": w.app.Slug, "client_secret": w.app.Secret}, "DPoP="+w.holder.Proof("POST", instance.Endpoint, "")).Text("access_token")
	case "key":
		return r.As(w.admin, "API_KEY.CREATE", P{"name": "A key", "scopes": []string{"*"}}).Text("key")
	case "secret":
		return w.app.Secret
	case "assertion":
		return w.app.Assertion(w.holder, nil)
	case "proof":
		return w.holder.Proof("POST", instance.Endpoint, "")
	}
	r.T.Fatalf("no kind %q", kind)
	return ""
}

// open presents a text at a door and returns what that says: OK, or a word for no.
func (w *wallet) open(r *instance.Replica, door, text string) string {
	r.T.Helper()
	client := P{"client_id": w.app.Slug}
	switch door {
	case "bearer":
		return r.Bearing(text, "AUTH.WHOAMI", nil).Code()
	case "dpop":
		return r.Proving(text, w.holder.Proof("POST", instance.Endpoint, text), "AUTH.WHOAMI").Code()
	case "user":
		return r.Bearing(text, "API_KEY.LIST", nil).Code()
	case "in-person":
		return r.Bearing(text, "API_KEY.CREATE", P{"name": "Another", "scopes": []string{}}).Code()
	case "superadmin":
		return r.Bearing(text, "JWT_KEY.LIST", nil).Code()
	case "client":
		return r.Bearing(text, "API_KEY.VERIFY", P{"key": "nothing"}).Code()
	case "rotation":
		return r.Rotate(text).Code()
	case "secret":
		return r.Do(instance.Call{Command: "M2M.TOKEN", Params: instance.With(client, P{"client_secret": text})}).Code()
	case "basic":
		return w.basic(r, text)
	case "assertion":
		return w.app.Asserts(r, text).Code()
	case "binding":
		return r.Sending("M2M.TOKEN", instance.With(client, P{"client_secret": w.app.Secret}), "DPoP="+text).Code()
	case "proof":
		return said(r.As(w.admin, "DPOP.VERIFY", P{"proof": text, "method": "POST", "url": instance.Endpoint}), "valid")
	case "introspection":
		return strings.Replace(r.Introspected(text), "active", "OK", 1)
	case "verification":
		return said(r.Bearing(w.app.Token(r), "API_KEY.VERIFY", P{"key": text}), "valid")
	case "leak":
		return w.leak(r, text)
	}
	r.T.Fatalf("no door %q", door)
	return ""
}

// said is the code of an answer, or false where it succeeds and tells of nothing good.
func said(answer *instance.Reply, member string) string {
	if answer.Code() == "OK" && answer.Value(member) != true {
		return "false"
	}
	return answer.Code()
}

func (w *wallet) basic(r *instance.Replica, text string) string {
	credentials := base64.StdEncoding.EncodeToString([]byte(w.app.Slug + ":" + text))
	_, body := r.Form("/api/m2m/token", url.Values{"grant_type": {"client_credentials"}}, "Authorization=Basic "+credentials)
	var answer struct {
		Error  string
		Access string `json:"access_token"`
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil || (answer.Error == "") != (answer.Access != "") {
		r.T.Errorf("a token by form = %s", body)
	}
	if answer.Access != "" {
		return "OK"
	}
	return answer.Error
}

func (w *wallet) leak(r *instance.Replica, text string) string {
	answer := r.Do(instance.Call{Command: "API_KEY.REPORT_LEAK", Params: P{"keys": []string{text}}})
	if answer.Code() != "OK" {
		return answer.Code()
	}
	results, _ := answer.Value("results").([]any)
	if one, is := results[0].(P); is && one["revoked"] == true {
		return "OK"
	}
	return "false"
}

// TestKindsOfCredentialsAtAllDoors holds every kind of credential against every
// consumer: only those that belong together pass, and nothing is used up by the rest.
func TestKindsOfCredentialsAtAllDoors(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		one, other := s.First(), s.Last()
		w := &wallet{admin: one.Admin(), holder: one.Holder()}
		one.Wide(w.admin)
		w.app = one.Machine(w.admin, "apps:read", "api_keys:verify")
		// One key for both: what tells assertion and proof apart is not who signed.
		one.Change(w.admin, w.app, "APP.SET_JWKS", P{"jwks": P{"keys": []P{w.holder.JWK()}}})

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
