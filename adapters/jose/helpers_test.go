package jose_test

import (
	"encoding/base64"
	"testing"

	"gatehouse.internal/adapters/jose"
	"gatehouse.internal/ports/outbound/crypt"
)

const typ = "at+jwt"

// algorithms names what the service signs with.
func algorithms() []string { return []string{"ES256", "RS256"} }

func newKey(tb testing.TB, kid, algorithm string) crypt.SigningKey {
	tb.Helper()
	der, err := jose.JOSE{}.Generate(algorithm)
	if err != nil {
		tb.Fatal(err)
	}
	key, err := jose.JOSE{}.Load(kid, algorithm, der)
	if err != nil {
		tb.Fatal(err)
	}
	return key
}

func sign(tb testing.TB, key crypt.SigningKey, payload string) string {
	tb.Helper()
	token, err := key.Sign(typ, []byte(payload))
	if err != nil {
		tb.Fatal(err)
	}
	return string(token)
}

// only finds these keys by their ids.
func only(keys ...crypt.SigningKey) func(string) (crypt.SigningKey, bool) {
	byID := make(map[string]crypt.SigningKey)
	for _, key := range keys {
		byID[key.ID()] = key
	}
	return func(kid string) (crypt.SigningKey, bool) {
		key, known := byID[kid]
		return key, known
	}
}

func b64(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
