package e2e_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse.internal/adapters/system"
	"gatehouse.internal/test/harness"
)

// here is where commands are called, as clients see it.
const here = issuer + "/api/v1/execute"

const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

var machines atomic.Uint32

// machine registers an app under a slug that no other has.
func (r *replica) machine(by person, scopes ...string) machine {
	r.t.Helper()
	return r.register(by, fmt.Sprintf("machine-%d", machines.Add(1)), append([]string{}, scopes...)...)
}

// asks asks for a token by the secret.
func (m machine) asks(r *replica, more P) *reply {
	r.t.Helper()
	return r.do(call{command: "M2M.TOKEN", params: with(P{"client_id": m.slug, "client_secret": m.secret}, more)})
}

// token is a fresh token.
func (m machine) token(r *replica) string {
	r.t.Helper()
	return m.asks(r, nil).text("access_token")
}

// asserts asks for a token by an assertion.
func (m machine) asserts(r *replica, assertion string) *reply {
	r.t.Helper()
	return r.do(call{command: "M2M.TOKEN", params: P{"client_id": m.slug, "client_assertion": assertion, "client_assertion_type": assertionType}})
}

// assertion is what a client signs to say who it is (RFC 7523 section 3).
func (m machine) assertion(by *harness.Holder, changes P) string {
	now := time.Now().Unix()
	return by.Sign(P{"alg": "ES256", "typ": "JWT"}, with(P{
		"iss": m.slug, "sub": m.slug, "aud": issuer, "jti": fmt.Sprint("assertion", machines.Add(1)), "iat": now, "exp": now + 300,
	}, changes))
}

// change calls a command of the family APP about the app.
func (r *replica) change(by person, m machine, command string, more P) *reply {
	r.t.Helper()
	return r.as(by, command, with(P{"app_id": m.id}, more)).ok()
}

// holder is a client with a key of its own.
func (r *replica) holder() *harness.Holder {
	r.t.Helper()
	return harness.NewHolder(r.t, system.Clock{})
}

// bearing calls a command with a bearer token.
func (r *replica) bearing(token, command string, params P) *reply {
	r.t.Helper()
	return r.do(call{command: command, params: params, token: token})
}

// sending calls a command with these headers, as Name=value.
func (r *replica) sending(command string, params P, headers ...string) *reply {
	r.t.Helper()
	header := jsonHeader()
	for _, one := range headers {
		name, value, _ := strings.Cut(one, "=")
		header.Add(name, value)
	}
	r.secrets.note(params)
	body := P{"command": command}
	if params != nil {
		body["params"] = params
	}
	return r.post(jsonOf(r.t, body), header)
}

// proving calls a command with a token that is bound to a key.
func (r *replica) proving(token, proof, command string) *reply {
	r.t.Helper()
	return r.sending(command, nil, "Authorization=DPoP "+token, "DPoP="+proof)
}

// introspected is "active", or why a token is not.
func (r *replica) introspected(token string) string {
	r.t.Helper()
	answer := r.do(call{command: "M2M.INTROSPECT", params: P{"token": token}}).ok()
	if answer.value("active") == true {
		return "active"
	}
	return answer.text("error")
}

// wide lifts the limits that a test which calls much would meet.
func (r *replica) wide(admin person) {
	r.t.Helper()
	for _, command := range []string{"*", "M2M.TOKEN"} {
		r.as(admin, "RATE_LIMIT.SET", P{"command": command, "limit": 100_000, "window_seconds": 60, "key": "token"}).ok()
	}
}

func TestWrongClients(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		one, other := s.first(), s.last()
		admin := one.admin()
		app, second, keyless := one.machine(admin, "apps:read"), one.machine(admin), one.machine(admin)
		public := one.as(admin, "APP.REGISTER", P{"name": "Page", "slug": "page", "type": "spa"}).text("app.slug")
		off := one.machine(admin)
		one.change(admin, off, "APP.UPDATE", P{"enabled": false})
		signer := one.holder()
		one.change(admin, app, "APP.SET_JWKS", P{"jwks": P{"keys": []P{signer.JWK()}}})
		messages := map[string]bool{}
		for name, answer := range map[string]*reply{
			"unknown client":            machine{slug: "nobody", secret: app.secret}.asks(other, nil),
			"another's secret":          machine{slug: second.slug, secret: app.secret}.asks(other, nil),
			"a secret with a fault":     machine{slug: app.slug, secret: app.secret[:40] + "AAAAAAAAAAAAAA"}.asks(other, nil),
			"a public client":           machine{slug: public, secret: app.secret}.asks(other, nil),
			"a disabled app":            off.asks(other, nil),
			"another's assertion":       second.asserts(other, app.assertion(signer, nil)),
			"an assertion without keys": keyless.asserts(other, keyless.assertion(signer, nil)),
			"by a foreign key":          app.asserts(other, app.assertion(one.holder(), nil)),
			"for somebody else":         app.asserts(other, app.assertion(signer, P{"aud": "https://elsewhere.example.com"})),
			"expired":                   app.asserts(other, app.assertion(signer, P{"exp": time.Now().Unix() - 1})),
			"for too long":              app.asserts(other, app.assertion(signer, P{"exp": time.Now().Unix() + 700})),
			"without a jti":             app.asserts(other, app.assertion(signer, P{"jti": nil})),
		} {
			if answer.code() != "AUTH_ERROR" || !strings.HasPrefix(answer.envelope.Error.Message, "invalid_client: ") {
				t.Errorf("%s: %v %d %s", name, answer.err, answer.status, answer.body)
				continue
			}
			messages[answer.envelope.Error.Message] = true
		}
		if len(messages) != 1 {
			t.Errorf("the refusals tell clients apart: %v", messages)
		}
		for _, ttl := range []any{0, 59, 86_401, -1, 1e12, 90.5, "90"} {
			if answer := app.asks(other, P{"ttl_seconds": ttl}); answer.code() != "VALIDATION_ERROR" && ttl != 0 {
				t.Errorf("ttl_seconds %v: %d %s", ttl, answer.status, answer.body)
			}
		}
		for _, ttl := range []int{60, 86_400} {
			if got := app.asks(other, P{"ttl_seconds": ttl}).number("expires_in"); got != ttl {
				t.Errorf("ttl_seconds %d gives %d", ttl, got)
			}
		}
		app.asks(other, P{"scopes": []string{"apps:read", "apps:write"}}).fails("VALIDATION_ERROR")
		app.asserts(other, app.assertion(signer, nil)).ok()
	})
}

