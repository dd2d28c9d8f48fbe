package app

import (
	"encoding/base64"
	"encoding/json"
	"strings"
)

// Asserted returns the sub of a client assertion, to look up the client; "" for an
// invalid JWT. Nothing is verified: the verification must compare the two (RFC 7521
// section 4.2).
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
