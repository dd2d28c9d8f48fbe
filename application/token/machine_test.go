package token_test

import (
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/application/token"
	"gatehouse.internal/domain/app"
)

// sign signs claims as an access token of the service.
func (b *bench) sign(t *testing.T, claims map[string]any) string {
	t.Helper()
	payload, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := b.Instance.State().Keys.Active().Sign("at+jwt", payload)
	if err != nil {
		t.Fatal(err)
	}
	return string(signed)
}

// machine are the claims of an M2M token, with changes; nil takes a claim away.
func (b *bench) machine(changes map[string]any) map[string]any {
	claims := map[string]any{
		"iss": "https://auth.example.com", "aud": "https://auth.example.com", "sub": "billing-worker", "azp": "billing-worker",
		"client_id": "billing-worker", "scope": "users:read invoices:read", "org_id": "org_01jd7x9k2mf3q8v5t0abcdefgh",
		"jti": "0193c1a2-7b1e-7c3d-9a5f-abcdef012345", "iat": b.clock.now.Unix(), "exp": b.clock.now.Unix() + 3600,
	}
	maps.Copy(claims, changes)
	maps.DeleteFunc(claims, func(_ string, value any) bool { return value == nil })
	return claims
}

func TestMachineTokens(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	want := token.VerifiedToken{
		KeyID: "a", ID: "0193c1a2-7b1e-7c3d-9a5f-abcdef012345", Subject: "billing-worker", Audience: "https://auth.example.com",
		IssuedAt: b.clock.now.Unix(), Expiry: b.clock.now.Unix() + 3600, Client: "billing-worker", Scope: "users:read invoices:read",
	}
	bound := want
	bound.JKT = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"
	for name, c := range map[string]struct {
		changes map[string]any
		want    token.VerifiedToken
	}{
		"plain":         {nil, want},
		"bound":         {map[string]any{"cnf": map[string]any{"jkt": bound.JKT}}, bound},
		"another bond":  {map[string]any{"cnf": map[string]any{"x5t#S256": "A4I"}}, want},
		"custom claims": {map[string]any{"plan": "pro", "quota": 7, "tags": []string{"a"}, "deep": map[string]any{"sid": "x"}, "SID": "x", "Session": "x", "https://example.com/tier": "gold"}, want},
	} {
		signed := b.sign(t, b.machine(c.changes))
		for range 2 { // the second is remembered
			if got, err := b.Verify(t.Context(), signed, never); err != nil || got != c.want || !got.Machine() {
				t.Errorf("%s: Verify() = %+v, %v, want %+v", name, got, err, c.want)
			}
		}
	}
	person, err := b.Verify(t.Context(), b.issue(t), never)
	if err != nil || person.Machine() || person.Session != "ses_01jd7x9k2mf3q8v5t0abcdefgh" || person.Client != app.LoginClient {
		t.Errorf("Verify() of a person's token = %+v, %v", person, err)
	}
}

// A token for another audience is nobody's here, but can be looked at.
func TestForeignAudience(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for name, audience := range map[string]any{
		"another": "https://api.example.com", "none": nil, "empty": "", "with a slash": "https://auth.example.com/",
		"in capitals": "https://AUTH.example.com", "a prefix": "https://auth.example.co",
	} {
		signed := b.sign(t, b.machine(map[string]any{"aud": audience}))
		for range 2 {
			if got, err := b.Verify(t.Context(), signed, never); !errors.Is(err, token.ErrInvalid) || got != (token.VerifiedToken{}) {
				t.Errorf("%s: Verify() = %+v, %v, want ErrInvalid", name, got, err)
			}
			text, _ := audience.(string)
			if got, err := b.Inspect(t.Context(), signed, never); err != nil || got.Audience != text || got.Client != "billing-worker" {
				t.Errorf("%s: Inspect() = %+v, %v", name, got, err)
			}
		}
	}
}

