package e2e_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/json"
	"io"
	"maps"
	"math/big"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// keySet reads a JSON Web Key Set, by hand.
func keySet(t testing.TB, text string) map[string]crypto.PublicKey {
	t.Helper()
	var set struct {
		Keys []map[string]string `json:"keys"`
	}
	if err := json.Unmarshal([]byte(text), &set); err != nil {
		t.Fatalf("the key set %s: %v", text, err)
	}
	keys := map[string]crypto.PublicKey{}
	for _, jwk := range set.Keys {
		if jwk["use"] != "sig" || jwk["kid"] == "" {
			t.Errorf("a key without use or kid: %v", jwk)
		}
		for name := range jwk {
			if !slices.Contains([]string{"kty", "crv", "x", "y", "n", "e", "kid", "alg", "use"}, name) {
				t.Errorf("a public key with the member %s", name)
			}
		}
		switch jwk["kty"] + " " + jwk["alg"] {
		case "EC ES256":
			point := append([]byte{4}, append(decoded(t, jwk["x"]), decoded(t, jwk["y"])...)...)
			key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
			if err != nil {
				t.Fatalf("the key %v: %v", jwk, err)
			}
			keys[jwk["kid"]] = key
		case "RSA RS256":
			e := new(big.Int).SetBytes(decoded(t, jwk["e"]))
			keys[jwk["kid"]] = &rsa.PublicKey{N: new(big.Int).SetBytes(decoded(t, jwk["n"])), E: int(e.Int64())}
		default:
			t.Errorf("an unknown kind of key: %v", jwk)
		}
	}
	return keys
}

// verified reports whether a token is signed by the key it names.
func verified(t testing.TB, keys map[string]crypto.PublicKey, token string) bool {
	t.Helper()
	input, signature := token[:strings.LastIndex(token, ".")], decoded(t, token[strings.LastIndex(token, ".")+1:])
	digest := sha256.Sum256([]byte(input))
	switch key := keys[headerOf(t, token)["kid"].(string)].(type) {
	case *ecdsa.PublicKey:
		r, s := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
		return len(signature) == 64 && ecdsa.Verify(key, digest[:], r, s)
	case *rsa.PublicKey:
		return rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], signature) == nil
	}
	return false
}

func TestPublishedKeysVerifyTokens(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		admin := s.first().admin()
		for _, algorithm := range []string{"", "RS256", "ES256"} {
			if algorithm != "" {
				s.first().as(admin, "JWT_KEY.ROTATE", P{"algorithm": algorithm}).ok()
			}
			ada := s.last().signUp()
			keys := keySet(t, s.first().get("/.well-known/jwks.json"))
			if !verified(t, keys, ada.access) {
				t.Errorf("a token of %v is not verified by the published keys", headerOf(t, ada.access))
			}
			if verified(t, keys, ada.access[:len(ada.access)-8]+"AAAAAAAA") {
				t.Error("a broken token is verified: the check proves nothing")
			}
			var meta struct {
				Issuer     string   `json:"issuer"`
				Keys       string   `json:"jwks_uri"`
				Algorithms []string `json:"id_token_signing_alg_values_supported"`
			}
			if err := json.Unmarshal([]byte(s.last().get("/.well-known/openid-configuration")), &meta); err != nil {
				t.Fatal(err)
			}
			if meta.Issuer != claimsOf(t, ada.access)["iss"] || meta.Keys != issuer+"/.well-known/jwks.json" || !slices.Contains(meta.Algorithms, headerOf(t, ada.access)["alg"].(string)) {
				t.Errorf("discovery = %+v", meta)
			}
		}
	})
}

// page is the head of an answer that was read to its end.
type page struct {
	status int
	header http.Header
}

// fetch asks for a page with some headers, as NAME=value.
func (r *replica) fetch(method, path string, headers ...string) (page, string) {
	r.t.Helper()
	request, err := http.NewRequest(method, r.url+path, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, "=")
		request.Header.Set(name, value)
	}
	response, err := r.client.Do(request)
	if err != nil {
		r.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		r.t.Fatalf("%s %s: %v", method, path, err)
	}
	return page{response.StatusCode, response.Header}, string(body)
}

