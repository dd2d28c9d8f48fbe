package e2e_test

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// endings of machines are felt by the very next request at the other replica, which
// used and introspected the token just before.
func machineEndings() map[string]func(r *replica, admin person, m machine, token string) {
	change := func(command string, more P) func(*replica, person, machine, string) {
		return func(r *replica, admin person, m machine, _ string) { r.change(admin, m, command, more) }
	}
	return map[string]func(r *replica, admin person, m machine, token string){
		"M2M.REVOKE": func(r *replica, admin person, _ machine, token string) {
			r.as(admin, "M2M.REVOKE", P{"jti": claimsOf(r.t, token)["jti"]}).ok()
		},
		"M2M.BULK_REVOKE": change("M2M.BULK_REVOKE", nil),
		"APP.UPDATE":      change("APP.UPDATE", P{"enabled": false}),
		"APP.DELETE":      change("APP.DELETE", nil),
	}
}

func TestEndsOfMachineTokensAreFeltAtOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		admin := s.first().admin()
		s.first().wide(admin)
		for name, end := range machineEndings() {
			for round := range 6 {
				one, other := s.any(round), s.any(round+1)
				app := one.machine(admin, "apps:read")
				token := app.token(one)
				other.bearing(token, "APP.LIST", nil).ok()
				if got := other.introspected(token); got != "active" {
					t.Fatalf("%s: a good token is %s", name, got)
				}
				end(one, admin, app, token)
				if got := other.introspected(token); got != "token_revoked" {
					t.Errorf("%s: the token is %s on the other replica", name, got)
				}
				other.bearing(token, "APP.LIST", nil).fails("AUTH_ERROR")
				one.bearing(token, "AUTH.WHOAMI", nil).fails("AUTH_ERROR")
				if name == "APP.UPDATE" {
					app.asks(other, nil).fails("AUTH_ERROR")
					other.change(admin, app, "APP.UPDATE", P{"enabled": true})
					one.bearing(token, "APP.LIST", nil).fails("AUTH_ERROR")
					one.bearing(app.token(other), "APP.LIST", nil).ok()
				}
				if name == "M2M.BULK_REVOKE" {
					one.bearing(app.token(other), "APP.LIST", nil).ok()
				}
			}
		}
	})
}

func TestRevokedScopesAreMissedAtOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		admin := s.first().admin()
		s.first().wide(admin)
		for round := range 6 {
			one, other := s.any(round), s.any(round+1)
			app := one.machine(admin, "api_keys:verify", "apps:read", "urn:x/read")
			token := app.token(one)
			scope := func(r *replica) string {
				return r.do(call{command: "M2M.INTROSPECT", params: P{"token": token}}).text("scope")
			}
			other.bearing(token, "APP.LIST", nil).ok()
			if got := scope(other); got != "api_keys:verify apps:read urn:x/read" {
				t.Fatalf("a token carries %q", got)
			}
			one.change(admin, app, "APP.SCOPE_REVOKE", P{"scopes": []string{"apps:read", "urn:x/read"}})
			other.bearing(token, "APP.LIST", nil).fails("PERMISSION_DENIED")
			if got := scope(other); got != "api_keys:verify" {
				t.Errorf("after SCOPE_REVOKE the token carries %q", got)
			}
			other.bearing(token, "API_KEY.VERIFY", P{"key": "nothing"}).ok()
			app.asks(other, P{"scopes": []string{"apps:read"}}).fails("VALIDATION_ERROR")
			other.change(admin, app, "APP.SCOPE_GRANT", P{"scopes": []string{"apps:read"}})
			one.bearing(token, "APP.LIST", nil).ok()
		}
	})
}

