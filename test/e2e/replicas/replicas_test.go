package replicas_test

import (
	"testing"

	"gatehouse.internal/test/e2e/instance"
)

// pair is two replicas on one PostgreSQL with a superadmin.
func pair(t *testing.T) (one, other *instance.Replica, admin instance.Person) {
	t.Helper()
	s := instance.Open(t, instance.Postgres())
	return s.First(), s.Last(), s.First().Admin()
}

func TestSettingsHoldOnTheOtherReplicaAtOnce(t *testing.T) {
	t.Parallel()
	one, other, admin := pair(t)
	for round := range 10 {
		seconds := 600 + round
		one.As(admin, "SETTINGS.SET", P{"values": P{"public_registration": false, "access_token_seconds": seconds}}).OK()
		other.Do(instance.Signup(instance.Newcomer())).Fails("PERMISSION_DENIED")
		if got := other.Do(instance.Login(instance.Person{Email: instance.AdminEmail, Password: instance.AdminPassword})).Number("expires_in"); got != seconds {
			t.Errorf("expires_in = %d on the other replica, want %d", got, seconds)
		}
		other.As(admin, "SETTINGS.SET", P{"values": P{"public_registration": nil, "access_token_seconds": nil}}).OK()
		one.Do(instance.Signup(instance.Newcomer())).OK()
	}
}

func TestOriginsHoldOnTheOtherReplicaAtOnce(t *testing.T) {
	t.Parallel()
	one, other, admin := pair(t)
	const page, allowed = "https://app.example.com", "Access-Control-Allow-Origin"
	for _, ask := range []string{"Access-Control-Request-Method=POST", "Access-Control-Request-Method="} {
		one.As(admin, "SETTINGS.SET", P{"values": P{"cors_origins": []string{page}}}).OK()
		if answer, _ := other.Fetch("OPTIONS", "/api/v1/execute", "Origin="+page, ask); answer.Header.Get(allowed) != page {
			t.Errorf("the other replica refuses a page that was just allowed: %v", answer.Header)
		}
		one.As(admin, "SETTINGS.SET", P{"values": P{"cors_origins": nil}}).OK()
		if answer, _ := other.Fetch("OPTIONS", "/api/v1/execute", "Origin="+page, ask); answer.Header.Get(allowed) != "" {
			t.Errorf("the other replica allows a page that was just refused: %v", answer.Header)
		}
	}
}

func TestPoliciesHoldOnTheOtherReplicaAtOnce(t *testing.T) {
	t.Parallel()
	one, other, admin := pair(t)
	short := instance.Newcomer()
	short.Password = "thirteen hens"
	for range 10 {
		one.As(admin, "POLICY.SET", P{"kind": "password", "values": P{"min_length": 14}}).OK()
		other.Do(instance.Signup(short)).Fails("VALIDATION_ERROR")
		other.As(admin, "POLICY.SET", P{"kind": "password", "values": P{"min_length": nil}}).OK()
		next := instance.Newcomer()
		next.Password = short.Password
		one.Do(instance.Signup(next)).OK()
	}
	ada := one.SignUp()
	one.As(admin, "POLICY.SET", P{"kind": "lockout", "values": P{"max_failures": 3}}).OK()
	for range 3 {
		other.Do(instance.Login(instance.Person{Email: ada.Email, Password: "not the passphrase"})).Fails("AUTH_ERROR")
	}
	one.Do(instance.Login(ada)).Fails("AUTH_ERROR")
}

func TestRateLimitsHoldOnTheOtherReplicaAtOnce(t *testing.T) {
	t.Parallel()
	one, other, admin := pair(t)
	for range 5 {
		ada := one.SignUp()
		one.As(admin, "RATE_LIMIT.SET", P{"command": "USER.ME", "limit": 2, "window_seconds": 60, "key": "token"}).OK()
		other.As(ada, "USER.ME", nil).OK()
		one.As(ada, "USER.ME", nil).OK()
		other.As(ada, "USER.ME", nil).Fails("RATE_LIMITED")
		one.As(ada, "USER.ME", nil).Fails("RATE_LIMITED")
		// Who refreshes is still the same one.
		renewed := other.Holding(ada, other.Rotate(ada.Refresh))
		other.As(renewed, "USER.ME", nil).Fails("RATE_LIMITED")
		other.As(admin, "RATE_LIMIT.RESET", P{"command": "USER.ME"}).OK()
		one.As(ada, "USER.ME", nil).OK()
	}
}