func TestCatalogue(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		here := s.first()
		var catalogue struct {
			Count    int `json:"count"`
			Commands []struct {
				Name, Family, Summary, Access, Effect string
				Example                               P
				Params                                P `json:"params_schema"`
				Result                                P `json:"result_schema"`
				Events, Errors                        []string
				Limits                                []P `json:"rate_limit"`
			} `json:"commands"`
		}
		if err := json.Unmarshal([]byte(here.get("/api/v1/commands")), &catalogue); err != nil {
			t.Fatal(err)
		}
		kinds := eventKinds(t, here)
		if catalogue.Count != len(catalogue.Commands) || catalogue.Count < 50 {
			t.Errorf("%d commands, said to be %d", len(catalogue.Commands), catalogue.Count)
		}
		for _, c := range catalogue.Commands {
			if c.Family != strings.Split(c.Name, ".")[0] || c.Summary == "" || len(c.Errors) == 0 || c.Params["type"] != "object" || c.Result["type"] == nil {
				t.Errorf("the description of %s is not whole: %+v", c.Name, c)
			}
			if c.Params["$schema"] != "https://json-schema.org/draft/2020-12/schema" || c.Params["additionalProperties"] != false {
				t.Errorf("%s: $schema %v, additionalProperties %v", c.Name, c.Params["$schema"], c.Params["additionalProperties"])
			}
			for _, kind := range c.Events {
				if _, known := kinds[kind]; !known {
					t.Errorf("%s emits %s, which is no kind", c.Name, kind)
				}
			}
			// Every command is there: a call without a credential finds it.
			if answer := here.do(call{command: c.Name, params: P{"no such parameter": 1}}); answer.code() != "AUTH_ERROR" && answer.code() != "VALIDATION_ERROR" {
				t.Errorf("%s without anything = %d %s", c.Name, answer.status, answer.body)
			} else if (c.Access == "public") != (answer.code() == "VALIDATION_ERROR") {
				t.Errorf("%s is said to be %s, and answers %s", c.Name, c.Access, answer.body)
			}
		}
		for kind := range kinds {
			one, body := here.fetch("GET", "/api/v1/events/"+kind)
			if one.status != 200 || !strings.Contains(body, `"`+kind+`"`) {
				t.Errorf("GET /api/v1/events/%s = %d %s", kind, one.status, body)
			}
		}
		if missing, body := here.fetch("GET", "/api/v1/events/no.such"); missing.status != 404 || !strings.Contains(body, "NOT_FOUND") {
			t.Errorf("GET of no kind = %d %s", missing.status, body)
		}
	})
}

// An example can be sent as it is published: what its command may answer is that
// something it names is not there, and never that it makes no sense.
func TestExamplesMakeSense(t *testing.T) {
	onIts(t, sqlite(), func(t *testing.T, on store) {
		here := open(t, on).first()
		admin := here.admin()
		secret := here.as(admin, "AUTH.MFA_SETUP_TOTP", nil).text("secret")
		here.as(admin, "AUTH.MFA_VERIFY", P{"code": totp(t, secret, 0)})
		var catalogue struct {
			Commands []struct {
				Name, Effect string
				Example      struct{ Params P }
			} `json:"commands"`
		}
		if err := json.Unmarshal([]byte(here.get("/api/v1/commands")), &catalogue); err != nil {
			t.Fatal(err)
		}
		for _, c := range catalogue.Commands {
			answer := here.do(call{command: c.Name, params: c.Example.Params, token: admin.access, dryRun: c.Effect == "store"})
			if answer.code() == "VALIDATION_ERROR" {
				t.Errorf("the example of %s: %s", c.Name, answer.body)
			}
		}
	})
}

// eventKinds are the published kinds by name.
func eventKinds(t *testing.T, here *replica) map[string]P {
	t.Helper()
	var published struct {
		Count  int `json:"count"`
		Events []P `json:"events"`
	}
	if err := json.Unmarshal([]byte(here.get("/api/v1/events")), &published); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]P{}
	for _, kind := range published.Events {
		schema, _ := kind["schema"].(P)
		if schema["$schema"] != "https://json-schema.org/draft/2020-12/schema" || kind["example"] == nil {
			t.Errorf("the description of %v is not whole", kind["type"])
		}
		kinds[kind["type"].(string)] = kind
	}
	for _, kind := range []string{"user.created", "session.created", "session.revoked", "session.reuse_detected", "login.failed", "jwt_key.rotated"} {
		if kinds[kind] == nil {
			t.Errorf("no kind %s among %v", kind, slices.Sorted(maps.Keys(kinds)))
		}
	}
	return kinds
}