func TestEndsOfClientCredentialsAreFeltAtOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		admin := s.first().admin()
		s.first().wide(admin)
		for round := range 4 {
			one, other := s.any(round), s.any(round+1)
			app, holder, next := one.machine(admin), one.holder(), one.holder()
			app.asks(other, nil).ok()
			rotated := machine{slug: app.slug, secret: one.change(admin, app, "APP.ROTATE_KEY", nil).text("api_key")}
			app.asks(other, nil).fails("AUTH_ERROR")
			rotated.asks(other, nil).ok()
			last := machine{slug: app.slug, secret: one.change(admin, app, "APP.ROTATE_KEY", P{"overlap_hours": 1}).text("api_key")}
			rotated.asks(other, nil).ok()
			secrets, _ := one.change(admin, app, "APP.GET", nil).value("secrets").([]any)
			if len(secrets) != 2 {
				t.Fatalf("%d secrets are good, want 2", len(secrets))
			}
			for _, secret := range secrets {
				if hint := secret.(P); strings.HasPrefix(rotated.secret, hint["prefix"].(string)) {
					one.change(admin, app, "APP.SECRET_REVOKE", P{"secret_id": hint["secret_id"]})
				}
			}
			rotated.asks(other, nil).fails("AUTH_ERROR")
			last.asks(other, nil).ok()

			one.change(admin, app, "APP.SET_JWKS", P{"jwks": P{"keys": []P{holder.JWK()}}})
			app.asserts(other, app.assertion(holder, nil)).ok()
			one.change(admin, app, "APP.SET_JWKS", P{"jwks": P{"keys": []P{next.JWK()}}})
			app.asserts(other, app.assertion(holder, nil)).fails("AUTH_ERROR")
			app.asserts(other, app.assertion(next, nil)).ok()

			self := last.token(one)
			binding := one.bearing(self, "DPOP.REGISTER", P{"public_jwk": holder.JWK()}).text("binding.id")
			bound := last.asks(other, P{"dpop_binding": binding}).text("access_token")
			one.bearing(self, "DPOP.REVOKE", P{"binding_id": binding}).ok()
			last.asks(other, P{"dpop_binding": binding}).fails("VALIDATION_ERROR")
			other.bearing(bound, "AUTH.WHOAMI", nil).fails("TOKEN_INVALID")
			other.proving(bound, holder.Proof("POST", here, bound), "AUTH.WHOAMI").ok() // it keeps its key
		}
	})
}

// keyEnding ends a key of ada, or what it may do.
type keyEnding struct {
	end func(r *replica, ada, admin person, id, text string) *reply
	// want is what the next call by the key is answered with.
	want string
}

func keyEndings() map[string]keyEnding {
	return map[string]keyEnding{
		"API_KEY.REVOKE": {func(r *replica, ada, _ person, id, _ string) *reply {
			return r.as(ada, "API_KEY.REVOKE", P{"key_id": id})
		}, "AUTH_ERROR"},
		"API_KEY.ROTATE": {func(r *replica, ada, _ person, id, _ string) *reply {
			return r.as(ada, "API_KEY.ROTATE", P{"key_id": id})
		}, "AUTH_ERROR"},
		"API_KEY.BULK_REVOKE": {func(r *replica, ada, _ person, _, _ string) *reply {
			return r.as(ada, "API_KEY.BULK_REVOKE", P{"user_id": ada.id})
		}, "AUTH_ERROR"},
		"API_KEY.REPORT_LEAK": {func(r *replica, _, _ person, _, text string) *reply {
			return r.do(call{command: "API_KEY.REPORT_LEAK", params: P{"keys": []string{text}}})
		}, "AUTH_ERROR"},
		"API_KEY.UPDATE": {func(r *replica, ada, _ person, id, _ string) *reply {
			return r.as(ada, "API_KEY.UPDATE", P{"key_id": id, "scopes": []string{"api_keys:read"}})
		}, "PERMISSION_DENIED"},
		"allowed_ips": {func(r *replica, ada, _ person, id, _ string) *reply {
			return r.as(ada, "API_KEY.UPDATE", P{"key_id": id, "allowed_ips": []string{"192.0.2.0/24"}})
		}, "AUTH_ERROR"},
		"USER.DISABLE": {func(r *replica, ada, admin person, _, _ string) *reply {
			return r.as(admin, "USER.DISABLE", P{"user_id": ada.id, "reason": "a test"})
		}, "AUTH_ERROR"},
		"USER.DELETE": {func(r *replica, ada, _ person, _, _ string) *reply {
			return r.as(ada, "USER.DELETE", P{"password": ada.password})
		}, "AUTH_ERROR"},
	}
}

func TestEndsOfKeysAreFeltAtOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		admin := s.first().admin()
		s.first().wide(admin)
		for name, e := range keyEndings() {
			for round := range 4 {
				one, other := s.any(round), s.any(round+1)
				ada := one.signUp()
				made := one.as(ada, "API_KEY.CREATE", P{"name": "A key", "scopes": []string{"apps:read", "api_keys:read"}})
				id, key := made.text("api_key.id"), made.text("key")
				server := one.machine(ada, "api_keys:verify")
				token := server.token(one)
				verify := func() *reply {
					return other.bearing(token, "API_KEY.VERIFY", P{"key": key, "scopes": []string{"apps:read"}})
				}
				other.bearing(key, "APP.LIST", nil).ok()
				if answer := verify(); answer.value("valid") != true {
					t.Fatalf("%s: a good key is verified as %s", name, answer.body)
				}
				if answer := e.end(one, ada, admin, id, key); answer.code() != "OK" {
					t.Fatalf("%s = %v %d %s", name, answer.err, answer.status, answer.body)
				}
				other.bearing(key, "APP.LIST", nil).fails(e.want)
				switch answer := verify(); {
				case name == "USER.DELETE", name == "USER.DISABLE": // the apps of the workspace end with its owner
					answer.fails("AUTH_ERROR")
					if got := other.introspected(token); got != "token_revoked" {
						t.Errorf("%s: the token of an app of the workspace is %s", name, got)
					}
				case name == "allowed_ips": // the resource server judges from where
				case e.want == "AUTH_ERROR" && answer.ok().value("valid") != false:
					t.Errorf("%s: the key is verified as %s", name, answer.body)
				case e.want == "PERMISSION_DENIED" && len(answer.ok().value("missing_scopes").([]any)) != 1:
					t.Errorf("%s: the key is verified as %s", name, answer.body)
				}
			}
		}
	})
}

// TestNothingSurvivesTheEndOfAnApp ends an app while both replicas issue its tokens:
// none of them is good after it.
func TestNothingSurvivesTheEndOfAnApp(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		admin := s.first().admin()
		s.first().wide(admin)
		for _, e := range []appEnding{
			{"APP.DELETE", nil, "AUTH_ERROR"},
			{"APP.UPDATE", P{"enabled": false}, "AUTH_ERROR"},
			{"APP.SCOPE_REVOKE", P{"scopes": []string{"apps:read"}}, "PERMISSION_DENIED"},
			{"M2M.BULK_REVOKE", nil, "AUTH_ERROR"},
		} {
			for round := range rounds {
				for i, token := range s.issuedAround(admin, e, round) {
					s.any(i).bearing(token, "APP.LIST", nil).fails(e.want)
					if got := s.any(i + 1).introspected(token); (got == "active") != (e.want == "PERMISSION_DENIED") {
						t.Errorf("after %s a token is %s", e.command, got)
					}
				}
			}
		}
	})
}

// appEnding is a change after which no token of an app may do what it could.
type appEnding struct {
	command string
	params  P
	want    string
}

// issuedAround makes the change while tokens are issued, and returns those: of a change
// that does not concern later ones, those that were there when it was asked for.
func (s *site) issuedAround(admin person, e appEnding, round int) []string {
	s.t.Helper()
	app := s.any(round).machine(admin, "apps:read")
	const chains = 4
	tokens := make([][]string, chains)
	var begun atomic.Bool
	together(chains+1, func(i int) *reply {
		if i == chains {
			<-time.After(time.Duration(round) * 700 * time.Microsecond)
			begun.Store(true)
			changed := s.any(round).as(admin, e.command, with(P{"app_id": app.id}, e.params))
			expect(s.t, changed)
			return changed
		}
		var answer *reply
		for range 4 {
			answer = app.asks(s.any(i), nil)
			text, is := answer.value("access_token").(string)
			if is && (e.command != "M2M.BULK_REVOKE" || !begun.Load()) {
				tokens[i] = append(tokens[i], text)
			}
		}
		return answer
	})
	return slices.Concat(tokens...)
}

// TestKeysFollowTheRightsOfTheirUser demotes somebody whose key may do what only
// superadmins give.
func TestKeysFollowTheRightsOfTheirUser(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		admin := s.first().admin()
		for round := range 4 {
			one, other := s.any(round), s.any(round+1)
			ada := one.signUp()
			promote := func(to bool) {
				one.as(admin, "USER.SET_SUPERADMIN", P{"user_id": ada.id, "is_superadmin": to}).ok()
			}
			promote(true)
			key := other.as(ada, "API_KEY.CREATE", P{"name": "A key", "scopes": []string{"sessions:manage", "apps:read"}}).text("key")
			other.bearing(key, "SESSION.SEARCH", nil).ok()
			promote(false)
			other.bearing(key, "SESSION.SEARCH", nil).fails("PERMISSION_DENIED")
			other.bearing(key, "APP.LIST", nil).ok()
			promote(true)
			other.bearing(key, "SESSION.SEARCH", nil).ok()
		}
	})
}
