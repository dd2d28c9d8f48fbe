package oauth_test

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse.internal/test/e2e/instance"
)

// endings of machines are felt by the very next request at the other replica, which
// used and introspected the token just before.
func machineEndings() map[string]func(r *instance.Replica, admin instance.Person, m instance.Machine, token string) {
	change := func(command string, more P) func(*instance.Replica, instance.Person, instance.Machine, string) {
		return func(r *instance.Replica, admin instance.Person, m instance.Machine, _ string) {
			r.Change(admin, m, command, more)
		}
	}
	return map[string]func(r *instance.Replica, admin instance.Person, m instance.Machine, token string){
		"M2M.REVOKE": func(r *instance.Replica, admin instance.Person, _ instance.Machine, token string) {
			r.As(admin, "M2M.REVOKE", P{"jti": instance.ClaimsOf(r.T, token)["jti"]}).OK()
		},
		"M2M.BULK_REVOKE": change("M2M.BULK_REVOKE", nil),
		"APP.UPDATE":      change("APP.UPDATE", P{"enabled": false}),
		"APP.DELETE":      change("APP.DELETE", nil),
	}
}

func TestMachineTokenRevocationTakesEffectAtOnce(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		admin := s.First().Admin()
		s.First().Wide(admin)
		for name, end := range machineEndings() {
			for round := range 6 {
				one, other := s.Any(round), s.Any(round+1)
				app := one.Machine(admin, "apps:read")
				token := app.Token(one)
				other.Bearing(token, "APP.LIST", nil).OK()
				if got := other.Introspected(token); got != "active" {
					t.Fatalf("%s: a good token is %s", name, got)
				}
				end(one, admin, app, token)
				if got := other.Introspected(token); got != "token_revoked" {
					t.Errorf("%s: the token is %s on the other replica", name, got)
				}
				other.Bearing(token, "APP.LIST", nil).Fails("AUTH_ERROR")
				one.Bearing(token, "AUTH.WHOAMI", nil).Fails("AUTH_ERROR")
				if name == "APP.UPDATE" {
					app.Asks(other, nil).Fails("AUTH_ERROR")
					other.Change(admin, app, "APP.UPDATE", P{"enabled": true})
					one.Bearing(token, "APP.LIST", nil).Fails("AUTH_ERROR")
					one.Bearing(app.Token(other), "APP.LIST", nil).OK()
				}
				if name == "M2M.BULK_REVOKE" {
					one.Bearing(app.Token(other), "APP.LIST", nil).OK()
				}
			}
		}
	})
}

func TestRevokedScopesAreMissedAtOnce(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		admin := s.First().Admin()
		s.First().Wide(admin)
		for round := range 6 {
			one, other := s.Any(round), s.Any(round+1)
			app := one.Machine(admin, "api_keys:verify", "apps:read", "urn:x/read")
			token := app.Token(one)
			scope := func(r *instance.Replica) string {
				return r.Do(instance.Call{Command: "M2M.INTROSPECT", Params: P{"token": token}}).Text("scope")
			}
			other.Bearing(token, "APP.LIST", nil).OK()
			if got := scope(other); got != "api_keys:verify apps:read urn:x/read" {
				t.Fatalf("a token carries %q", got)
			}
			one.Change(admin, app, "APP.SCOPE_REVOKE", P{"scopes": []string{"apps:read", "urn:x/read"}})
			other.Bearing(token, "APP.LIST", nil).Fails("PERMISSION_DENIED")
			if got := scope(other); got != "api_keys:verify" {
				t.Errorf("after SCOPE_REVOKE the token carries %q", got)
			}
			other.Bearing(token, "API_KEY.VERIFY", P{"key": "nothing"}).OK()
			app.Asks(other, P{"scopes": []string{"apps:read"}}).Fails("VALIDATION_ERROR")
			other.Change(admin, app, "APP.SCOPE_GRANT", P{"scopes": []string{"apps:read"}})
			one.Bearing(token, "APP.LIST", nil).OK()
		}
	})
}

