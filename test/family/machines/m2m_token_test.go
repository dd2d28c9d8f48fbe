package machines_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/m2m"
	"gatehouse.internal/test/harness"
)

func TestToken(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	owner := h.SignUp("ada@example.com")
	m := m2mRegister(h, owner, "worker", P{"scopes": []string{"apps:read", "invoices:send"}})
	got := m.token(nil)
	text := got.String("access_token")
	now := h.Clock.Now().Unix()
	if header := part(t, text, 0); header["typ"] != "at+jwt" || header["kid"] == "" || header["alg"] != "ES256" {
		t.Errorf("header %v", header)
	}
	want := P{
		"iss": harness.Issuer, "sub": "worker", "azp": "worker", "client_id": "worker", "aud": harness.Issuer,
		"iat": float64(now), "exp": float64(now + 3600), "jti": got.String("jti"),
		"scope": "apps:read invoices:send", "org_id": owner.OrgID,
	}
	claims := part(t, text, 1)
	if len(claims) != len(want) {
		t.Errorf("claims %v, want no others than %v", claims, want)
	}
	for name, value := range want {
		if claims[name] != value {
			t.Errorf("%s = %v, want %v", name, claims[name], value)
		}
	}
	if got.String("token_type") != "Bearer" || got.Int("expires_in") != 3600 || got.String("scope") != "apps:read invoices:send" || len(got.Data) != 5 {
		t.Errorf("answer %v", got.Data)
	}
	events := h.Events(m2m.KindIssued)
	data := fmt.Sprintf(`{"jti":%q,"app_id":%q,"org_id":%q,"scope_count":2,"dpop":false}`, got.String("jti"), m.id, owner.OrgID)
	if len(events) != 1 || events[0].OrgID != owner.OrgID || events[0].UserID != "" || string(events[0].Data) != data {
		t.Errorf("events %+v, want one with %s", events, data)
	}
	if strings.Contains(fmt.Sprint(events), text) {
		t.Error("the event holds the token")
	}
	h.With(text).Do("APP.LIST", nil).OK()
	h.With(text).Do("APP.REGISTER", P{"name": "x", "slug": "other"}).Fails(fault.Denied)
}

// Whatever is wrong with a client, the answer is one and the same.
func TestTokenRefusesClients(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, refusesClients)
}

func refusesClients(t *testing.T, h *harness.Service) {
	t.Helper()
	owner := h.SignUp("ada@example.com")
	good, other := m2mRegister(h, owner, "good", nil), m2mRegister(h, owner, "other", nil)
	disabled, deleted := m2mRegister(h, owner, "disabled", nil), m2mRegister(h, owner, "deleted", nil)
	rotated, revoked := m2mRegister(h, owner, "rotated", nil), m2mRegister(h, owner, "revoked", nil)
	public := m2mRegister(h, owner, "public", P{"type": "spa"})
	disabled.change("APP.UPDATE", P{"enabled": false})
	deleted.change("APP.DELETE", nil)
	rotated.change("APP.ROTATE_KEY", nil)
	secrets := owner.Do("APP.GET", P{"app_id": revoked.id}).List("secrets")
	revoked.change("APP.SECRET_REVOKE", P{"secret_id": secrets[0]["secret_id"]})
	before := issued(h)
	messages := map[string]bool{}
	for name, params := range map[string]P{
		"no such client":        {"client_id": "nobody", "client_secret": good.secret},
		"another app's secret":  {"client_id": "good", "client_secret": other.secret},
		"no secret's checksum":  {"client_id": "good", "client_secret": good.secret[:len(good.secret)-1] + "!"},
		"a longer secret":       {"client_id": "good", "client_secret": good.secret + "0"},
		"some other text":       {"client_id": "good", "client_secret": "hunter2"},
		"a text of any length":  {"client_id": "good", "client_secret": strings.Repeat("s", 4096)},
		"no slug":               {"client_id": "Not A Slug", "client_secret": good.secret},
		"an empty client_id":    {"client_id": "", "client_secret": good.secret},
		"a null in the id":      {"client_id": "go\x00od", "client_secret": good.secret},
		"a null in the secret":  {"client_id": "good", "client_secret": good.secret + "\x00"},
		"a null in both":        {"client_id": "\x00", "client_secret": "\x00"},
		"a null, an assertion":  {"client_id": "\x00", "client_assertion": "\x00", "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"},
		"a long client_id":      {"client_id": strings.Repeat("a", 64), "client_secret": good.secret},
		"a disabled app":        {"client_id": "disabled", "client_secret": disabled.secret},
		"a deleted app":         {"client_id": "deleted", "client_secret": deleted.secret},
		"a rotated secret":      {"client_id": "rotated", "client_secret": rotated.secret},
		"a revoked secret":      {"client_id": "revoked", "client_secret": revoked.secret},
		"a public client":       {"client_id": "public", "client_secret": good.secret},
		"nothing of the client": {"client_id": public.slug, "client_secret": other.secret},
	} {
		refused := h.Anonymous().Do("M2M.TOKEN", params).Fails(fault.Auth)
		messages[refused.Failure.Message] = true
		if !strings.HasPrefix(refused.Failure.Message, "invalid_client: ") {
			t.Errorf("%s: %v", name, refused.Failure)
		}
	}
	if len(messages) != 1 {
		t.Errorf("the answers differ: %v", messages)
	}
	if issued(h) != before {
		t.Error("a token was issued")
	}
	good.token(nil)
	disabled.change("APP.UPDATE", P{"enabled": true})
	disabled.token(nil)
}

