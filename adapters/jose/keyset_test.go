package jose_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lestrrat-go/jwx/v2/jwa"
	"github.com/lestrrat-go/jwx/v2/jwk"
	"github.com/lestrrat-go/jwx/v2/jws"

	"gatehouse.internal/adapters/jose"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/outbound/crypt"
)

// setOf writes keys as a JWK Set.
func setOf(t *testing.T, keys ...object) []byte {
	t.Helper()
	raw, err := json.Marshal(object{"keys": keys, "other": 1})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func parseSet(t *testing.T, keys ...object) []crypt.PublicKey {
	t.Helper()
	parsed, err := jose.JOSE{}.ParsePublicSet(setOf(t, keys...))
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestPublicSetVerifiesWhatOthersSign(t *testing.T) {
	t.Parallel()
	for _, signer := range clients(t) {
		key := parseSet(t, changed(signer.jwk, object{"kid": "one", "use": "sig", "x5t": "ignored"}))[0]
		if key.ID() != "one" || key.Algorithm() != signer.algorithm.String() {
			t.Errorf("the key is %q, %s, want one, %s", key.ID(), key.Algorithm(), signer.algorithm)
		}
		for _, header := range []object{
			{"alg": signer.algorithm.String()},
			{"alg": signer.algorithm.String(), "kid": "one", "typ": "JWT"},
			{"alg": signer.algorithm.String(), "typ": "client-authentication+jwt", "x5t": "theirs"},
			{"alg": signer.algorithm.String(), "typ": "application/JWT"},
		} {
			payload, err := key.Verify(signer.sign(t, text(t, header), `{"sub":"billing"}`), "client-authentication+jwt")
			if err != nil || string(payload) != `{"sub":"billing"}` {
				t.Errorf("%s: %v: %s, %v", signer.algorithm, header, payload, err)
			}
		}
		// What is kept of a key is the key, to other libraries too.
		if again := parseSet(t, decoded(t, key.JWK()))[0]; string(again.JWK()) != string(key.JWK()) || again.ID() != "one" {
			t.Errorf("%s read again is %s", key.JWK(), again.JWK())
		}
		theirs, err := jwk.ParseKey(key.JWK())
		if err != nil {
			t.Fatal(err)
		}
		signed, err := jws.Sign([]byte(`{}`), jws.WithKey(signer.algorithm, signer.private))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := jws.Verify(signed, jws.WithKey(signer.algorithm, theirs)); err != nil {
			t.Errorf("jwx refuses %s: %v", key.JWK(), err)
		}
	}
}

func decoded(t *testing.T, raw []byte) object {
	t.Helper()
	var read object
	if err := json.Unmarshal(raw, &read); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return read
}

func TestPublicKeyRefuses(t *testing.T) {
	t.Parallel()
	all := clients(t)
	stranger := newClient(t, jwa.ES256, 0)
	for _, signer := range all {
		key := parseSet(t, changed(signer.jwk, object{"kid": "one"}))[0]
		right := object{"alg": signer.algorithm.String(), "kid": "one"}
		payload := `{"sub":"billing"}`
		good := signer.sign(t, text(t, right), payload)
		tokens := map[string]string{
			"empty": "", "two segments": strings.Join(strings.Split(good, ".")[:2], "."), "four segments": good + ".x",
			"long": strings.Repeat("a", 9<<10), "padded": good + "=", "line end": good + "\n", "no header": "." + strings.SplitN(good, ".", 2)[1],
			"stranger":  stranger.sign(t, text(t, changed(right, object{"alg": "ES256"})), payload),
			"unsigned":  b64(text(t, right)) + "." + b64(payload) + ".",
			"duplicate": signer.sign(t, `{"alg":"`+signer.algorithm.String()+`","alg":"`+signer.algorithm.String()+`"}`, payload),
		}
		for name, over := range map[string]object{
			"none": {"alg": "none"}, "HMAC": {"alg": "HS256"}, "other length": {"alg": "ES384"}, "PSS": {"alg": "PS256"}, "no alg": {"alg": nil},
			"other kid": {"kid": "two"}, "crit": {"crit": []string{"exp"}}, "b64": {"b64": false}, "jwk": {"jwk": signer.jwk},
			"jku": {"jku": "https://evil.example"}, "x5u": {"x5u": "https://evil.example"}, "zip": {"zip": "DEF"}, "enc": {"enc": "A128GCM"},
			"a proof": {"typ": "dpop+jwt"}, "an access token": {"typ": "at+jwt"},
		} {
			tokens[name] = signer.sign(t, text(t, changed(right, over)), payload)
		}
		for _, other := range all {
			if other != signer {
				tokens[other.algorithm.String()] = other.sign(t, text(t, object{"alg": other.algorithm.String()}), payload)
			}
		}
		for name, token := range tokens {
			if _, err := key.Verify(token, "client-authentication+jwt"); !errors.Is(err, crypt.ErrTokenRefused) {
				t.Errorf("%s: %s: Verify = %v, want ErrTokenRefused", signer.algorithm, name, err)
			}
		}
	}
}

func TestParsePublicSetRefuses(t *testing.T) {
	t.Parallel()
	ec, small := newClient(t, jwa.ES256, 0).jwk, newClient(t, jwa.RS256, 1024).jwk
	private, err := ecdsa.GenerateKey(elliptic.P384(), nil)
	if err != nil {
		t.Fatal(err)
	}
	many := slices.Repeat([]object{ec}, 21)
	for name, c := range map[string]struct {
		keys []object
		path string
	}{
		"none":          {[]object{}, "/keys"},
		"too many":      {many, "/keys"},
		"private":       {[]object{ec, changed(ec, object{"d": "AAAA"})}, "/keys/1"},
		"symmetric":     {[]object{{"kty": "oct", "k": "AAAA"}}, "/keys/0"},
		"unknown":       {[]object{{"kty": "XYZ"}}, "/keys/0"},
		"off the curve": {[]object{changed(ec, object{"x": ec["y"]})}, "/keys/0"},
		"other curve":   {[]object{publicOf(t, crypto.Signer(private))}, "/keys/0"},
		"short RSA":     {[]object{small}, "/keys/0"},
		"for use":       {[]object{changed(ec, object{"use": "enc"})}, "/keys/0"},
		"other alg":     {[]object{changed(ec, object{"alg": "RS256"})}, "/keys/0"},
		"kid twice":     {[]object{changed(ec, object{"kid": "a"}), changed(newClient(t, jwa.EdDSA, 0).jwk, object{"kid": "a"})}, "/keys/1"},
		"long kid":      {[]object{changed(ec, object{"kid": strings.Repeat("k", 257)})}, "/keys/0"},
		"kid no text":   {[]object{changed(ec, object{"kid": 1})}, "/keys/0"},
	} {
		_, err := jose.JOSE{}.ParsePublicSet(setOf(t, c.keys...))
		wantPlace(t, name, err, c.path)
	}
	for raw, path := range map[string]string{
		``: "", `[]`: "", `null`: "", `{"keys":{}}`: "", `{"keys":[],"keys":[]}`: "", `{}`: "/keys", `{"keys":[1]}`: "/keys/0",
		`{"keys":[]} {}`: "", `{"x":"` + strings.Repeat("x", 257<<10) + `"}`: "",
	} {
		_, err := jose.JOSE{}.ParsePublicSet([]byte(raw))
		wantPlace(t, fmt.Sprintf("%.40s", raw), err, path)
	}
}

func wantPlace(t *testing.T, name string, err error, path string) {
	t.Helper()
	refused, ok := errors.AsType[*fault.Error](err)
	if !ok || refused.Code != fault.Validation || len(refused.Fields) != 1 || refused.Fields[0].Path != path {
		t.Errorf("%s: %v, want one complaint about %q", name, err, path)
	}
}

func TestKeysWithoutKidMayBeMany(t *testing.T) {
	t.Parallel()
	parsed := parseSet(t, newClient(t, jwa.ES256, 0).jwk, newClient(t, jwa.ES256, 0).jwk, changed(newClient(t, jwa.ES256, 0).jwk, object{"kid": `"é\`}))
	if len(parsed) != 3 || parsed[0].ID() != "" || parsed[2].ID() != `"é\` {
		t.Errorf("parsed %d keys", len(parsed))
	}
	if got := decoded(t, parsed[2].JWK())["kid"]; got != `"é\` {
		t.Errorf("the kid is written as %q", got)
	}
}

func TestReadPublicSetLeavesOutWhatIsOfNoUse(t *testing.T) {
	t.Parallel()
	ec := newClient(t, jwa.ES256, 0).jwk
	keys, err := jose.JOSE{}.ReadPublicSet(setOf(t,
		object{"kty": "XYZ"}, changed(ec, object{"use": "enc"}), changed(ec, object{"kid": "one"}), object{"kty": "oct", "k": "AAAA"}))
	if err != nil || len(keys) != 1 || keys[0].ID() != "one" {
		t.Errorf("read %d keys, %v, want the one of use", len(keys), err)
	}
	if keys, err := (jose.JOSE{}).ReadPublicSet(setOf(t, slices.Repeat([]object{ec}, 30)...)); err != nil || len(keys) != 20 {
		t.Errorf("read %d keys of 30, %v, want 20", len(keys), err)
	}
	if keys, err := (jose.JOSE{}).ReadPublicSet([]byte(`{"keys":[]}`)); err != nil || len(keys) != 0 {
		t.Errorf("read %d keys of none, %v", len(keys), err)
	}
	_, err = jose.JOSE{}.ReadPublicSet([]byte(`<html>`))
	wantPlace(t, "a page", err, "")
}
