package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
)

// Authentication schemes. A DPoP challenge lists the supported algorithms.
const (
	plainScheme = `Bearer realm="gatehouse"`
	proofScheme = "DPoP"
	proofAlgs   = "ES256 Ed25519 EdDSA RS256"
)

// challengesOf returns the values of WWW-Authenticate for a failure. A 401 has a Bearer
// challenge (RFC 6750 section 3); if the request used DPoP, it also has a DPoP
// challenge, which contains the error (RFC 9449 section 7.1). A 403 has a challenge if
// the credential sent lacks permission.
func challengesOf(sent http.Header, failure *fault.Error) []string {
	credential := len(sent["Authorization"]) > 0
	switch inbound.StatusOf(failure) {
	case http.StatusUnauthorized:
		why := challengeError(failure, credential)
		if !usesDPoP(sent) {
			return []string{join(plainScheme, why)}
		}
		return []string{plainScheme, proofChallenge(why)}
	case http.StatusForbidden:
		if failure.Code != fault.Denied || !credential {
			return nil
		}
		why := `error="insufficient_scope", error_description="the credential lacks the required permission"`
		if usesDPoP(sent) {
			return []string{proofChallenge(why)}
		}
		return []string{join(plainScheme, why)}
	default:
		return nil
	}
}

// withResource adds the address of the protected resource metadata to the challenges of a
// 401 (RFC 9728 section 5.1).
func (a *answers) withResource(r *http.Request, status int, challenges []string) []string {
	if status != http.StatusUnauthorized {
		return challenges
	}
	at := a.resource
	switch path := r.URL.Path; {
	case strings.HasPrefix(path, pathExecute):
		at += pathExecute
	case path == pathPerson:
		at += path
	}
	for i, one := range challenges {
		if why, plain := strings.CutPrefix(one, plainScheme); plain {
			challenges[i] = plainScheme + `, resource_metadata="` + at + `"` + why
		}
	}
	return challenges
}

// usesDPoP reports whether a request contains a DPoP proof or uses the scheme DPoP.
func usesDPoP(sent http.Header) bool {
	if len(sent["Dpop"]) > 0 {
		return true
	}
	scheme, _, _ := strings.Cut(sent.Get("Authorization"), " ")
	return strings.EqualFold(scheme, proofScheme)
}

func proofChallenge(why string) string {
	algs := `algs="` + proofAlgs + `"`
	if why != "" {
		algs = why + ", " + algs
	}
	return proofScheme + " " + algs
}

func join(scheme, why string) string {
	if why == "" {
		return scheme
	}
	return scheme + ", " + why
}

// challengeError returns the error attributes of the challenge of a 401. Without a credential
// there are none, unless the proof is invalid. If a recent login is required, max_age
// is its maximum age in seconds (RFC 9470).
func challengeError(failure *fault.Error, credential bool) string {
	word, why := oauthWord(failure.Message)
	switch {
	case word == "invalid_dpop_proof", word == "invalid_token":
		return `error="` + word + `", error_description="` + describe(why) + `"`
	case errors.Is(failure, access.ErrNotRecent):
		return fmt.Sprintf(`error="insufficient_user_authentication", error_description="a recent sign-in is required", max_age=%d`, access.RecentFor/time.Second)
	case failure.Code == fault.TokenExpired:
		return `error="invalid_token", error_description="the access token has expired"`
	case failure.Code == fault.TokenInvalid:
		return `error="invalid_token", error_description="the access token is invalid"`
	case credential:
		return `error="invalid_token", error_description="the credential is invalid"`
	default:
		return ""
	}
}