func TestClientCredentialRevocationTakesEffectAtOnce(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		admin := s.First().Admin()
		s.First().Wide(admin)
		for round := range 4 {
			one, other := s.Any(round), s.Any(round+1)
			app, holder, next := one.Machine(admin), one.Holder(), one.Holder()
			app.Asks(other, nil).OK()
			rotated := instance.Machine{Slug: app.Slug, Secret: one.Change(admin, app, "APP.ROTATE_KEY", nil).Text("api_key")}
			app.Asks(other, nil).Fails("AUTH_ERROR")
			rotated.Asks(other, nil).OK()
			last := instance.Machine{Slug: app.Slug, Secret: one.Change(admin, app, "APP.ROTATE_KEY", P{"overlap_hours": 1}).Text("api_key")}
			rotated.Asks(other, nil).OK()
			secrets, _ := one.Change(admin, app, "APP.GET", nil).Value("secrets").([]any)
			if len(secrets) != 2 {
				t.Fatalf("%d secrets are good, want 2", len(secrets))
			}
			for _, secret := range secrets {
				if hint := secret.(P); strings.HasPrefix(rotated.Secret, hint["prefix"].(string)) {
					one.Change(admin, app, "APP.SECRET_REVOKE", P{"secret_id": hint["secret_id"]})
				}
			}
			rotated.Asks(other, nil).Fails("AUTH_ERROR")
			last.Asks(other, nil).OK()

			one.Change(admin, app, "APP.SET_JWKS", P{"jwks": P{"keys": []P{holder.JWK()}}})
			app.Asserts(other, app.Assertion(holder, nil)).OK()
			one.Change(admin, app, "APP.SET_JWKS", P{"jwks": P{"keys": []P{next.JWK()}}})
			app.Asserts(other, app.Assertion(holder, nil)).Fails("AUTH_ERROR")
			app.Asserts(other, app.Assertion(next, nil)).OK()

			self := last.Token(one)
			binding := one.Bearing(self, "DPOP.REGISTER", P{"public_jwk": holder.JWK()}).Text("binding.id")
			bound := last.Asks(other, P{"dpop_binding": binding}).Text("access_token")
			one.Bearing(self, "DPOP.REVOKE", P{"binding_id": binding}).OK()
			last.Asks(other, P{"dpop_binding": binding}).Fails("VALIDATION_ERROR")
			other.Bearing(bound, "AUTH.WHOAMI", nil).Fails("TOKEN_INVALID")
			other.Proving(bound, holder.Proof("POST", instance.Endpoint, bound), "AUTH.WHOAMI").OK() // it keeps its key
		}
	})
}

// keyEnding ends a key of ada, or what it may do.
type keyEnding struct {
	end func(r *instance.Replica, ada, admin instance.Person, id, text string) *instance.Reply
	// want is what the next call by the key is answered with.
	want string
}

func keyEndings() map[string]keyEnding {
	return map[string]keyEnding{
		"API_KEY.REVOKE": {func(r *instance.Replica, ada, _ instance.Person, id, _ string) *instance.Reply {
			return r.As(ada, "API_KEY.REVOKE", P{"key_id": id})
		}, "AUTH_ERROR"},
		"API_KEY.ROTATE": {func(r *instance.Replica, ada, _ instance.Person, id, _ string) *instance.Reply {
			return r.As(ada, "API_KEY.ROTATE", P{"key_id": id})
		}, "AUTH_ERROR"},
		"API_KEY.BULK_REVOKE": {func(r *instance.Replica, ada, _ instance.Person, _, _ string) *instance.Reply {
			return r.As(ada, "API_KEY.BULK_REVOKE", P{"user_id": ada.ID})
		}, "AUTH_ERROR"},
		"API_KEY.REPORT_LEAK": {func(r *instance.Replica, _, _ instance.Person, _, text string) *instance.Reply {
			return r.Do(instance.Call{Command: "API_KEY.REPORT_LEAK", Params: P{"keys": []string{text}}})
		}, "AUTH_ERROR"},
		"API_KEY.UPDATE": {func(r *instance.Replica, ada, _ instance.Person, id, _ string) *instance.Reply {
			return r.As(ada, "API_KEY.UPDATE", P{"key_id": id, "scopes": []string{"api_keys:read"}})
		}, "PERMISSION_DENIED"},
		"allowed_ips": {func(r *instance.Replica, ada, _ instance.Person, id, _ string) *instance.Reply {
			return r.As(ada, "API_KEY.UPDATE", P{"key_id": id, "allowed_ips": []string{"192.0.2.0/24"}})
		}, "AUTH_ERROR"},
		"USER.DISABLE": {func(r *instance.Replica, ada, admin instance.Person, _, _ string) *instance.Reply {
			return r.As(admin, "USER.DISABLE", P{"user_id": ada.ID, "reason": "a test"})
		}, "AUTH_ERROR"},
		"USER.DELETE": {func(r *instance.Replica, ada, _ instance.Person, _, _ string) *instance.Reply {
			return r.As(ada, "USER.DELETE", P{"password": ada.Password})
		}, "AUTH_ERROR"},
	}
}

