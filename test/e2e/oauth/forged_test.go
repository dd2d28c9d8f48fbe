package oauth_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"maps"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/adapters/cipher"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/test/e2e/instance"
)

// mint makes a compact JWS of any header, claims and signature.
func mint(t testing.TB, header, claims any, sign func(input []byte) []byte) string {
	t.Helper()
	input := instance.Encoded(instance.JSONOf(t, header)) + "." + instance.Encoded(instance.JSONOf(t, claims))
	return input + "." + instance.Encoded(sign([]byte(input)))
}

// byECDSA signs as ES256 does (RFC 7518 section 3.4).
func byECDSA(t testing.TB, key *ecdsa.PrivateKey) func([]byte) []byte {
	return func(input []byte) []byte {
		digest := sha256.Sum256(input)
		r, s, err := ecdsa.Sign(rand.Reader, key, digest[:])
		if err != nil {
			t.Errorf("sign: %v", err)
			return nil
		}
		return append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
	}
}

func byRSA(t testing.TB, key *rsa.PrivateKey) func([]byte) []byte {
	return func(input []byte) []byte {
		digest := sha256.Sum256(input)
		signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, digest[:])
		if err != nil {
			t.Errorf("sign: %v", err)
		}
		return signature
	}
}

func byHMAC(secret []byte) func([]byte) []byte {
	return func(input []byte) []byte {
		mac := hmac.New(sha256.New, secret)
		mac.Write(input)
		return mac.Sum(nil)
	}
}

func by(signature []byte) func([]byte) []byte { return func([]byte) []byte { return signature } }

// stolen is the site's own signing key, as somebody has it who knows both the
// database and JWT_SECRET: it tells what is checked beside the signature.
func stolen(s *instance.Site, kid string) *ecdsa.PrivateKey {
	s.T.Helper()
	var sealed string
	s.Query("SELECT private FROM signing_keys WHERE kid = '"+kid+"'", &sealed)
	opened, err := cipher.FromSecret(instance.JwtSecret, "gatehouse signing keys", system.Random{}).Open(sealed, "signing_keys/private/"+kid)
	if err != nil {
		s.T.Fatalf("open the signing key: %v", err)
	}
	der, err := base64.StdEncoding.DecodeString(opened)
	if err != nil {
		s.T.Fatalf("open the signing key: %v", err)
	}
	key, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		s.T.Fatalf("read the signing key: %v", err)
	}
	return key.(*ecdsa.PrivateKey)
}

func newECDSA(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatalf("make a key: %v", err)
	}
	return key
}

func TestForgedTokens(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		ada := s.First().SignUp()
		header, claims := instance.HeaderOf(t, ada.Access), instance.ClaimsOf(t, ada.Access)
		foreign, own := newECDSA(t), stolen(s, header["kid"].(string))
		if token := mint(t, header, claims, byECDSA(t, own)); s.Last().Present("Bearer "+token).Code() != "OK" {
			t.Fatal("a token minted by hand with the right key is refused: the others would prove nothing")
		}
		forged := foreignTokens(t, header, claims, foreign)
		maps.Copy(forged, confusedTokens(t, header, claims, own))
		maps.Copy(forged, wrongTokens(t, header, claims, own))
		i := 0
		for name, token := range forged {
			if answer := s.Any(i).Present("Bearer " + token); answer.Code() != "TOKEN_INVALID" {
				t.Errorf("%s: %v %d %s, want TOKEN_INVALID", name, answer.Err, answer.Status, answer.Body)
			}
			i++
		}
		expired := instance.With(claims, P{"exp": time.Now().Add(-time.Second).Unix()})
		s.Last().Present("Bearer " + mint(t, header, expired, byECDSA(t, own))).Fails("TOKEN_EXPIRED")
		// Expired is said only when the signature is right.
		s.Last().Present("Bearer " + mint(t, header, expired, byECDSA(t, foreign))).Fails("TOKEN_INVALID")
		for name, exp := range map[string]any{"no expiry": nil, "expiry zero": 0, "negative": -5} {
			answer := s.Last().Present("Bearer " + mint(t, header, instance.With(claims, P{"exp": exp}), byECDSA(t, own)))
			if answer.Status != 401 {
				t.Errorf("%s: %d %s, want 401", name, answer.Status, answer.Body)
			}
		}
		// The session in a token decides, not what the token says beside it.
		s.Last().Present("Bearer " + mint(t, header, instance.With(claims, P{"sid": "ses_" + strings.Repeat("0", 26)}), byECDSA(t, own))).Fails("AUTH_ERROR")
		s.Last().As(ada, "USER.ME", nil).OK()
	})
}

