package operations_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	opsstore "gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/ports/outbound/ops"
	"gatehouse.internal/test/harness"
)

// REGISTRY.DESCRIBE says what GET /api/v1/commands says, in the same words.
func TestDescribeAgreesWithTheCatalog(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	for _, d := range h.Engine.Catalog() {
		listed, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		got := h.Anonymous().Do("REGISTRY.DESCRIBE", harness.P{"command": d.Name}).OK().Data
		if got["command"] != d.Name {
			t.Errorf("%s describes itself as %v", d.Name, got["command"])
		}
		same(t, d.Name, got, listed)
		if len(d.Limits) == 0 {
			t.Errorf("%s has no limit", d.Name)
		}
	}
}

// same compares decoded JSON with its text.
func same(t *testing.T, name string, got any, want []byte) {
	t.Helper()
	var decoded any
	if err := json.Unmarshal(want, &decoded); err != nil {
		t.Fatal(err)
	}
	one, _ := json.Marshal(got)
	other, _ := json.Marshal(decoded)
	if string(one) != string(other) {
		t.Errorf("%s: %s, want %s", name, one, other)
	}
}

func TestDescribeTellsOfPresence(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	for command, want := range map[string]bool{"AUTH.MFA_SETUP_TOTP": true, "USER.ME": false} {
		if got := h.Anonymous().Do("REGISTRY.DESCRIBE", harness.P{"command": command}).OK().Has("recent"); got != want {
			t.Errorf("%s asks for a recent proof of presence: %v", command, got)
		}
	}
}

func TestDescribeShowsLimitsInForce(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	limits := func(command string) []harness.P {
		return h.Anonymous().Do("REGISTRY.DESCRIBE", harness.P{"command": command}).OK().List("rate_limit")
	}
	rule := func(by string, most, seconds int, shared bool) harness.P {
		return harness.P{"by": by, "limit": float64(most), "window_seconds": float64(seconds), "shared": shared}
	}
	wantLimits(t, limits("AUTH.LOGIN"), rule("ip", 10, 60, false))
	wantLimits(t, limits("SYSTEM.INFO_GET"), rule("ip", 60, 60, false))
	wantLimits(t, limits("AUTH.WHOAMI"), rule("token", 600, 60, true))
	wantLimits(t, limits("REGISTRY.SEARCH"), rule("ip", 60, 60, false), rule("token", 600, 60, true))

	registryTune(t, h, ops.TunedLimit{Command: "AUTH.LOGIN", By: limit.IP, Rule: limit.Rule{Limit: 7, Window: time.Hour}})
	registryTune(t, h, ops.TunedLimit{Command: "*", By: limit.Token, Rule: limit.Rule{Limit: 9, Window: time.Minute}})
	wantLimits(t, limits("AUTH.LOGIN"), rule("ip", 7, 3600, false))
	wantLimits(t, limits("AUTH.WHOAMI"), rule("token", 9, 60, true))
}

// The route of a command answers the same object, also for limits that were tuned.
func TestTheRouteAnswersTheDescription(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	registryTune(t, h, ops.TunedLimit{Command: "AUTH.LOGIN", By: limit.IP, Rule: limit.Rule{Limit: 7, Window: time.Hour}})
	for _, name := range []string{"AUTH.LOGIN", "SESSION.REVOKE", "BRANDING.GET"} {
		answer := httptest.NewRecorder()
		h.Handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/api/v1/commands/"+name, http.NoBody))
		same(t, name, h.Anonymous().Do("REGISTRY.DESCRIBE", harness.P{"command": name}).OK().Data, answer.Body.Bytes())
	}
}

func registryTune(t *testing.T, h *harness.Service, rule ops.TunedLimit) {
	t.Helper()
	unit := sqlstore.NewUnit(h.Store, func(tx *sqlstore.Tx) ops.LimitRules { return opsstore.LimitRules(tx) })
	ctx := context.Background()
	if err := unit.Do(ctx, func(tx ops.LimitRules) error { return tx.Set(ctx, rule) }); err != nil {
		t.Fatal(err)
	}
}

func wantLimits(t *testing.T, got []harness.P, want ...harness.P) {
	t.Helper()
	one, _ := json.Marshal(got)
	other, _ := json.Marshal(want)
	if string(one) != string(other) {
		t.Errorf("limits %s, want %s", one, other)
	}
}

