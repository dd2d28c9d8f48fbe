package oauth

import (
	"slices"
	"strings"

	"gatehouse.internal/domain/fault"
)

// Malformed is why a parameter of a browser's request cannot be passed on.
type Malformed string

// The reasons. A token has one audience, so that several resources are an error of their own.
const (
	Repeated         Malformed = "repeated"
	RepeatedResource Malformed = "repeated_resource"
	NoNumber         Malformed = "no_number"
	NoText           Malformed = "no_text"
)

// refusal returns the error for the client.
func (m Malformed) refusal() *Refusal {
	switch m {
	case "":
		return nil
	case RepeatedResource:
		return &Refusal{InvalidTarget, "only one resource is supported per token"}
	case NoNumber:
		return &Refusal{InvalidRequest, "max_age must be a number of seconds, 0 or more"}
	case NoText:
		return &Refusal{InvalidRequest, "a parameter is not valid UTF-8"}
	case Repeated:
	}
	return &Refusal{InvalidRequest, "duplicate parameter: send each parameter once"}
}

// mostState is the maximum length of state.
const mostState = 2048

// WithoutExcess returns the request without a state that is too long to be stored.
func (r Request) WithoutExcess() Request {
	if len(r.State) > mostState {
		r.State = ""
	}
	return r
}

// checkForm validates the parameters one by one, for any client.
func (r *Request) checkForm() *Refusal {
	if refusal := r.Malformed.refusal(); refusal != nil {
		return refusal
	}
	for _, bound := range []struct {
		name, value, code string
		most              int
	}{
		{"state", r.State, InvalidRequest, mostState},
		{"nonce", r.Nonce, InvalidRequest, 1024},
		{"login_hint", r.LoginHint, InvalidRequest, 320},
		{"id_token_hint", r.IDTokenHint, InvalidRequest, 8192},
		{"acr_values", r.ACRValues, InvalidRequest, 512},
		{"claims", r.Claims, InvalidRequest, 8192},
		{"scope", r.Scope, InvalidScope, 4096},
		{"resource", r.Resource, InvalidTarget, 512},
	} {
		if len(bound.value) > bound.most {
			return &Refusal{bound.code, bound.name + " must have at most " + fault.Grouped(bound.most) + " characters"}
		}
	}
	prompts := strings.Fields(r.Prompt)
	switch {
	case r.JKT != "" && !digestPattern.MatchString(r.JKT):
		return &Refusal{InvalidRequest, "dpop_jkt must be the SHA-256 thumbprint of a key in base64url (RFC 9449, section 10)"}
	case r.MaxAge != nil && *r.MaxAge < 0:
		return NoNumber.refusal()
	case slices.ContainsFunc(prompts, func(p string) bool { return !slices.Contains(KnownPrompts(), p) }):
		return &Refusal{InvalidRequest, "prompt must be none, login, consent or select_account"}
	case slices.Contains(prompts, "none") && len(prompts) > 1:
		return &Refusal{InvalidRequest, "prompt none cannot be combined with other values"}
	}
	return nil
}

// KnownPrompts returns the values of prompt.
func KnownPrompts() []string { return []string{"none", "login", "consent", "select_account"} }
