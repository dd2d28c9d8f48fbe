package jose_test

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/lestrrat-go/jwx/v2/jwa"

	"gatehouse.internal/adapters/jose"
	"gatehouse.internal/domain/dpop"
	"gatehouse.internal/domain/fault"
)

// exampleRSA is the key of RFC 7638 section 3.1.
const exampleRSA = `{"kty":"RSA","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMs` +
	`tn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw",` +
	`"e":"AQAB","alg":"RS256","kid":"2011-04-29"}`

// exampleEdwards is the key of RFC 8037 appendix A.3.
const exampleEdwards = `{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}`

func TestThumbprintsOfTheRFCs(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		exampleRSA:     "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs",
		exampleEdwards: "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
	} {
		key, err := jose.JOSE{}.Key([]byte(given))
		if err != nil || key.Thumbprint != want {
			t.Errorf("thumbprint %s (%v), want %s", key.Thumbprint, err, want)
		}
	}
}

func TestThumbprintIsOfTheRequiredMembers(t *testing.T) {
	t.Parallel()
	for _, c := range clients(t) {
		plain, err := jose.JOSE{}.Key([]byte(text(t, c.jwk)))
		if err != nil {
			t.Fatal(err)
		}
		more := changed(c.jwk, object{"kid": "a", "use": "sig", "alg": c.algorithm.String(), "key_ops": []string{"verify"}, "ext": true, "x5t": 1})
		full, err := jose.JOSE{}.Key([]byte(" " + text(t, more) + "\n"))
		if err != nil || full.Thumbprint != plain.Thumbprint || string(full.JWK) != string(plain.JWK) {
			t.Errorf("%s: more members make %+v (%v) of %+v", c.algorithm, full, err, plain)
		}
		again, err := jose.JOSE{}.Key(plain.JWK)
		if err != nil || again.Thumbprint != plain.Thumbprint {
			t.Errorf("%s: what was made of a key is not that key (%v)", c.algorithm, err)
		}
	}
}