func TestPublicPages(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on, "CORS_ORIGINS=https://app.example.com")
		here := s.last()
		for _, path := range []string{
			"/api/v1/commands", "/api/v1/events", "/api/v1/events/user.created", "/.well-known/jwks.json", "/.well-known/openid-configuration",
			"/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource",
		} {
			page, body := here.fetch("GET", path)
			etag := page.header.Get("ETag")
			if page.status != 200 || etag == "" || page.header.Get("Content-Type") != "application/json" || !strings.Contains(page.header.Get("Cache-Control"), "public") {
				t.Errorf("GET %s = %d %v", path, page.status, page.header)
			}
			if again, rest := here.fetch("GET", path, "If-None-Match="+etag); again.status != 304 || rest != "" {
				t.Errorf("GET %s with its ETag = %d, want 304", path, again.status)
			}
			if other, _ := here.fetch("GET", path, `If-None-Match="another"`); other.status != 200 {
				t.Errorf("GET %s with another ETag = %d, want 200", path, other.status)
			}
			if head, rest := here.fetch("HEAD", path); head.status != 200 || rest != "" || head.header.Get("ETag") != etag {
				t.Errorf("HEAD %s = %d", path, head.status)
			}
			if wrong, _ := here.fetch("POST", path); wrong.status != 405 {
				t.Errorf("POST %s = %d, want 405", path, wrong.status)
			}
			if _, same := s.first().fetch("GET", path); same != body {
				t.Errorf("the replicas answer GET %s differently", path)
			}
		}
		for _, path := range []string{"/", "/api", "/api/v1/execute/", "//api/v1/execute", "/api/v1/../v1/commands", "/dev/mail", "/favicon.ico", "/.git/config"} {
			if page, body := here.fetch("GET", path); page.status != 404 || !strings.Contains(body, "NOT_FOUND") {
				t.Errorf("GET %s = %d %s, want 404", path, page.status, body)
			}
		}
		const origin = "Access-Control-Allow-Origin"
		ask := "Access-Control-Request-Method=POST"
		if page, _ := here.fetch("OPTIONS", "/api/v1/execute", "Origin=https://app.example.com", ask); page.status != 204 || page.header.Get(origin) != "https://app.example.com" {
			t.Errorf("a preflight = %d %v", page.status, page.header)
		}
		if page, _ := here.fetch("OPTIONS", "/api/v1/execute", "Origin=https://evil.example.com", ask); page.header.Get(origin) != "" {
			t.Errorf("a preflight of a foreign page is allowed: %v", page.header)
		}
	})
}

func TestHealthAndMetrics(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		const token = "9f8Zr7VwYt2LmXe8BnPc5HsDfGjKa4U3"
		here := open(t, on, "METRICS_TOKEN="+token).last()
		for path, want := range map[string]int{
			"/metrics": 401, // the client is a trusted proxy
			"/health":  200, "/health?check=live": 200, "/health?check=ready": 200, "/health?check=nothing": 400, "/health?check=live&check=ready": 400,
		} {
			if page, body := here.fetch("GET", path); page.status != want {
				t.Errorf("GET %s = %d %s, want %d", path, page.status, body, want)
			}
		}
		ada := here.signUp()
		for range 3 {
			here.as(ada, "USER.ME", nil).ok()
		}
		here.do(call{command: "USER.ME"}).fails("AUTH_ERROR")
		here.do(call{command: "MADE.UP"}).fails("UNKNOWN_COMMAND")
		admin := here.admin()
		if page, body := here.fetch("GET", "/metrics", "Authorization=Bearer "+admin.access); page.status != 200 {
			t.Errorf("a superadmin gets %d %s", page.status, body)
		}
		if page, body := here.fetch("GET", "/metrics", "Authorization=Bearer "+ada.access); page.status != 403 {
			t.Errorf("somebody gets %d %s", page.status, body)
		}
		_, metrics := here.fetch("GET", "/metrics", "Authorization=Bearer "+token)
		for _, line := range []string{
			`gatehouse_commands_total\{code="OK",command="USER.ME"\} 3`,
			`gatehouse_commands_total\{code="AUTH_ERROR",command="USER.ME"\} 1`,
			`gatehouse_commands_total\{code="OK",command="AUTH.SIGNUP"\} 1`,
			`gatehouse_commands_total\{code="UNKNOWN_COMMAND",command="unknown"\} 1`,
			`gatehouse_command_duration_seconds_bucket\{command="USER.ME",le="10"\} 4`,
			`go_goroutines \d+`, `gatehouse_db_connections\{pool="\w+",state="max"\} \d`,
		} {
			if !regexp.MustCompile(`(?m)^` + line).MatchString(metrics) {
				t.Errorf("no line %s in the metrics", line)
			}
		}
		if strings.Contains(metrics, "MADE.UP") {
			t.Error("a name that a client made up became a metric")
		}
	})
}