func TestTokenTakesOneWayToSayWho(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	m := m2mRegister(h, h.SignUp("ada@example.com"), "worker", nil)
	const kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
	m.ask(P{"client_secret": nil}).Fails(fault.Auth)
	m.ask(P{"client_secret": ""}).Fails(fault.Auth)
	m.ask(P{"client_assertion": "a.b.c", "client_assertion_type": kind}).Fails(fault.Validation)
	m.ask(P{"client_secret": nil, "client_assertion": "a.b.c"}).Fails(fault.Validation).Field("/client_assertion_type")
	m.ask(P{"client_secret": nil, "client_assertion": "a.b.c", "client_assertion_type": kind + "s"}).Fails(fault.Validation).Field("/client_assertion_type")
	m.ask(P{"client_secret": nil, "client_assertion": "a.b.c", "client_assertion_type": kind}).Fails(fault.Auth)
}

func TestTokenNeedsTheGrant(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	web := m2mRegister(h, h.SignUp("ada@example.com"), "site", P{"type": "web"})
	refused := web.ask(nil).Fails(fault.Validation)
	if !strings.HasPrefix(refused.Failure.Message, "unauthorized_client: ") {
		t.Errorf("refusal %v", refused.Failure)
	}
	web.change("APP.UPDATE", P{"grant_types": []string{"client_credentials"}})
	web.token(nil)
}

func TestTokenScopes(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	owner := h.SignUp("ada@example.com")
	m2mRegister(h, owner, "free", nil)
	apps := map[string]*m2mMachine{
		"listed": m2mRegister(h, owner, "listed", P{"scopes": []string{"apps:read", "audit:*", "invoices:send"}}),
		"empty":  m2mRegister(h, owner, "empty", P{"scopes": []string{}}),
		"loose":  m2mRegister(h, owner, "loose", nil),
	}
	apps["loose"].change("APP.SCOPE_GRANT", P{"scopes": []string{"apps:read"}})
	long := strings.Repeat("x", 128)
	for _, test := range []struct {
		app   string
		asked []string
		want  string // "!" and a part of the refusal
	}{
		{"listed", nil, "apps:read audit:* invoices:send"},
		{"listed", []string{}, ""},
		{"listed", []string{"invoices:send", "apps:read", "invoices:send"}, "invoices:send apps:read"},
		{"listed", []string{"audit:read"}, "audit:read"},
		{"listed", []string{"apps:write"}, "!apps:write"},
		{"listed", []string{"apps:read", "*"}, "!*"},
		{"listed", []string{"invoices:read"}, "!invoices:read"},
		{"empty", nil, ""},
		{"empty", []string{"invoices:send"}, "!invoices:send"},
		{"loose", nil, "apps:read"},
		{"loose", []string{"invoices:send", long}, "invoices:send " + long},
		{"loose", []string{"apps:write"}, "!apps:write"},
		{"loose", []string{"users:manage"}, "!users:manage"},
		{"loose", []string{"apps:*"}, "!apps:*"},
		{"loose", []string{"users:*", "invoices:send"}, "!users:*"},
	} {
		params := P{}
		if test.asked != nil {
			params["scopes"] = test.asked
		}
		got := apps[test.app].ask(params)
		if part, refused := strings.CutPrefix(test.want, "!"); refused {
			message := got.Fails(fault.Validation).Failure.Message
			if !strings.HasPrefix(message, "invalid_scope: ") || !strings.Contains(message, part) {
				t.Errorf("%s asks for %v: %q", test.app, test.asked, message)
			}
		} else if got.String("scope") != test.want {
			t.Errorf("%s asks for %v: %q, want %q", test.app, test.asked, got.String("scope"), test.want)
		}
	}
	none := apps["listed"].change("APP.PREVIEW_TOKEN", P{"scopes": []string{}})
	if scope := none.String("claims.scope"); scope != "" {
		t.Errorf("a preview without scopes has %q", scope)
	}
	for _, wrong := range []any{[]string{""}, []string{"a b"}, []string{`a"b`}, []string{long + "x"}, []string{"ä"}, "apps:read", slices.Repeat([]string{"a"}, 201)} {
		apps["loose"].ask(P{"scopes": wrong}).Fails(fault.Validation)
	}
}