// foreignTokens are signed by a key that is not the service's.
func foreignTokens(t *testing.T, header, claims P, foreign *ecdsa.PrivateKey) map[string]string {
	sign := byECDSA(t, foreign)
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatalf("make a key: %v", err)
	}
	x, y := coordinates(t, &foreign.PublicKey)
	jwk := P{"kty": "EC", "crv": "P-256", "x": x, "y": y, "kid": header["kid"], "alg": "ES256", "use": "sig"}
	der, err := x509.MarshalPKIXPublicKey(&foreign.PublicKey)
	if err != nil {
		t.Fatalf("encode a key: %v", err)
	}
	chain := []string{base64.StdEncoding.EncodeToString(der)}
	return map[string]string{
		"a foreign key, the same kid": mint(t, header, claims, sign),
		"a foreign key, no kid":       mint(t, instance.With(header, P{"kid": nil}), claims, sign),
		"a foreign key, another kid":  mint(t, instance.With(header, P{"kid": "mine"}), claims, sign),
		"a kid that is a path":        mint(t, instance.With(header, P{"kid": "../../../../dev/null"}), claims, sign),
		"a kid that is SQL":           mint(t, instance.With(header, P{"kid": "' OR 1=1 --"}), claims, sign),
		"a kid that is a number":      mint(t, instance.With(header, P{"kid": 7}), claims, sign),
		"a foreign RSA key":           mint(t, instance.With(header, P{"alg": "RS256"}), claims, byRSA(t, rsaKey)),
		"a foreign RSA key as ES256":  mint(t, header, claims, byRSA(t, rsaKey)),
		"jwk in the header":           mint(t, instance.With(header, P{"jwk": jwk}), claims, sign),
		"jwk and no kid":              mint(t, instance.With(header, P{"jwk": jwk, "kid": nil}), claims, sign),
		"jku in the header":           mint(t, instance.With(header, P{"jku": "http://127.0.0.1:1/jwks.json"}), claims, sign),
		"x5u in the header":           mint(t, instance.With(header, P{"x5u": "http://127.0.0.1:1/cert.pem"}), claims, sign),
		"x5c in the header":           mint(t, instance.With(header, P{"x5c": chain}), claims, sign),
		"x5t in the header":           mint(t, instance.With(header, P{"x5t": "AAAA", "x5t#S256": "AAAA"}), claims, sign),
		"a signature of zeros":        mint(t, header, claims, by(make([]byte, 64))),
		"a signature of ones":         mint(t, header, claims, by([]byte(strings.Repeat("\xff", 64)))),
		"a short signature":           mint(t, header, claims, by(make([]byte, 63))),
		"a long signature":            mint(t, header, claims, by(make([]byte, 65))),
		"no signature":                mint(t, header, claims, by(nil)),
		"a signature of a megabyte":   mint(t, header, claims, by(make([]byte, 12<<10))),
		"a superadmin of one's own":   mint(t, header, instance.With(claims, P{"is_superadmin": true, "roles": []string{"owner", "admin"}}), sign),
	}
}

// confusedTokens name an algorithm that is not the key's.
func confusedTokens(t *testing.T, header, claims P, own *ecdsa.PrivateKey) map[string]string {
	der, err := x509.MarshalPKIXPublicKey(&own.PublicKey)
	if err != nil {
		t.Fatalf("encode a key: %v", err)
	}
	x, y := coordinates(t, &own.PublicKey)
	hs := instance.With(header, P{"alg": "HS256"})
	forged := map[string]string{
		"HS256 under the PEM":        mint(t, hs, claims, byHMAC(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))),
		"HS256 under the DER":        mint(t, hs, claims, byHMAC(der)),
		"HS256 under x":              mint(t, hs, claims, byHMAC(instance.Decoded(t, x))),
		"HS256 under the JWK":        mint(t, hs, claims, byHMAC(instance.JSONOf(t, P{"crv": "P-256", "kty": "EC", "x": x, "y": y}))),
		"HS256 under nothing":        mint(t, hs, claims, byHMAC(nil)),
		"HS256 under JWT_SECRET":     mint(t, hs, claims, byHMAC([]byte(instance.JwtSecret))),
		"HS256 under the kid":        mint(t, hs, claims, byHMAC([]byte(header["kid"].(string)))),
		"an algorithm that is a map": mint(t, instance.With(header, P{"alg": P{}}), claims, byECDSA(t, own)),
		"no algorithm":               mint(t, instance.With(header, P{"alg": nil}), claims, byECDSA(t, own)),
	}
	for _, none := range []string{"none", "None", "NONE", "nOnE", "", " "} {
		forged["alg "+none+", no signature"] = mint(t, instance.With(header, P{"alg": none}), claims, by(nil))
		forged["alg "+none+", signed"] = mint(t, instance.With(header, P{"alg": none}), claims, byECDSA(t, own))
	}
	for _, other := range []string{"es256", "ES384", "ES512", "ES256K", "PS256", "RS256", "EdDSA", "HS384", "HS512", "dir", "A128KW", "PBES2-HS256+A128KW"} {
		forged["alg "+other] = mint(t, instance.With(header, P{"alg": other, "p2c": 2_000_000_000}), claims, byECDSA(t, own))
	}
	return forged
}

