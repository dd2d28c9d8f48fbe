package commands_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/test/e2e/instance"
)

func TestPublishedKeysVerifyTokens(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		admin := s.First().Admin()
		for _, algorithm := range []string{"", "RS256", "ES256"} {
			if algorithm != "" {
				s.First().As(admin, "JWT_KEY.ROTATE", P{"algorithm": algorithm}).OK()
			}
			ada := s.Last().SignUp()
			keys := instance.KeySet(t, s.First().Get("/.well-known/jwks.json"))
			if !instance.Verified(t, keys, ada.Access) {
				t.Errorf("a token of %v is not verified by the published keys", instance.HeaderOf(t, ada.Access))
			}
			if instance.Verified(t, keys, ada.Access[:len(ada.Access)-8]+"AAAAAAAA") {
				t.Error("a broken token is verified: the check proves nothing")
			}
			var meta struct {
				Issuer     string   `json:"issuer"`
				Keys       string   `json:"jwks_uri"`
				Algorithms []string `json:"id_token_signing_alg_values_supported"`
			}
			if err := json.Unmarshal([]byte(s.Last().Get("/.well-known/openid-configuration")), &meta); err != nil {
				t.Fatal(err)
			}
			if meta.Issuer != instance.ClaimsOf(t, ada.Access)["iss"] || meta.Keys != instance.Issuer+"/.well-known/jwks.json" || !slices.Contains(meta.Algorithms, instance.HeaderOf(t, ada.Access)["alg"].(string)) {
				t.Errorf("discovery = %+v", meta)
			}
		}
	})
}

func TestCatalog(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		here := s.First()
		var catalog struct {
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
		if err := json.Unmarshal([]byte(here.Get("/api/v1/commands")), &catalog); err != nil {
			t.Fatal(err)
		}
		kinds := eventKinds(t, here)
		if catalog.Count != len(catalog.Commands) || catalog.Count < 50 {
			t.Errorf("%d commands, said to be %d", len(catalog.Commands), catalog.Count)
		}
		for _, c := range catalog.Commands {
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
			if answer := here.Do(instance.Call{Command: c.Name, Params: P{"no such parameter": 1}}); answer.Code() != "AUTH_ERROR" && answer.Code() != "VALIDATION_ERROR" {
				t.Errorf("%s without anything = %d %s", c.Name, answer.Status, answer.Body)
			} else if (c.Access == "public") != (answer.Code() == "VALIDATION_ERROR") {
				t.Errorf("%s is said to be %s, and answers %s", c.Name, c.Access, answer.Body)
			}
		}
		for kind := range kinds {
			one, body := here.Fetch("GET", "/api/v1/events/"+kind)
			if one.Status != 200 || !strings.Contains(body, `"`+kind+`"`) {
				t.Errorf("GET /api/v1/events/%s = %d %s", kind, one.Status, body)
			}
		}
		if missing, body := here.Fetch("GET", "/api/v1/events/no.such"); missing.Status != 404 || !strings.Contains(body, "NOT_FOUND") {
			t.Errorf("GET of no kind = %d %s", missing.Status, body)
		}
	})
}

// An example can be sent as it is published: what its command may answer is that
// something it names is not there, and never that it makes no sense.
func TestExamplesMakeSense(t *testing.T) {
	instance.OnIts(t, instance.SQLite(), func(t *testing.T, on instance.Store) {
		here := instance.Open(t, on).First()
		admin := here.Admin()
		secret := here.As(admin, "AUTH.MFA_SETUP_TOTP", nil).Text("secret")
		here.As(admin, "AUTH.MFA_VERIFY", P{"code": instance.TOTP(t, secret, 0)})
		var catalog struct {
			Commands []struct {
				Name, Effect string
				Example      struct{ Params P }
			} `json:"commands"`
		}
		if err := json.Unmarshal([]byte(here.Get("/api/v1/commands")), &catalog); err != nil {
			t.Fatal(err)
		}
		for _, c := range catalog.Commands {
			answer := here.Do(instance.Call{Command: c.Name, Params: c.Example.Params, Token: admin.Access, DryRun: c.Effect == "store"})
			if answer.Code() == "VALIDATION_ERROR" {
				t.Errorf("the example of %s: %s", c.Name, answer.Body)
			}
		}
	})
}

