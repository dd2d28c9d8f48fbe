package oauth_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/test/e2e/instance"
)

func TestWrongClients(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		one, other := s.First(), s.Last()
		admin := one.Admin()
		app, second, keyless := one.Machine(admin, "apps:read"), one.Machine(admin), one.Machine(admin)
		public := one.As(admin, "APP.REGISTER", P{"name": "Page", "slug": "page", "type": "spa"}).Text("app.slug")
		off := one.Machine(admin)
		one.Change(admin, off, "APP.UPDATE", P{"enabled": false})
		signer := one.Holder()
		one.Change(admin, app, "APP.SET_JWKS", P{"jwks": P{"keys": []P{signer.JWK()}}})
		messages := map[string]bool{}
		for name, answer := range map[string]*instance.Reply{
			"unknown client":            instance.Machine{Slug: "nobody", Secret: app.Secret}.Asks(other, nil),
			"another's secret":          instance.Machine{Slug: second.Slug, Secret: app.Secret}.Asks(other, nil),
			"a secret with a fault":     instance.Machine{Slug: app.Slug, Secret: app.Secret[:40] + "AAAAAAAAAAAAAA"}.Asks(other, nil),
			"a public client":           instance.Machine{Slug: public, Secret: app.Secret}.Asks(other, nil),
			"a disabled app":            off.Asks(other, nil),
			"another's assertion":       second.Asserts(other, app.Assertion(signer, nil)),
			"an assertion without keys": keyless.Asserts(other, keyless.Assertion(signer, nil)),
			"by a foreign key":          app.Asserts(other, app.Assertion(one.Holder(), nil)),
			"for somebody else":         app.Asserts(other, app.Assertion(signer, P{"aud": "https://elsewhere.example.com"})),
			"expired":                   app.Asserts(other, app.Assertion(signer, P{"exp": time.Now().Unix() - 1})),
			"for too long":              app.Asserts(other, app.Assertion(signer, P{"exp": time.Now().Unix() + 700})),
			"without a jti":             app.Asserts(other, app.Assertion(signer, P{"jti": nil})),
		} {
			if answer.Code() != "AUTH_ERROR" || !strings.HasPrefix(answer.Envelope.Error.Message, "invalid_client: ") {
				t.Errorf("%s: %v %d %s", name, answer.Err, answer.Status, answer.Body)
				continue
			}
			messages[answer.Envelope.Error.Message] = true
		}
		if len(messages) != 1 {
			t.Errorf("the refusals tell clients apart: %v", messages)
		}
		for _, ttl := range []any{0, 59, 86_401, -1, 1e12, 90.5, "90"} {
			if answer := app.Asks(other, P{"ttl_seconds": ttl}); answer.Code() != "VALIDATION_ERROR" && ttl != 0 {
				t.Errorf("ttl_seconds %v: %d %s", ttl, answer.Status, answer.Body)
			}
		}
		for _, ttl := range []int{60, 86_400} {
			if got := app.Asks(other, P{"ttl_seconds": ttl}).Number("expires_in"); got != ttl {
				t.Errorf("ttl_seconds %d gives %d", ttl, got)
			}
		}
		app.Asks(other, P{"scopes": []string{"apps:read", "apps:write"}}).Fails("VALIDATION_ERROR")
		app.Asserts(other, app.Assertion(signer, nil)).OK()
	})
}

func TestHugeTokensAndScopes(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		one, other := s.First(), s.Last()
		admin := one.Admin()
		free := one.As(admin, "APP.REGISTER", P{"name": "Free", "slug": "free"})
		app := instance.Machine{ID: free.Text("app.id"), Slug: "free", Secret: free.Text("api_key")}
		scopes := func(n, length int) []string {
			made := make([]string, n)
			for i := range made {
				made[i] = fmt.Sprintf("s%03d:%s", i, strings.Repeat("x", length-5))
			}
			return made
		}
		for name, c := range map[string]struct {
			asked []string
			want  string
		}{
			"as many as there may be":    {scopes(200, 14), "OK"},
			"one more":                   {scopes(201, 14), "VALIDATION_ERROR"},
			"longer than a token may be": {scopes(200, 40), "VALIDATION_ERROR"},
			"one without end":            {scopes(1, 100_000), "VALIDATION_ERROR"},
			"with a space":               {[]string{"a b"}, "VALIDATION_ERROR"},
			"empty":                      {[]string{""}, "VALIDATION_ERROR"},
		} {
			answer := app.Asks(other, P{"scopes": c.asked})
			if answer.Code() != c.want {
				t.Errorf("scopes %s: %d %.300s, want %s", name, answer.Status, answer.Body, c.want)
				continue
			}
			if c.want == "OK" {
				token := answer.Text("access_token")
				if len(token) > 8<<10 || one.Introspected(token) != "active" {
					t.Errorf("a token of %d bytes is %s", len(token), one.Introspected(token))
				}
				one.Bearing(token, "AUTH.WHOAMI", nil).OK()
			}
		}
		app.Asks(other, P{"audience": strings.Repeat("a", 513)}).Fails("VALIDATION_ERROR")
		for _, length := range []int{0, 16_385, 200_000} {
			other.Do(instance.Call{Command: "M2M.INTROSPECT", Params: P{"token": strings.Repeat("a", length)}}).Fails("VALIDATION_ERROR")
		}
		if got := other.Introspected(strings.Repeat("a.", 8000)); got != "token_invalid" {
			t.Errorf("a token of dots is %s", got)
		}
	})
}