// wrongTokens have a right signature and are not for this service, or are no
// access tokens.
func wrongTokens(t *testing.T, header, claims P, own *ecdsa.PrivateKey) map[string]string {
	sign := byECDSA(t, own)
	forged := map[string]string{}
	for name, change := range map[string]P{
		"another issuer": {"iss": "http://evil.test"}, "the issuer with a slash": {"iss": instance.Issuer + "/"}, "no issuer": {"iss": nil}, "issuers": {"iss": []string{instance.Issuer}},
		"another audience": {"aud": "http://evil.test"}, "no audience": {"aud": nil}, "an empty audience": {"aud": ""}, "an audience of nobody": {"aud": []string{}},
		"exp a text": {"exp": "9999999999"}, "sid a number": {"sid": 5}, "sub a map": {"sub": P{}},
	} {
		forged[name] = mint(t, header, instance.With(claims, change), sign)
	}
	for name, change := range map[string]P{
		"typ JWT": {"typ": "JWT"}, "typ id token": {"typ": "id+jwt"}, "no typ": {"typ": nil}, "typ dpop": {"typ": "dpop+jwt"}, "typ logout": {"typ": "logout+jwt"},
		"typ a list": {"typ": []string{"at+jwt"}}, "an unknown crit": {"crit": []string{"exp"}, "exp": 1}, "crit b64": {"crit": []string{"b64"}, "b64": false},
		"crit empty": {"crit": []string{}}, "crit a text": {"crit": "exp"}, "crit of nothing there": {"crit": []string{"nothing"}},
	} {
		forged[name] = mint(t, instance.With(header, change), claims, sign)
	}
	forged["claims a list"] = mint(t, header, []string{}, sign)
	forged["claims null"] = mint(t, header, nil, sign)
	forged["a second signature"] = mint(t, header, claims, sign) + "." + instance.Encoded(make([]byte, 64))
	der := func(input []byte) []byte {
		digest := sha256.Sum256(input)
		signature, err := ecdsa.SignASN1(rand.Reader, own, digest[:])
		if err != nil {
			t.Errorf("sign: %v", err)
		}
		return signature
	}
	forged["a DER signature"] = mint(t, header, claims, der)
	twice := instance.Encoded([]byte(`{"alg":"none","alg":"ES256","typ":"at+jwt","kid":"`+header["kid"].(string)+`"}`)) + "." + instance.Encoded(instance.JSONOf(t, claims))
	forged["a header with a name twice"] = twice + "." + instance.Encoded(sign([]byte(twice)))
	claimed := string(instance.JSONOf(t, claims))
	double := instance.Encoded(instance.JSONOf(t, header)) + "." + instance.Encoded([]byte(`{"sub":"usr_`+strings.Repeat("0", 26)+`",`+claimed[1:]))
	forged["claims with a name twice"] = double + "." + instance.Encoded(sign([]byte(double)))
	return forged
}

func coordinates(t testing.TB, key *ecdsa.PublicKey) (string, string) {
	t.Helper()
	point, err := key.Bytes()
	if err != nil {
		t.Fatalf("encode a key: %v", err)
	}
	return instance.Encoded(point[1:33]), instance.Encoded(point[33:])
}

// A replica with another public address signs with the same keys: its tokens are
// not for this one.
func TestTokensOfAnotherIssuer(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		elsewhere := instance.Plan(t, s.Environment["DATABASE_URL"], "SERVICE_HOST=http://other.test")
		instance.Stop(s.Replicas...) // two processes on one SQLite file would be two replicas
		elsewhere.Start(1)
		ada := elsewhere.First().SignUp()
		instance.Stop(elsewhere.Replicas...)
		s.Start(on.Replicas)
		s.Last().As(ada, "USER.ME", nil).Fails("TOKEN_INVALID")
		renewed := s.Last().Rotate(ada.Refresh)
		if got := instance.ClaimsOf(t, renewed.Text("access_token"))["iss"]; got != instance.Issuer {
			t.Errorf("the renewed token is of %v", got)
		}
	})
}