func TestKeyRevocationTakesEffectAtOnce(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		admin := s.First().Admin()
		s.First().Wide(admin)
		for name, e := range keyEndings() {
			for round := range 4 {
				one, other := s.Any(round), s.Any(round+1)
				ada := one.SignUp()
				made := one.As(ada, "API_KEY.CREATE", P{"name": "A key", "scopes": []string{"apps:read", "api_keys:read"}})
				id, key := made.Text("api_key.id"), made.Text("key")
				server := one.Machine(ada, "api_keys:verify")
				token := server.Token(one)
				verify := func() *instance.Reply {
					return other.Bearing(token, "API_KEY.VERIFY", P{"key": key, "scopes": []string{"apps:read"}})
				}
				other.Bearing(key, "APP.LIST", nil).OK()
				if answer := verify(); answer.Value("valid") != true {
					t.Fatalf("%s: a good key is verified as %s", name, answer.Body)
				}
				if answer := e.end(one, ada, admin, id, key); answer.Code() != "OK" {
					t.Fatalf("%s = %v %d %s", name, answer.Err, answer.Status, answer.Body)
				}
				other.Bearing(key, "APP.LIST", nil).Fails(e.want)
				switch answer := verify(); {
				case name == "USER.DELETE", name == "USER.DISABLE": // the apps of the workspace end with its owner
					answer.Fails("AUTH_ERROR")
					if got := other.Introspected(token); got != "token_revoked" {
						t.Errorf("%s: the token of an app of the workspace is %s", name, got)
					}
				case name == "allowed_ips": // the resource server judges from where
				case e.want == "AUTH_ERROR" && answer.OK().Value("valid") != false:
					t.Errorf("%s: the key is verified as %s", name, answer.Body)
				case e.want == "PERMISSION_DENIED" && len(answer.OK().Value("missing_scopes").([]any)) != 1:
					t.Errorf("%s: the key is verified as %s", name, answer.Body)
				}
			}
		}
	})
}

// TestNothingSurvivesTheEndOfAnApp ends an app while both replicas issue its tokens:
// none of them is good after it.
func TestNothingSurvivesTheEndOfAnApp(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		admin := s.First().Admin()
		s.First().Wide(admin)
		for _, e := range []appEnding{
			{"APP.DELETE", nil, "AUTH_ERROR"},
			{"APP.UPDATE", P{"enabled": false}, "AUTH_ERROR"},
			{"APP.SCOPE_REVOKE", P{"scopes": []string{"apps:read"}}, "PERMISSION_DENIED"},
			{"M2M.BULK_REVOKE", nil, "AUTH_ERROR"},
		} {
			for round := range instance.Rounds {
				for i, token := range issuedAround(s, admin, e, round) {
					s.Any(i).Bearing(token, "APP.LIST", nil).Fails(e.want)
					if got := s.Any(i + 1).Introspected(token); (got == "active") != (e.want == "PERMISSION_DENIED") {
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
func issuedAround(s *instance.Site, admin instance.Person, e appEnding, round int) []string {
	s.T.Helper()
	app := s.Any(round).Machine(admin, "apps:read")
	const chains = 4
	tokens := make([][]string, chains)
	var begun atomic.Bool
	instance.Together(chains+1, func(i int) *instance.Reply {
		if i == chains {
			<-time.After(time.Duration(round) * 700 * time.Microsecond)
			begun.Store(true)
			changed := s.Any(round).As(admin, e.command, instance.With(P{"app_id": app.ID}, e.params))
			instance.Expect(s.T, changed)
			return changed
		}
		var answer *instance.Reply
		for range 4 {
			answer = app.Asks(s.Any(i), nil)
			text, is := answer.Value("access_token").(string)
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
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		admin := s.First().Admin()
		for round := range 4 {
			one, other := s.Any(round), s.Any(round+1)
			ada := one.SignUp()
			promote := func(to bool) {
				one.As(admin, "USER.SET_SUPERADMIN", P{"user_id": ada.ID, "is_superadmin": to}).OK()
			}
			promote(true)
			key := other.As(ada, "API_KEY.CREATE", P{"name": "A key", "scopes": []string{"sessions:manage", "apps:read"}}).Text("key")
			other.Bearing(key, "SESSION.SEARCH", nil).OK()
			promote(false)
			other.Bearing(key, "SESSION.SEARCH", nil).Fails("PERMISSION_DENIED")
			other.Bearing(key, "APP.LIST", nil).OK()
			promote(true)
			other.Bearing(key, "SESSION.SEARCH", nil).OK()
		}
	})
}