// A token is refused rather than made longer than verifiers take.
func TestTokenStaysShort(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	m := m2mRegister(h, h.SignUp("ada@example.com"), "wide", nil)
	var scopes []string
	for i := range 22 {
		scopes = append(scopes, fmt.Sprintf("%0128d", i))
	}
	if got := len(m.token(P{"scopes": scopes, "audience": strings.Repeat("a", 512)}).String("access_token")); got > 8<<10 {
		t.Errorf("a token of %d bytes", got)
	}
	refused := m.ask(P{"scopes": append(scopes, strings.Repeat("x", 128), strings.Repeat("y", 128))}).Fails(fault.Validation)
	if !strings.HasPrefix(refused.Failure.Message, "invalid_scope: ") {
		t.Errorf("refusal %v", refused.Failure)
	}
	m.change("APP.SET_CLAIMS", P{"claims": P{
		"a": "'" + strings.Repeat("a", 900) + "'", "b": "'" + strings.Repeat("b", 900) + "'",
		"c": "'" + strings.Repeat("c", 900) + "'", "d": "'" + strings.Repeat("d", 900) + "'",
	}})
	m.token(nil)
	before := issued(h)
	m.ask(P{"scopes": scopes}).Fails(fault.Validation)
	if issued(h) != before {
		t.Error("a refused token was stored")
	}
}

func TestTokenLife(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	m := m2mRegister(h, h.SignUp("ada@example.com"), "worker", nil)
	lives := func(params P) int { return m.token(params).Int("expires_in") }
	for asked, want := range map[int]int{60: 60, 3600: 3600, 86400: 86400} {
		if got := lives(P{"ttl_seconds": asked}); got != want {
			t.Errorf("a token lives %d seconds, want %d", got, want)
		}
	}
	m.change("APP.UPDATE", P{"access_ttl_seconds": 600})
	for asked, want := range map[int]int{60: 60, 601: 600, 86400: 600} {
		if got := lives(P{"ttl_seconds": asked}); got != want {
			t.Errorf("a token of a capped app lives %d seconds, want %d", got, want)
		}
	}
	if got := lives(nil); got != 600 {
		t.Errorf("a token lives %d seconds by default, want the app's 600", got)
	}
	text := m.token(P{"ttl_seconds": 60, "scopes": []string{}}).String("access_token")
	h.Clock.Advance(59 * time.Second)
	h.With(text).Do("APP.LIST", nil).Fails(fault.Denied)
	h.Clock.Advance(time.Second)
	h.With(text).Do("APP.LIST", nil).Fails(fault.TokenExpired)
}

func TestTokenAudience(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	m := m2mRegister(h, h.SignUp("ada@example.com"), "worker", P{"scopes": []string{"apps:read"}})
	text := m.token(P{"audience": "https://api.example.com"}).String("access_token")
	if got := part(t, text, 1)["aud"]; got != "https://api.example.com" {
		t.Errorf("aud = %v", got)
	}
	h.With(text).Do("APP.LIST", nil).Fails(fault.TokenInvalid)
	if got := introspect(h, text); !got.Bool("active") || got.String("aud") != "https://api.example.com" {
		t.Errorf("introspection %v, want active", got.Data)
	}
	m.actor(P{"audience": harness.Issuer}).Do("APP.LIST", nil).OK()
	for _, wrong := range []string{"", "a b", "ä", strings.Repeat("a", 513)} {
		m.ask(P{"audience": wrong}).Fails(fault.Validation).Field("/audience")
	}
}

func TestTokenCustomClaims(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	m := m2mRegister(h, h.SignUp("ada@example.com"), "worker", nil)
	m.change("APP.SET_CLAIMS", P{"claims": P{"tier": "'gold'", "who": "app.slug", "nobody": "user.email"}})
	claims := part(t, m.token(nil).String("access_token"), 1)
	if claims["tier"] != "gold" || claims["who"] != "worker" || claims["nobody"] != nil || claims["sub"] != "worker" {
		t.Errorf("claims %v", claims)
	}
}

func TestTokenIsCountedByClient(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	owner := h.SignUp("ada@example.com")
	m, other := m2mRegister(h, owner, "worker", nil), m2mRegister(h, owner, "other", nil)
	h.Superadmin().Do("RATE_LIMIT.SET", P{"command": "M2M.TOKEN", "key": "token", "limit": 2, "window_seconds": 60}).OK()
	m.token(nil)
	m.token(nil)
	m.ask(nil).Fails(fault.RateLimited)
	other.token(nil)
	h.Clock.Advance(time.Minute)
	m.token(nil)
}

// The use of a secret shows, at most once a minute.
func TestTokenNotesTheUseOfASecret(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	m := m2mRegister(h, h.SignUp("ada@example.com"), "worker", nil)
	used := func() any { return m.owner.Do("APP.GET", P{"app_id": m.id}).List("secrets")[0]["last_used_at"] }
	m.ask(P{"client_secret": m.secret[:50] + "0000"}).Fails(fault.Auth)
	if used() != nil {
		t.Errorf("never used, but at %v", used())
	}
	for _, later := range []time.Duration{0, 2 * time.Minute} {
		h.Clock.Advance(later)
		m.token(nil)
		if want := h.Clock.Now().Format(time.RFC3339Nano); used() != want {
			t.Errorf("used at %v, want %s", used(), want)
		}
	}
}