func TestKeysHoldOnTheOtherReplicaAtOnce(t *testing.T) {
	t.Parallel()
	one, other, admin := pair(t)
	const keys = "/.well-known/jwks.json"
	for round := range 6 {
		algorithm := []string{"ES256", "RS256"}[round%2]
		before := other.SignUp()
		rotated := one.As(admin, "JWT_KEY.ROTATE", P{"algorithm": algorithm, "overlap_hours": 1})
		after := other.SignUp()
		header := instance.HeaderOf(t, after.Access)
		if header["kid"] != rotated.Text("kid") || header["alg"] != algorithm || rotated.Text("previous_kid") != instance.HeaderOf(t, before.Access)["kid"] {
			t.Errorf("the other replica signs with %v after %s", header, rotated.Body)
		}
		one.As(after, "USER.ME", nil).OK()
		one.As(before, "USER.ME", nil).OK()
		other.As(before, "USER.ME", nil).OK()
		expectKeys(t, one.Get(keys), other.Get(keys), header["kid"].(string), instance.HeaderOf(t, before.Access)["kid"].(string))

		// Without overlap the old tokens end with the next request.
		rotated = one.As(admin, "JWT_KEY.ROTATE", P{"overlap_hours": 0}).OK()
		other.As(after, "USER.ME", nil).Fails("TOKEN_INVALID")
		one.As(after, "USER.ME", nil).Fails("TOKEN_INVALID")
		after = other.Holding(after, other.Rotate(after.Refresh))
		if got := instance.HeaderOf(t, after.Access)["kid"]; got != rotated.Text("kid") {
			t.Errorf("the other replica renews with %v, want %s", got, rotated.Text("kid"))
		}
		one.As(after, "USER.ME", nil).OK()

		admin = one.Admin()
		revoked := one.As(admin, "JWT_KEY.REVOKE", P{"kid": rotated.Text("kid"), "reason": "a test"})
		other.As(after, "USER.ME", nil).Fails("TOKEN_INVALID")
		other.As(admin, "USER.ME", nil).Fails("TOKEN_INVALID")
		after = other.Holding(after, other.Rotate(after.Refresh))
		if got := instance.HeaderOf(t, after.Access)["kid"]; got != revoked.Text("new_kid") {
			t.Errorf("the other replica renews with %v, want %s", got, revoked.Text("new_kid"))
		}
		expectKeys(t, one.Get(keys), other.Get(keys), revoked.Text("new_kid"))
		admin = one.Admin()
	}
}

func expectKeys(t *testing.T, one, other string, kids ...string) {
	t.Helper()
	if one != other {
		t.Errorf("the replicas publish different keys:\n%s\n%s", one, other)
	}
	published := instance.KeySet(t, one)
	for _, kid := range kids {
		if _, there := published[kid]; !there {
			t.Errorf("the key %s is not published in %s", kid, one)
		}
	}
}

func TestRevocationTakesEffectOnOtherReplicasAtOnce(t *testing.T) {
	t.Parallel()
	one, other, admin := pair(t)
	one.As(admin, "RATE_LIMIT.SET", P{"command": "*", "limit": 100_000, "window_seconds": 60}).OK()
	for _, e := range endings() {
		for range 10 {
			victim := one.SignUp()
			second := other.Again(victim)
			other.As(victim, "USER.ME", nil).OK() // the token is known there
			if answer := e.end(one, victim, second, admin); answer.Code() != "OK" {
				t.Fatalf("%s = %d %s", e.name, answer.Status, answer.Body)
			}
			other.As(victim, "USER.ME", nil).Fails("AUTH_ERROR")
			other.Rotate(victim.Refresh).Fails("AUTH_ERROR")
		}
	}
	for range 10 {
		ada := one.SignUp()
		one.As(admin, "USER.SET_SUPERADMIN", P{"user_id": ada.ID, "is_superadmin": true}).OK()
		other.As(ada, "JWT_KEY.LIST", nil).OK()
		one.As(admin, "USER.SET_SUPERADMIN", P{"user_id": ada.ID, "is_superadmin": false}).OK()
		other.As(ada, "JWT_KEY.LIST", nil).Fails("PERMISSION_DENIED")
		one.As(admin, "SESSION.REVOKE", P{"session_id": ada.Session}).OK()
		other.As(ada, "USER.ME", nil).Fails("AUTH_ERROR")
	}
}
