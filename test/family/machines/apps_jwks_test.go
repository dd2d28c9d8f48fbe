package machines_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"strings"
	"testing"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// publicKey makes a public key for ES256 as JWK.
func publicKey(t *testing.T, kid string) P {
	t.Helper()
	made, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	point, err := made.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	return P{"kty": "EC", "crv": "P-256", "kid": kid, "x": encode(point[1:33]), "y": encode(point[33:])}
}

func TestSetJWKS(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	id, secret := appRegister(alice, "billing", nil)
	one, two := publicKey(t, "one"), publicKey(t, "two")
	one["x5c"], two["use"] = []string{"a certificate"}, "sig"
	set := alice.Do("APP.SET_JWKS", P{"app_id": id, "jwks": P{"keys": []P{one, two}}}).OK()
	keys := set.List("app.jwks.keys")
	if len(keys) != 2 || keys[0]["kid"] != "one" || keys[0]["x"] != one["x"] || keys[0]["alg"] != "ES256" || keys[0]["x5c"] != nil {
		t.Errorf("the set is kept as %v", keys)
	}
	wantEvent(t, h, app.KindKeysSet, alice.OrgID, id, `"source":"jwks"`)
	if !good(t, h, alice.OrgID, "billing", secret) {
		t.Error("the secret ended with the keys")
	}
	alice.Do("APP.SET_JWKS", P{"app_id": id, "jwks": P{"keys": []P{one, two}}}).OK()
	only(t, h, app.KindKeysSet)
	fetched := alice.Do("APP.SET_JWKS", P{"app_id": id, "jwks_uri": "https://a.example/jwks.json"}).OK()
	if fetched.String("app.jwks_uri") != "https://a.example/jwks.json" || fetched.Has("app.jwks") {
		t.Errorf("after setting an address: %v", fetched.Data)
	}
	none := alice.Do("APP.SET_JWKS", P{"app_id": id}).OK()
	if none.String("app.jwks_uri") != "" || none.Has("app.jwks") {
		t.Errorf("after removing: %v", none.Data)
	}
	if events := h.Events(app.KindKeysSet); len(events) != 3 || !strings.Contains(string(events[0].Data), `"source":"none"`) {
		t.Errorf("%d events, the last %s", len(events), events[0].Data)
	}
}

func TestSetJWKSRefuses(t *testing.T) {
	t.Parallel()
	alice := harness.InProduction(t, harness.SQLite(t)).SignUp("alice@example.com")
	id, _ := appRegister(alice, "billing", nil)
	private, curve := publicKey(t, "one"), publicKey(t, "one")
	private["d"], curve["y"] = private["x"], curve["x"]
	for path, jwks := range map[string]P{
		"/jwks/keys":   {"keys": []P{}},
		"/jwks/keys/0": {"keys": []P{private}},
		"/jwks/keys/1": {"keys": []P{publicKey(t, "two"), curve}},
		"/jwks/keys/2": {"keys": []P{publicKey(t, "1"), publicKey(t, "2"), publicKey(t, "1")}},
	} {
		refused := alice.Do("APP.SET_JWKS", P{"app_id": id, "jwks": jwks}).Fails(fault.Validation).Field(path)
		if x, _ := private["x"].(string); strings.Contains(refused.Failure.Message, x) {
			t.Errorf("%s: the refusal quotes the key", path)
		}
	}
	alice.Do("APP.SET_JWKS", P{"app_id": id, "jwks": P{}}).Fails(fault.Validation).Field("/jwks/keys")
	for _, address := range []string{
		"http://a.example/jwks", "https://u:p@a.example/jwks", "file:///jwks", "https://",
		"https://127.0.0.1/jwks", "https://10.0.0.5/jwks", "https://169.254.169.254/latest", "https://[::1]/jwks", "https://localhost/jwks",
		"https://db.internal/jwks", "https://127.1/jwks",
	} {
		alice.Do("APP.SET_JWKS", P{"app_id": id, "jwks_uri": address}).Fails(fault.Validation).Field("/jwks_uri")
	}
	both := P{"app_id": id, "jwks_uri": "https://a.example/jwks", "jwks": P{"keys": []P{publicKey(t, "1")}}}
	alice.Do("APP.SET_JWKS", both).Fails(fault.Validation).Field("")
	public, _ := appRegister(alice, "public", P{"type": "spa"})
	alice.Do("APP.SET_JWKS", P{"app_id": public, "jwks_uri": "https://a.example/jwks"}).Fails(fault.Validation).Field("/app_id")
	if got := alice.Do("APP.GET", P{"app_id": id}); got.Has("app.jwks") || got.String("app.jwks_uri") != "" {
		t.Errorf("refused keys were stored: %v", got.Data)
	}
}