func TestSlugsMeetAndComeBack(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		one, other := s.First(), s.Last()
		admin, ada := one.Admin(), one.SignUp()
		one.Wide(admin)
		for round := range 5 {
			slug := fmt.Sprintf("wanted-%d", round)
			answers := instance.Together(16, func(i int) *instance.Reply {
				return s.Any(i).As([]instance.Person{admin, ada}[i/2%2], "APP.REGISTER", P{"name": "Wanted", "slug": slug})
			})
			if got := instance.Codes(answers); got["OK"] != 1 || got["VALIDATION_ERROR"] != 15 {
				t.Errorf("16 apps of one slug at once = %v, want one", got)
			}
		}

		old := one.Machine(admin, "apps:read")
		signer := one.Holder()
		keys := P{"jwks": P{"keys": []P{signer.JWK()}}}
		one.Change(admin, old, "APP.SET_JWKS", keys)
		used := old.Assertion(signer, nil)
		token := old.Asserts(other, used).Text("access_token")
		other.Bearing(token, "APP.LIST", nil).OK()
		if got := one.Change(admin, old, "APP.DELETE", nil).Number("tokens_revoked"); got != 1 {
			t.Errorf("%d tokens ended with the app, want 1", got)
		}
		old.Asks(other, nil).Fails("AUTH_ERROR")
		other.As(ada, "APP.REGISTER", P{"name": "Taken over", "slug": old.Slug}).Fails("VALIDATION_ERROR")
		next := other.Register(admin, old.Slug, "apps:read")
		other.Change(admin, next, "APP.SET_JWKS", keys)
		for i := range 2 {
			s.Any(i).Bearing(token, "APP.LIST", nil).Fails("AUTH_ERROR")
			if got := s.Any(i).Introspected(token); got != "token_revoked" {
				t.Errorf("the token of the app that is gone is %s", got)
			}
			old.Asks(s.Any(i), nil).Fails("AUTH_ERROR")
			next.Asserts(s.Any(i), used).Fails("AUTH_ERROR") // it was used, whichever app has the slug now
			s.Any(i).As(admin, "APP.GET", P{"app_id": old.ID}).Fails("NOT_FOUND")
			if got := instance.ClaimsOf(t, next.Token(s.Any(i)))["org_id"]; got != admin.Org {
				t.Errorf("the new app acts in %v, want %s", got, admin.Org)
			}
		}
	})
}

// A client counts as one, whichever replica it asks and whatever token it holds.
func TestLimitsOfClients(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		one, other := s.First(), s.Last()
		admin := one.Admin()
		one.As(admin, "RATE_LIMIT.SET", P{"command": "M2M.TOKEN", "limit": 10, "window_seconds": 60, "key": "token"}).OK()
		one.As(admin, "RATE_LIMIT.SET", P{"command": "AUTH.WHOAMI", "limit": 5, "window_seconds": 60, "key": "token"}).OK()
		app, spared := one.Machine(admin), one.Machine(admin)
		answers := instance.Together(40, func(i int) *instance.Reply { return app.Asks(s.Any(i), nil) })
		if got := instance.Codes(answers); got["OK"] != 10 || got["RATE_LIMITED"] != 30 {
			t.Errorf("40 tokens at once, of 10 allowed = %v", got)
		}
		var tokens []string
		for _, answer := range answers {
			if answer.Code() == "OK" {
				tokens = append(tokens, answer.Text("access_token"))
			}
		}
		answers = instance.Together(20, func(i int) *instance.Reply { return s.Any(i).Bearing(tokens[i%len(tokens)], "AUTH.WHOAMI", nil) })
		if got := instance.Codes(answers); got["OK"] != 5 || got["RATE_LIMITED"] != 15 {
			t.Errorf("20 calls with ten tokens of one app, of 5 allowed = %v", got)
		}
		other.Bearing(spared.Token(one), "AUTH.WHOAMI", nil).OK()
	})
}
