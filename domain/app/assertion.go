package app

import (
	"encoding/base64"
	"encoding/json"
	"strings"
)

// Asserted returns whom a client assertion says it speaks for, its sub, so that the
// client can be found; "" for what is no JWT. Nothing is verified: whoever checks the
// assertion compares the two (RFC 7521 section 4.2).
func Asserted(assertion string) string {
	parts := strings.Split(assertion, ".")
	const jws = 3
	if len(parts) != jws {
		return ""
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return ""
	}
	var claims struct {
		Subject string `json:"sub"`
	}
	if json.Unmarshal(payload, &claims) != nil {
		return ""
	}
	return claims.Subject
}
