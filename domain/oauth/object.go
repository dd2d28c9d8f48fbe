package oauth

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"strings"
)

// Unsigned reports whether the header of a request object has the algorithm none.
func Unsigned(object string) bool {
	var header struct {
		Alg string `json:"alg"`
	}
	first, _, _ := strings.Cut(object, ".")
	text, err := base64.RawURLEncoding.DecodeString(first)
	return err == nil && json.Unmarshal(text, &header) == nil && strings.EqualFold(header.Alg, "none")
}

// AnswerByObject sets the response mode of a request from its unverified request
// object, if the request itself has none. Nothing else is read from the object; it only
// ensures that an error reaches the client (RFC 9101 section 7).
func (r *Request) AnswerByObject() {
	_, rest, _ := strings.Cut(r.Object, ".")
	payload, _, _ := strings.Cut(rest, ".")
	text, err := base64.RawURLEncoding.DecodeString(payload)
	if err != nil {
		return
	}
	var claims struct {
		State        string `json:"state"`
		ResponseMode string `json:"response_mode"`
	}
	if json.Unmarshal(text, &claims) != nil {
		return
	}
	r.State = cmp.Or(r.State, claims.State)
	r.ResponseMode = cmp.Or(r.ResponseMode, claims.ResponseMode)
}