func TestHugeTokensAndScopes(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		one, other := s.first(), s.last()
		admin := one.admin()
		free := one.as(admin, "APP.REGISTER", P{"name": "Free", "slug": "free"})
		app := machine{id: free.text("app.id"), slug: "free", secret: free.text("api_key")}
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
			answer := app.asks(other, P{"scopes": c.asked})
			if answer.code() != c.want {
				t.Errorf("scopes %s: %d %.300s, want %s", name, answer.status, answer.body, c.want)
				continue
			}
			if c.want == "OK" {
				token := answer.text("access_token")
				if len(token) > 8<<10 || one.introspected(token) != "active" {
					t.Errorf("a token of %d bytes is %s", len(token), one.introspected(token))
				}
				one.bearing(token, "AUTH.WHOAMI", nil).ok()
			}
		}
		app.asks(other, P{"audience": strings.Repeat("a", 513)}).fails("VALIDATION_ERROR")
		for _, length := range []int{0, 16_385, 200_000} {
			other.do(call{command: "M2M.INTROSPECT", params: P{"token": strings.Repeat("a", length)}}).fails("VALIDATION_ERROR")
		}
		if got := other.introspected(strings.Repeat("a.", 8000)); got != "token_invalid" {
			t.Errorf("a token of dots is %s", got)
		}
	})
}

func TestSlugsMeetAndComeBack(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		one, other := s.first(), s.last()
		admin, ada := one.admin(), one.signUp()
		one.wide(admin)
		for round := range 5 {
			slug := fmt.Sprintf("wanted-%d", round)
			answers := together(16, func(i int) *reply {
				return s.any(i).as([]person{admin, ada}[i/2%2], "APP.REGISTER", P{"name": "Wanted", "slug": slug})
			})
			if got := codes(answers); got["OK"] != 1 || got["VALIDATION_ERROR"] != 15 {
				t.Errorf("16 apps of one slug at once = %v, want one", got)
			}
		}

		old := one.machine(admin, "apps:read")
		signer := one.holder()
		keys := P{"jwks": P{"keys": []P{signer.JWK()}}}
		one.change(admin, old, "APP.SET_JWKS", keys)
		used := old.assertion(signer, nil)
		token := old.asserts(other, used).text("access_token")
		other.bearing(token, "APP.LIST", nil).ok()
		if got := one.change(admin, old, "APP.DELETE", nil).number("tokens_revoked"); got != 1 {
			t.Errorf("%d tokens ended with the app, want 1", got)
		}
		old.asks(other, nil).fails("AUTH_ERROR")
		other.as(ada, "APP.REGISTER", P{"name": "Taken over", "slug": old.slug}).fails("VALIDATION_ERROR")
		next := other.register(admin, old.slug, "apps:read")
		other.change(admin, next, "APP.SET_JWKS", keys)
		for i := range 2 {
			s.any(i).bearing(token, "APP.LIST", nil).fails("AUTH_ERROR")
			if got := s.any(i).introspected(token); got != "token_revoked" {
				t.Errorf("the token of the app that is gone is %s", got)
			}
			old.asks(s.any(i), nil).fails("AUTH_ERROR")
			next.asserts(s.any(i), used).fails("AUTH_ERROR") // it was used, whichever app has the slug now
			s.any(i).as(admin, "APP.GET", P{"app_id": old.id}).fails("NOT_FOUND")
			if got := claimsOf(t, next.token(s.any(i)))["org_id"]; got != admin.org {
				t.Errorf("the new app acts in %v, want %s", got, admin.org)
			}
		}
	})
}

// A client counts as one, whichever replica it asks and whatever token it holds.
func TestLimitsOfClients(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		one, other := s.first(), s.last()
		admin := one.admin()
		one.as(admin, "RATE_LIMIT.SET", P{"command": "M2M.TOKEN", "limit": 10, "window_seconds": 60, "key": "token"}).ok()
		one.as(admin, "RATE_LIMIT.SET", P{"command": "AUTH.WHOAMI", "limit": 5, "window_seconds": 60, "key": "token"}).ok()
		app, spared := one.machine(admin), one.machine(admin)
		answers := together(40, func(i int) *reply { return app.asks(s.any(i), nil) })
		if got := codes(answers); got["OK"] != 10 || got["RATE_LIMITED"] != 30 {
			t.Errorf("40 tokens at once, of 10 allowed = %v", got)
		}
		var tokens []string
		for _, answer := range answers {
			if answer.code() == "OK" {
				tokens = append(tokens, answer.text("access_token"))
			}
		}
		answers = together(20, func(i int) *reply { return s.any(i).bearing(tokens[i%len(tokens)], "AUTH.WHOAMI", nil) })
		if got := codes(answers); got["OK"] != 5 || got["RATE_LIMITED"] != 15 {
			t.Errorf("20 calls with ten tokens of one app, of 5 allowed = %v", got)
		}
		other.bearing(spared.token(one), "AUTH.WHOAMI", nil).ok()
	})
}