// TestDescribedErrors provokes failures and finds their codes among those that
// are described.
func TestDescribedErrors(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	expired := h.SignUp("bob@example.com")
	h.Clock.Advance(time.Hour)
	alice, ended := h.SignUp("alice@example.com"), h.SignUp("carol@example.com")
	ended.Do("AUTH.LOGOUT", nil).OK()
	const nobody = "usr_01jd7x9k2mf3q8v5t0abcdefgh"
	for _, c := range []struct {
		who     *harness.Actor
		command string
		params  harness.P
		code    fault.Code
	}{
		{h.Anonymous(), "AUTH.LOGIN", harness.P{"email": "alice@example.com", "password": "wrong"}, fault.Auth},
		{h.Anonymous(), "AUTH.REFRESH", harness.P{"refresh_token": "rt_wrong"}, fault.Auth},
		{h.Anonymous(), "AUTH.SIGNUP", harness.P{"email": "alice@example.com", "password": harness.Password, "display_name": "A"}, fault.Validation},
		{h.Anonymous(), "AUTH.WHOAMI", nil, fault.Auth},
		{ended, "AUTH.WHOAMI", nil, fault.Auth},
		{expired, "AUTH.WHOAMI", nil, fault.TokenExpired},
		{h.With("nonsense"), "AUTH.WHOAMI", nil, fault.TokenInvalid},
		{expired, "REGISTRY.SEARCH", nil, fault.TokenExpired},
		{alice, "SYSTEM.HEALTH_GET", nil, fault.Denied},
		{alice, "SYSTEM.HEALTH_GET", harness.P{"x": 1}, fault.Denied},
		{alice, "AUDIT.SEARCH", harness.P{"cursor": "x"}, fault.Validation},
		{alice, "ROLE.LIST", harness.P{"org_id": "org_01jd7x9k2mf3q8v5t0abcdefgh"}, fault.NotFound},
		{alice, "PERMISSION.CHECK", harness.P{"action": "read", "resource": "users", "user_id": nobody}, fault.NotFound},
		{h.Anonymous(), "EVENT.KIND_GET", harness.P{"type": "no.such"}, fault.NotFound},
		{h.Anonymous(), "REGISTRY.DESCRIBE", harness.P{"command": "NO.SUCH"}, fault.NotFound},
		{h.Anonymous(), "REGISTRY.VALIDATE", harness.P{"command": "NO.SUCH"}, fault.NotFound},
	} {
		c.who.Do(c.command, c.params).Fails(c.code)
		if described := described(h, c.command); !slices.Contains(described, string(c.code)) {
			t.Errorf("%s answers %s, described are %v", c.command, c.code, described)
		}
	}
}

func described(h *harness.Service, command string) []string {
	return h.Anonymous().Do("REGISTRY.DESCRIBE", harness.P{"command": command}).OK().Strings("errors")
}

func TestDescribedErrorsSayNothingImpossible(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	for command, want := range map[string][]string{
		"SYSTEM.INFO_GET":     {"VALIDATION_ERROR", "RATE_LIMITED", "INTERNAL_ERROR"},
		"REGISTRY.SEARCH":     {"AUTH_ERROR", "TOKEN_EXPIRED", "TOKEN_INVALID", "VALIDATION_ERROR", "RATE_LIMITED", "INTERNAL_ERROR"},
		"REGISTRY.DESCRIBE":   {"NOT_FOUND", "VALIDATION_ERROR", "RATE_LIMITED", "INTERNAL_ERROR"},
		"AUTH.WHOAMI":         {"AUTH_ERROR", "TOKEN_EXPIRED", "TOKEN_INVALID", "VALIDATION_ERROR", "RATE_LIMITED", "INTERNAL_ERROR"},
		"AUTH.CHECK_PASSWORD": {"VALIDATION_ERROR", "RATE_LIMITED", "INTERNAL_ERROR"},
		"SYSTEM.HEALTH_GET":   {"AUTH_ERROR", "TOKEN_EXPIRED", "TOKEN_INVALID", "PERMISSION_DENIED", "VALIDATION_ERROR", "RATE_LIMITED", "INTERNAL_ERROR"},
	} {
		if got := described(h, command); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", command, got, want)
		}
	}
}

func TestDescribeRefuses(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Anonymous().Do("REGISTRY.DESCRIBE", harness.P{"command": "AUTH.NOTHING"}).Fails(fault.NotFound)
}
