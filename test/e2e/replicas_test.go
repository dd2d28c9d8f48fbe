package e2e_test

import (
	"io"
	"testing"
)

// get reads a public page.
func (r *replica) get(path string) string {
	r.t.Helper()
	response, err := r.client.Get(r.url + path)
	if err != nil {
		r.t.Fatalf("GET %s: %v", path, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != 200 {
		r.t.Fatalf("GET %s = %d %s, %v", path, response.StatusCode, body, err)
	}
	return string(body)
}

// pair is two replicas on one PostgreSQL with a superadmin.
func pair(t *testing.T) (one, other *replica, admin person) {
	t.Helper()
	s := open(t, postgres())
	return s.first(), s.last(), s.first().admin()
}

func TestSettingsHoldOnTheOtherReplicaAtOnce(t *testing.T) {
	t.Parallel()
	one, other, admin := pair(t)
	for round := range 10 {
		seconds := 600 + round
		one.as(admin, "SETTINGS.SET", P{"values": P{"public_registration": false, "access_token_seconds": seconds}}).ok()
		other.do(signup(newcomer())).fails("PERMISSION_DENIED")
		if got := other.do(login(person{email: adminEmail, password: adminPassword})).number("expires_in"); got != seconds {
			t.Errorf("expires_in = %d on the other replica, want %d", got, seconds)
		}
		other.as(admin, "SETTINGS.SET", P{"values": P{"public_registration": nil, "access_token_seconds": nil}}).ok()
		one.do(signup(newcomer())).ok()
	}
}

func TestOriginsHoldOnTheOtherReplicaAtOnce(t *testing.T) {
	t.Parallel()
	one, other, admin := pair(t)
	const page, allowed = "https://app.example.com", "Access-Control-Allow-Origin"
	for _, ask := range []string{"Access-Control-Request-Method=POST", "Access-Control-Request-Method="} {
		one.as(admin, "SETTINGS.SET", P{"values": P{"cors_origins": []string{page}}}).ok()
		if answer, _ := other.fetch("OPTIONS", "/api/v1/execute", "Origin="+page, ask); answer.header.Get(allowed) != page {
			t.Errorf("the other replica refuses a page that was just allowed: %v", answer.header)
		}
		one.as(admin, "SETTINGS.SET", P{"values": P{"cors_origins": nil}}).ok()
		if answer, _ := other.fetch("OPTIONS", "/api/v1/execute", "Origin="+page, ask); answer.header.Get(allowed) != "" {
			t.Errorf("the other replica allows a page that was just refused: %v", answer.header)
		}
	}
}

func TestPoliciesHoldOnTheOtherReplicaAtOnce(t *testing.T) {
	t.Parallel()
	one, other, admin := pair(t)
	short := newcomer()
	short.password = "thirteen hens"
	for range 10 {
		one.as(admin, "POLICY.SET", P{"kind": "password", "values": P{"min_length": 14}}).ok()
		other.do(signup(short)).fails("VALIDATION_ERROR")
		other.as(admin, "POLICY.SET", P{"kind": "password", "values": P{"min_length": nil}}).ok()
		next := newcomer()
		next.password = short.password
		one.do(signup(next)).ok()
	}
	ada := one.signUp()
	one.as(admin, "POLICY.SET", P{"kind": "lockout", "values": P{"max_failures": 3}}).ok()
	for range 3 {
		other.do(login(person{email: ada.email, password: "not the passphrase"})).fails("AUTH_ERROR")
	}
	one.do(login(ada)).fails("AUTH_ERROR")
}

func TestRateLimitsHoldOnTheOtherReplicaAtOnce(t *testing.T) {
	t.Parallel()
	one, other, admin := pair(t)
	for range 5 {
		ada := one.signUp()
		one.as(admin, "RATE_LIMIT.SET", P{"command": "USER.ME", "limit": 2, "window_seconds": 60, "key": "token"}).ok()
		other.as(ada, "USER.ME", nil).ok()
		one.as(ada, "USER.ME", nil).ok()
		other.as(ada, "USER.ME", nil).fails("RATE_LIMITED")
		one.as(ada, "USER.ME", nil).fails("RATE_LIMITED")
		// Who refreshes is still the same one.
		renewed := other.holding(ada, other.rotate(ada.refresh))
		other.as(renewed, "USER.ME", nil).fails("RATE_LIMITED")
		other.as(admin, "RATE_LIMIT.RESET", P{"command": "USER.ME"}).ok()
		one.as(ada, "USER.ME", nil).ok()
	}
}

func TestKeysHoldOnTheOtherReplicaAtOnce(t *testing.T) {
	t.Parallel()
	one, other, admin := pair(t)
	const keys = "/.well-known/jwks.json"
	for round := range 6 {
		algorithm := []string{"ES256", "RS256"}[round%2]
		before := other.signUp()
		rotated := one.as(admin, "JWT_KEY.ROTATE", P{"algorithm": algorithm, "overlap_hours": 1})
		after := other.signUp()
		header := headerOf(t, after.access)
		if header["kid"] != rotated.text("kid") || header["alg"] != algorithm || rotated.text("previous_kid") != headerOf(t, before.access)["kid"] {
			t.Errorf("the other replica signs with %v after %s", header, rotated.body)
		}
		one.as(after, "USER.ME", nil).ok()
		one.as(before, "USER.ME", nil).ok()
		other.as(before, "USER.ME", nil).ok()
		expectKeys(t, one.get(keys), other.get(keys), header["kid"].(string), headerOf(t, before.access)["kid"].(string))

		// Without overlap the old tokens end with the next request.
		rotated = one.as(admin, "JWT_KEY.ROTATE", P{"overlap_hours": 0}).ok()
		other.as(after, "USER.ME", nil).fails("TOKEN_INVALID")
		one.as(after, "USER.ME", nil).fails("TOKEN_INVALID")
		after = other.holding(after, other.rotate(after.refresh))
		if got := headerOf(t, after.access)["kid"]; got != rotated.text("kid") {
			t.Errorf("the other replica renews with %v, want %s", got, rotated.text("kid"))
		}
		one.as(after, "USER.ME", nil).ok()

		admin = one.admin()
		revoked := one.as(admin, "JWT_KEY.REVOKE", P{"kid": rotated.text("kid"), "reason": "a test"})
		other.as(after, "USER.ME", nil).fails("TOKEN_INVALID")
		other.as(admin, "USER.ME", nil).fails("TOKEN_INVALID")
		after = other.holding(after, other.rotate(after.refresh))
		if got := headerOf(t, after.access)["kid"]; got != revoked.text("new_kid") {
			t.Errorf("the other replica renews with %v, want %s", got, revoked.text("new_kid"))
		}
		expectKeys(t, one.get(keys), other.get(keys), revoked.text("new_kid"))
		admin = one.admin()
	}
}

func expectKeys(t *testing.T, one, other string, kids ...string) {
	t.Helper()
	if one != other {
		t.Errorf("the replicas publish different keys:\n%s\n%s", one, other)
	}
	published := keySet(t, one)
	for _, kid := range kids {
		if _, there := published[kid]; !there {
			t.Errorf("the key %s is not published in %s", kid, one)
		}
	}
}

func TestEndsAreFeltOnTheOtherReplicaAtOnce(t *testing.T) {
	t.Parallel()
	one, other, admin := pair(t)
	one.as(admin, "RATE_LIMIT.SET", P{"command": "*", "limit": 100_000, "window_seconds": 60}).ok()
	for _, e := range endings() {
		for range 10 {
			victim := one.signUp()
			second := other.again(victim)
			other.as(victim, "USER.ME", nil).ok() // the token is known there
			if answer := e.end(one, victim, second, admin); answer.code() != "OK" {
				t.Fatalf("%s = %d %s", e.name, answer.status, answer.body)
			}
			other.as(victim, "USER.ME", nil).fails("AUTH_ERROR")
			other.rotate(victim.refresh).fails("AUTH_ERROR")
		}
	}
	for range 10 {
		ada := one.signUp()
		one.as(admin, "USER.SET_SUPERADMIN", P{"user_id": ada.id, "is_superadmin": true}).ok()
		other.as(ada, "JWT_KEY.LIST", nil).ok()
		one.as(admin, "USER.SET_SUPERADMIN", P{"user_id": ada.id, "is_superadmin": false}).ok()
		other.as(ada, "JWT_KEY.LIST", nil).fails("PERMISSION_DENIED")
		one.as(admin, "SESSION.REVOKE", P{"session_id": ada.session}).ok()
		other.as(ada, "USER.ME", nil).fails("AUTH_ERROR")
	}
}
