package instance

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
)

func Encoded(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

func Decoded(t testing.TB, text string) []byte {
	t.Helper()
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		t.Fatalf("base64url %q: %v", text, err)
	}
	return raw
}

// part is the JSON object in one part of a compact JWS.
func part(t testing.TB, token string, at int) P {
	t.Helper()
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("a token of %d parts", len(parts))
	}
	var object P
	if err := json.Unmarshal(Decoded(t, parts[at]), &object); err != nil {
		t.Fatalf("part %d of a token: %v", at, err)
	}
	return object
}

func HeaderOf(t testing.TB, token string) P { t.Helper(); return part(t, token, 0) }

func ClaimsOf(t testing.TB, token string) P { t.Helper(); return part(t, token, 1) }

func JSONOf(t testing.TB, value any) []byte {
	t.Helper()
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	return raw
}