// eventKinds are the published kinds by name.
func eventKinds(t *testing.T, here *instance.Replica) map[string]P {
	t.Helper()
	var published struct {
		Count  int `json:"count"`
		Events []P `json:"events"`
	}
	if err := json.Unmarshal([]byte(here.Get("/api/v1/events")), &published); err != nil {
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
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on, "CORS_ORIGINS=https://app.example.com")
		here := s.Last()
		for _, path := range []string{
			"/api/v1/commands", "/api/v1/events", "/api/v1/events/user.created", "/.well-known/jwks.json", "/.well-known/openid-configuration",
			"/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource",
		} {
			page, body := here.Fetch("GET", path)
			etag := page.Header.Get("ETag")
			if page.Status != 200 || etag == "" || page.Header.Get("Content-Type") != "application/json" || !strings.Contains(page.Header.Get("Cache-Control"), "public") {
				t.Errorf("GET %s = %d %v", path, page.Status, page.Header)
			}
			if again, rest := here.Fetch("GET", path, "If-None-Match="+etag); again.Status != 304 || rest != "" {
				t.Errorf("GET %s with its ETag = %d, want 304", path, again.Status)
			}
			if other, _ := here.Fetch("GET", path, `If-None-Match="another"`); other.Status != 200 {
				t.Errorf("GET %s with another ETag = %d, want 200", path, other.Status)
			}
			if head, rest := here.Fetch("HEAD", path); head.Status != 200 || rest != "" || head.Header.Get("ETag") != etag {
				t.Errorf("HEAD %s = %d", path, head.Status)
			}
			if wrong, _ := here.Fetch("POST", path); wrong.Status != 405 {
				t.Errorf("POST %s = %d, want 405", path, wrong.Status)
			}
			if _, same := s.First().Fetch("GET", path); same != body {
				t.Errorf("the replicas answer GET %s differently", path)
			}
		}
		for _, path := range []string{"/", "/api", "/api/v1/execute/", "//api/v1/execute", "/api/v1/../v1/commands", "/dev/mail", "/favicon.ico", "/.git/config"} {
			if page, body := here.Fetch("GET", path); page.Status != 404 || !strings.Contains(body, "NOT_FOUND") {
				t.Errorf("GET %s = %d %s, want 404", path, page.Status, body)
			}
		}
		const origin = "Access-Control-Allow-Origin"
		ask := "Access-Control-Request-Method=POST"
		if page, _ := here.Fetch("OPTIONS", "/api/v1/execute", "Origin=https://app.example.com", ask); page.Status != 204 || page.Header.Get(origin) != "https://app.example.com" {
			t.Errorf("a preflight = %d %v", page.Status, page.Header)
		}
		if page, _ := here.Fetch("OPTIONS", "/api/v1/execute", "Origin=https://evil.example.com", ask); page.Header.Get(origin) != "" {
			t.Errorf("a preflight of a foreign page is allowed: %v", page.Header)
		}
	})
}

func TestHealthAndMetrics(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		const token = "9f8Zr7VwYt2LmXe8BnPc5HsDfGjKa4U3"
		here := instance.Open(t, on, "METRICS_TOKEN="+token).Last()
		for path, want := range map[string]int{
			"/metrics": 401, // the client is a trusted proxy
			"/health":  200, "/health?check=live": 200, "/health?check=ready": 200, "/health?check=nothing": 400, "/health?check=live&check=ready": 400,
		} {
			if page, body := here.Fetch("GET", path); page.Status != want {
				t.Errorf("GET %s = %d %s, want %d", path, page.Status, body, want)
			}
		}
		ada := here.SignUp()
		for range 3 {
			here.As(ada, "USER.ME", nil).OK()
		}
		here.Do(instance.Call{Command: "USER.ME"}).Fails("AUTH_ERROR")
		here.Do(instance.Call{Command: "MADE.UP"}).Fails("UNKNOWN_COMMAND")
		admin := here.Admin()
		if page, body := here.Fetch("GET", "/metrics", "Authorization=Bearer "+admin.Access); page.Status != 200 {
			t.Errorf("a superadmin gets %d %s", page.Status, body)
		}
		if page, body := here.Fetch("GET", "/metrics", "Authorization=Bearer "+ada.Access); page.Status != 403 {
			t.Errorf("somebody gets %d %s", page.Status, body)
		}
		_, metrics := here.Fetch("GET", "/metrics", "Authorization=Bearer "+token)
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