func TestKeyRefuses(t *testing.T) {
	t.Parallel()
	ec, ed, rsa := newClient(t, jwa.ES256, 0).jwk, newClient(t, jwa.EdDSA, 0).jwk, newClient(t, jwa.RS256, 2048).jwk
	zeros := func(n int) string { return b64(strings.Repeat("\x00", n)) }
	for name, test := range map[string]struct {
		key  object
		want dpop.KeyFlaw
	}{
		"no kty":                     {changed(ec, object{"kty": nil}), dpop.KeyKind},
		"an unknown kty":             {changed(ec, object{"kty": "ec"}), dpop.KeyKind},
		"a symmetric key":            {object{"kty": "oct", "k": "AAAA"}, dpop.KeySymmetric},
		"k beside a point":           {changed(ec, object{"k": "AAAA"}), dpop.KeySymmetric},
		"a kty that is no text":      {changed(ec, object{"kty": 1}), dpop.KeyMalformed},
		"another curve":              {changed(ec, object{"crv": "P-384"}), dpop.KeyKind},
		"secp256k1":                  {changed(ec, object{"crv": "secp256k1"}), dpop.KeyKind},
		"no curve":                   {changed(ec, object{"crv": nil}), dpop.KeyKind},
		"X25519":                     {changed(ed, object{"crv": "X25519"}), dpop.KeyKind},
		"Ed448":                      {changed(ed, object{"crv": "Ed448"}), dpop.KeyKind},
		"no x":                       {changed(ec, object{"x": nil}), dpop.KeyMalformed},
		"no y":                       {changed(ec, object{"y": nil}), dpop.KeyMalformed},
		"x with padding":             {changed(ec, object{"x": ec["x"].(string) + "="}), dpop.KeyMalformed},
		"x with a line break":        {changed(ec, object{"x": ec["x"].(string) + "\n"}), dpop.KeyMalformed},
		"x too short":                {changed(ec, object{"x": zeros(31)}), dpop.KeyLength},
		"y too long":                 {changed(ec, object{"y": zeros(33)}), dpop.KeyLength},
		"a point off the curve":      {changed(ec, object{"x": ec["y"]}), dpop.KeyPoint},
		"the point of zeros":         {changed(ec, object{"x": zeros(32), "y": zeros(32)}), dpop.KeyPoint},
		"x beyond the field":         {changed(ec, object{"x": b64(strings.Repeat("\xff", 32))}), dpop.KeyPoint},
		"an Ed25519 key too short":   {changed(ed, object{"x": zeros(31)}), dpop.KeyLength},
		"no Ed25519 x":               {changed(ed, object{"x": nil}), dpop.KeyMalformed},
		"no modulus":                 {changed(rsa, object{"n": nil}), dpop.KeyMalformed},
		"no exponent":                {changed(rsa, object{"e": nil}), dpop.KeyMalformed},
		"a leading zero":             {changed(rsa, object{"n": prefixed(t, rsa["n"], "\x00")}), dpop.KeyMalformed},
		"a leading zero in e":        {changed(rsa, object{"e": b64("\x00\x01\x00\x01")}), dpop.KeyMalformed},
		"2040 bits":                  {changed(rsa, object{"n": b64("\x01" + strings.Repeat("\xff", 254))}), dpop.KeyRSA},
		"8200 bits":                  {changed(rsa, object{"n": b64(strings.Repeat("\xff", 1025))}), dpop.KeyRSA},
		"an even modulus":            {changed(rsa, object{"n": b64(strings.Repeat("\xfe", 256))}), dpop.KeyRSA},
		"an even exponent":           {changed(rsa, object{"e": b64("\x01\x00\x02")}), dpop.KeyRSA},
		"the exponent 1":             {changed(rsa, object{"e": b64("\x01")}), dpop.KeyRSA},
		"the exponent 3":             {changed(rsa, object{"e": b64("\x03")}), dpop.KeyRSA},
		"a large exponent":           {changed(rsa, object{"e": b64("\x80\x00\x00\x01")}), dpop.KeyRSA},
		"an exponent of five bytes":  {changed(rsa, object{"e": b64("\x01\x00\x00\x00\x01")}), dpop.KeyRSA},
		"alg of another type":        {changed(ec, object{"alg": "RS256"}), dpop.KeyUse},
		"alg of another hash":        {changed(rsa, object{"alg": "PS256"}), dpop.KeyUse},
		"a key for encryption":       {changed(rsa, object{"use": "enc"}), dpop.KeyUse},
		"a key for other operations": {changed(ec, object{"key_ops": []string{"sign"}}), dpop.KeyUse},
		"a key for no operation":     {changed(ec, object{"key_ops": []string{}}), dpop.KeyUse},
	} {
		if _, err := (jose.JOSE{}).Key([]byte(text(t, test.key))); !errors.Is(err, test.want.Parameter()) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
	for _, member := range []string{"d", "p", "q", "dp", "dq", "qi", "oth"} {
		for _, key := range []object{ec, ed, rsa} {
			for _, value := range []any{"AA", "", jwkNull{}} {
				_, err := jose.JOSE{}.Key([]byte(text(t, changed(key, object{member: value}))))
				if !errors.Is(err, dpop.KeyPrivate.Parameter()) {
					t.Errorf("a %v key with %s: %v", key["kty"], member, err)
				}
			}
		}
	}
}

func TestKeyRefusesWhatIsNoObject(t *testing.T) {
	t.Parallel()
	good := exampleEdwards
	for _, given := range []string{
		"", "null", "[]", `"x"`, "1", good + good, `{"kty":"EC",` + good[1:], good[:len(good)-1], `{"a":"` + "\xff" + `",` + good[1:],
		`{"a":{"b":1,"b":1},` + good[1:], `{"a":"` + strings.Repeat("x", 8<<10) + `",` + good[1:],
	} {
		_, err := jose.JOSE{}.Key([]byte(given))
		if !errors.Is(err, dpop.KeyMalformed.Parameter()) {
			t.Errorf("%.60s: %v, want KeyMalformed", given, err)
		}
		if failure := fault.From(err); len(failure.Fields) != 1 || failure.Fields[0].Path != "/public_jwk" {
			t.Errorf("%.60s: fields %v", given, failure.Fields)
		}
	}
}

func TestKeyTakesRSAOfManySizes(t *testing.T) {
	t.Parallel()
	rsa := newClient(t, jwa.RS256, 2048).jwk
	for _, size := range []int{256, 384, 512, 1024} {
		if _, err := (jose.JOSE{}).Key([]byte(text(t, changed(rsa, object{"n": b64(strings.Repeat("\xff", size))})))); err != nil {
			t.Errorf("%d bits: %v", size*8, err)
		}
	}
}

func prefixed(t *testing.T, encoded any, prefix string) string {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(encoded.(string))
	if err != nil {
		t.Fatal(err)
	}
	return b64(prefix + string(raw))
}

// TestKeyRefusesWeakEdwardsPoints: the encodings of points of small order, also
// those that are not canonical, and what is on no curve.
func TestKeyRefusesWeakEdwardsPoints(t *testing.T) {
	t.Parallel()
	for _, encoded := range []string{
		"0000000000000000000000000000000000000000000000000000000000000000",
		"0000000000000000000000000000000000000000000000000000000000000080",
		"0100000000000000000000000000000000000000000000000000000000000000",
		"0100000000000000000000000000000000000000000000000000000000000080",
		"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
		"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
		"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
		"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
		"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
		"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
		"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
		"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"0200000000000000000000000000000000000000000000000000000000000000",
	} {
		raw, err := hex.DecodeString(encoded)
		if err != nil {
			t.Fatal(err)
		}
		_, err = jose.JOSE{}.Key([]byte(text(t, object{"kty": "OKP", "crv": "Ed25519", "x": b64(string(raw))})))
		if !errors.Is(err, dpop.KeyPoint.Parameter()) {
			t.Errorf("%s: %v, want KeyPoint", encoded, err)
		}
	}
}

// TestSmallOrderPoints computes the points whose order divides eight: those y that
// three doublings lead to the neutral element.
func TestSmallOrderPoints(t *testing.T) {
	t.Parallel()
	p := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 255), big.NewInt(19))
	d := new(big.Int).ModInverse(big.NewInt(121666), p)
	d.Mul(d, big.NewInt(-121665)).Mod(d, p)
	one := big.NewInt(1)
	over := func(a, b *big.Int) *big.Int {
		return new(big.Int).Mod(new(big.Int).Mul(a, new(big.Int).ModInverse(new(big.Int).Mod(b, p), p)), p)
	}
	// double returns the y of twice a point: (y²+x²) / (1-d·x²·y²).
	double := func(y *big.Int) *big.Int {
		yy := new(big.Int).Mul(y, y)
		xx := over(new(big.Int).Sub(yy, one), new(big.Int).Add(new(big.Int).Mul(d, yy), one))
		dxy := new(big.Int).Mul(d, new(big.Int).Mul(xx, yy))
		return over(new(big.Int).Add(yy, xx), new(big.Int).Sub(one, dxy))
	}
	eighth, _ := new(big.Int).SetString("05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826", 16)
	for _, y := range []*big.Int{big.NewInt(0), one, new(big.Int).Sub(p, one), eighth, new(big.Int).Sub(p, eighth)} {
		if eight := double(double(double(y))); eight.Cmp(one) != 0 {
			t.Errorf("eight times the point of y = %x has y = %x, want 1", y, eight)
		}
	}
	if four := double(double(eighth)); four.Cmp(one) == 0 {
		t.Error("the point that should have order eight has a smaller one")
	}
}
