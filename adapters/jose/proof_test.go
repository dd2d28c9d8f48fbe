package jose_test

import (
	"crypto"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/lestrrat-go/jwx/v2/jwa"
	"github.com/lestrrat-go/jwx/v2/jwk"

	"gatehouse.internal/adapters/jose"
	"gatehouse.internal/domain/dpop"
)

// exampleProof is that of RFC 9449 section 4.1, figure 2.
const exampleProof = "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJoRjQyVVFVZldWQVdCRnMi" +
	"LCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19.eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBz" +
	"Oi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg"

func TestProofOfTheRFC(t *testing.T) {
	t.Parallel()
	signed, err := jose.JOSE{}.Proof(exampleProof)
	if err != nil {
		t.Fatalf("Proof() = %v", err)
	}
	// The thumbprint that the tokens of RFC 9449 section 6.1 are bound to.
	if want := "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"; signed.Key.Thumbprint != want {
		t.Errorf("thumbprint %s, want %s", signed.Key.Thumbprint, want)
	}
	if want := `{"jti":"-BwC3ESc6acc2lTc","htm":"POST","htu":"https://server.example.com/token","iat":1562262616}`; string(signed.Claims) != want {
		t.Errorf("claims %s, want %s", signed.Claims, want)
	}
	if want := `{"crv":"P-256","kty":"EC","x":"l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs","y":"9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA"}`; string(signed.Key.JWK) != want {
		t.Errorf("key %s, want %s", signed.Key.JWK, want)
	}
}

func TestProofOfEachAlgorithm(t *testing.T) {
	t.Parallel()
	for _, c := range clients(t) {
		signed, err := jose.JOSE{}.Proof(c.proof(t, object{"kid": "mine", "unknown": object{"a": 1}}))
		if err != nil {
			t.Fatalf("%s: %v", c.algorithm, err)
		}
		if string(signed.Claims) != `{"jti":"1"}` {
			t.Errorf("%s: claims %s", c.algorithm, signed.Claims)
		}
		if want := thumbprintOf(t, c); signed.Key.Thumbprint != want {
			t.Errorf("%s: thumbprint %s, want %s", c.algorithm, signed.Key.Thumbprint, want)
		}
	}
}

// An Ed25519 key also signs under the name that RFC 9864 gives its algorithm; the
// thumbprint is the same, and no other name will do.
func TestEd25519UnderItsNewName(t *testing.T) {
	t.Parallel()
	c := newClient(t, jwa.EdDSA, 0)
	named := object{"alg": "Ed25519", "jwk": changed(c.jwk, object{"alg": "Ed25519"})}
	signed, err := jose.JOSE{}.Proof(c.proof(t, named))
	if err != nil || signed.Key.Thumbprint != thumbprintOf(t, c) {
		t.Errorf("a proof: %+v, %v", signed, err)
	}
	key := parseSet(t, changed(c.jwk, object{"alg": "Ed25519"}))[0]
	if _, err := key.Verify(c.sign(t, `{"alg":"Ed25519"}`, `{}`), ""); err != nil {
		t.Errorf("an assertion: %v", err)
	}
	for _, other := range []string{"ed25519", "Ed448"} {
		if _, err := (jose.JOSE{}).Proof(c.proof(t, object{"alg": other})); !errors.Is(err, dpop.ErrAlgorithm) {
			t.Errorf("alg %s: %v, want ErrAlgorithm", other, err)
		}
	}
}