// An expired token is told as such only where all else is right; Inspect gives it
// all the same.
func TestExpiredMachineTokens(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	own, foreign := b.sign(t, b.machine(nil)), b.sign(t, b.machine(map[string]any{"aud": "https://api.example.com"}))
	endless := b.sign(t, b.machine(map[string]any{"exp": nil}))
	b.clock.now = b.clock.now.Add(time.Hour)
	if _, err := b.Verify(t.Context(), own, never); !errors.Is(err, token.ErrExpired) {
		t.Errorf("Verify() = %v, want ErrExpired", err)
	}
	if got, err := b.Verify(t.Context(), foreign, never); !errors.Is(err, token.ErrInvalid) || got != (token.VerifiedToken{}) {
		t.Errorf("Verify() of one for somebody else = %+v, %v, want ErrInvalid", got, err)
	}
	for _, signed := range []string{own, foreign} {
		if got, err := b.Inspect(t.Context(), signed, never); !errors.Is(err, token.ErrExpired) || got.ID == "" || got.Client != "billing-worker" {
			t.Errorf("Inspect() = %+v, %v, want the token with ErrExpired", got, err)
		}
	}
	if _, err := b.Verify(t.Context(), endless, never); !errors.Is(err, token.ErrExpired) {
		t.Errorf("Verify() of a token without an end = %v, want ErrExpired", err)
	}
	if got, err := b.Inspect(t.Context(), own[:len(own)-4]+"AAAA", never); !errors.Is(err, token.ErrInvalid) || got != (token.VerifiedToken{}) {
		t.Errorf("Inspect() of a wrong signature = %+v, %v, want ErrInvalid and nothing", got, err)
	}
}

// A token is a user's or an app's, never both or neither, and its claims have
// their types.
func TestTokensOfNobody(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for name, changes := range map[string]map[string]any{
		"neither sid nor client_id":  {"client_id": nil},
		"an empty client_id":         {"client_id": ""},
		"both sid and client_id":     {"sid": "ses_01jd7x9k2mf3q8v5t0abcdefgh"},
		"another issuer":             {"iss": "https://elsewhere.example.com"},
		"no issuer":                  {"iss": nil},
		"a client_id of no text":     {"client_id": 7},
		"a scope of no text":         {"scope": []string{"users:read"}},
		"an end of no number":        {"exp": "tomorrow"},
		"a fraction of a second":     {"exp": 1.5},
		"cnf of no object":           {"cnf": "jkt"},
		"jkt of no text":             {"cnf": map[string]any{"jkt": 7}},
		"a sid of no text":           {"sid": 7},
		"several audiences":          {"aud": []string{"https://auth.example.com", "https://api.example.com"}},
		"roles of a person's, wrong": {"roles": "owner"},
	} {
		signed := b.sign(t, b.machine(changes))
		for how, check := range map[string]func() (token.VerifiedToken, error){
			"Verify":  func() (token.VerifiedToken, error) { return b.Verify(t.Context(), signed, never) },
			"Inspect": func() (token.VerifiedToken, error) { return b.Inspect(t.Context(), signed, never) },
		} {
			if got, err := check(); !errors.Is(err, token.ErrInvalid) || got != (token.VerifiedToken{}) {
				t.Errorf("%s: %s() = %+v, %v, want ErrInvalid and nothing", name, how, got, err)
			}
		}
	}
	for name, payload := range map[string]string{
		"no object": `"billing-worker"`, "no JSON": `{`, "a list": `[]`, "nothing": ``, "a claim twice": `{"client_id":"a","client_id":"b"}`,
	} {
		signed, err := b.Instance.State().Keys.Active().Sign("at+jwt", []byte(payload))
		if err != nil {
			continue
		}
		if got, err := b.Inspect(t.Context(), string(signed), never); !errors.Is(err, token.ErrInvalid) || got != (token.VerifiedToken{}) {
			t.Errorf("%s: Inspect() = %+v, %v, want ErrInvalid", name, got, err)
		}
	}
}

// A token is remembered by its whole text, with who it was made for: the memory
// lets nobody in whom the check would keep out.
func TestMemoryKeepsAudiencesApart(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	signed := b.sign(t, b.machine(map[string]any{"aud": "https://api.example.com"}))
	if _, err := b.Inspect(t.Context(), signed, never); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Verify(t.Context(), signed, never); !errors.Is(err, token.ErrInvalid) {
		t.Errorf("Verify() after Inspect() = %v, want ErrInvalid", err)
	}
}