// thumbprintOf asks a library.
func thumbprintOf(t *testing.T, c *client) string {
	t.Helper()
	key, err := jwk.FromRaw(c.private.Public())
	if err != nil {
		t.Fatal(err)
	}
	digest, err := key.Thumbprint(crypto.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(digest)
}

func TestProofRefusesHeaders(t *testing.T) {
	t.Parallel()
	c, other := newClient(t, jwa.ES256, 0), newClient(t, jwa.RS256, 2048)
	flaw := func(f dpop.KeyFlaw) error { return f.Proof() }
	for name, test := range map[string]struct {
		change object
		want   error
	}{
		"no typ":                   {object{"typ": nil}, dpop.ErrType},
		"another typ":              {object{"typ": "at+jwt"}, dpop.ErrType},
		"typ in capitals":          {object{"typ": "DPoP+JWT"}, dpop.ErrType},
		"typ in full":              {object{"typ": "application/dpop+jwt"}, dpop.ErrType},
		"typ no text":              {object{"typ": 1}, dpop.ErrHeader},
		"no alg":                   {object{"alg": nil}, dpop.ErrAlgorithm},
		"alg none":                 {object{"alg": "none"}, dpop.ErrAlgorithm},
		"a MAC":                    {object{"alg": "HS256"}, dpop.ErrAlgorithm},
		"alg of another type":      {object{"alg": "RS256"}, dpop.ErrAlgorithm},
		"alg of another curve":     {object{"alg": "ES384"}, dpop.ErrAlgorithm},
		"alg of an Edwards curve":  {object{"alg": "Ed25519"}, dpop.ErrAlgorithm},
		"a key of another type":    {object{"jwk": other.jwk}, dpop.ErrAlgorithm},
		"no key":                   {object{"jwk": nil}, dpop.ErrHeader},
		"a key that is a text":     {object{"jwk": "x"}, flaw(dpop.KeyMalformed)},
		"a private key":            {object{"jwk": changed(c.jwk, object{"d": "AA"})}, flaw(dpop.KeyPrivate)},
		"a symmetric key":          {object{"jwk": object{"kty": "oct", "k": "AAAA"}}, flaw(dpop.KeySymmetric)},
		"another key":              {object{"jwk": newClient(t, jwa.ES256, 0).jwk}, dpop.ErrSignature},
		"crit":                     {object{"crit": []string{"exp"}}, dpop.ErrHeader},
		"an empty crit":            {object{"crit": []string{}}, dpop.ErrHeader},
		"b64":                      {object{"b64": false}, dpop.ErrHeader},
		"zip":                      {object{"zip": "DEF"}, dpop.ErrHeader},
		"enc":                      {object{"enc": "A256GCM"}, dpop.ErrHeader},
		"a key by URL":             {object{"jku": "https://evil.example"}, dpop.ErrHeader},
		"a certificate by URL":     {object{"x5u": "https://evil.example"}, dpop.ErrHeader},
		"certificates":             {object{"x5c": []string{}}, dpop.ErrHeader},
		"a certificate's hash":     {object{"x5t": "AA"}, dpop.ErrHeader},
		"a certificate's SHA-256":  {object{"x5t#S256": "AA"}, dpop.ErrHeader},
		"a forbidden member: null": {object{"jku": jwkNull{}}, dpop.ErrHeader},
	} {
		if _, err := (jose.JOSE{}).Proof(c.proof(t, test.change)); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
}

// jwkNull is written as null; a nil would remove the member.
type jwkNull struct{}

func (jwkNull) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

func TestProofRefusesForms(t *testing.T) {
	t.Parallel()
	c := newClient(t, jwa.ES256, 0)
	good, header := c.proof(t, nil), text(t, c.header())
	segments := strings.Split(good, ".")
	twisted := []byte(segments[2])
	if twisted[3]++; twisted[3] != 'B' {
		twisted[3] = 'A'
	}
	long := func(fill int) string {
		return c.sign(t, text(t, changed(c.header(), object{"x": strings.Repeat("x", fill)})), "{}")
	}
	for name, test := range map[string]struct {
		text string
		want error
	}{
		"nothing":                {"", dpop.ErrMalformed},
		"two segments":           {segments[0] + "." + segments[1], dpop.ErrMalformed},
		"four segments":          {good + "." + segments[2], dpop.ErrMalformed},
		"no signature":           {segments[0] + "." + segments[1] + ".", dpop.ErrMalformed},
		"no payload":             {segments[0] + ".." + segments[2], dpop.ErrMalformed},
		"padding":                {good + "=", dpop.ErrMalformed},
		"a line break":           {good + "\n", dpop.ErrMalformed},
		"a space":                {" " + good, dpop.ErrMalformed},
		"standard base64":        {segments[0] + "." + segments[1] + "." + "+/" + segments[2][2:], dpop.ErrMalformed},
		"stray bits":             {good[:len(good)-1] + string(good[len(good)-1]+1), dpop.ErrMalformed},
		"more than 8 KiB":        {long(6 << 10), dpop.ErrMalformed},
		"the JSON serialization": {`{"payload":"` + segments[1] + `","signatures":[]}`, dpop.ErrMalformed},
		"a header of no JSON":    {c.sign(t, "x", "{}"), dpop.ErrHeader},
		"a header that is null":  {c.sign(t, "null", "{}"), dpop.ErrType},
		"a header that is list":  {c.sign(t, "[]", "{}"), dpop.ErrHeader},
		"more after the header":  {c.sign(t, header+"{}", "{}"), dpop.ErrHeader},
		"typ twice":              {c.sign(t, `{"typ":"dpop+jwt",`+header[1:], "{}"), dpop.ErrHeader},
		"an unknown name twice":  {c.sign(t, `{"a":1,"a":2,`+header[1:], "{}"), dpop.ErrHeader},
		"kty twice":              {c.sign(t, strings.Replace(header, `"kty"`, `"kty":"EC","kty"`, 1), "{}"), dpop.ErrHeader},
		"invalid UTF-8":          {c.sign(t, `{"a":"`+"\xff"+`",`+header[1:], "{}"), dpop.ErrHeader},
		"names in capitals":      {c.sign(t, strings.Replace(header, `"jwk"`, `"JWK"`, 1), "{}"), dpop.ErrHeader},
		"another signature":      {segments[0] + "." + segments[1] + "." + string(twisted), dpop.ErrSignature},
		"another payload":        {segments[0] + "." + b64("{}") + "." + segments[2], dpop.ErrSignature},
		"a short signature":      {segments[0] + "." + segments[1] + "." + b64("short"), dpop.ErrSignature},
		"a signature of zeros":   {segments[0] + "." + segments[1] + "." + b64(strings.Repeat("\x00", 64)), dpop.ErrSignature},
	} {
		if _, err := (jose.JOSE{}).Proof(test.text); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
	if _, err := (jose.JOSE{}).Proof(long(5 << 10)); err != nil {
		t.Errorf("a long proof within the bound: %v", err)
	}
}

// TestProofTakesNoDERSignature: JWS signatures of ECDSA are r and s (RFC 7518
// section 3.4), and no other text stands for them.
func TestProofTakesNoDERSignature(t *testing.T) {
	t.Parallel()
	c := newClient(t, jwa.ES256, 0)
	good := c.proof(t, nil)
	at := strings.LastIndexByte(good, '.')
	digest := sha256.Sum256([]byte(good[:at]))
	der, err := c.private.Sign(nil, digest[:], crypto.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (jose.JOSE{}).Proof(good[:at+1] + b64(string(der))); !errors.Is(err, dpop.ErrSignature) {
		t.Errorf("a DER signature: %v, want ErrSignature", err)
	}
}
