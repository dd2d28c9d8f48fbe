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

// The schemes by which a credential is presented. A challenge by the second one
// names the algorithms of proofs.
const (
	plainScheme = `Bearer realm="gatehouse"`
	proofScheme = "DPoP"
	proofAlgs   = "ES256 Ed25519 EdDSA RS256"
)

// challengesOf returns the values of WWW-Authenticate for a refusal. A 401 has one of
// the scheme Bearer (RFC 6750 section 3), and who came with a proof or by the scheme
// DPoP also gets one of that (RFC 9449 section 7.1), which then tells the error. A
// 403 has one when a credential was sent that does not allow the call.
func challengesOf(sent http.Header, failure *fault.Error) []string {
	credential := len(sent["Authorization"]) > 0
	switch inbound.Status(failure.Code) {
	case http.StatusUnauthorized:
		why := reasonOf(failure, credential)
		if !proves(sent) {
			return []string{join(plainScheme, why)}
		}
		return []string{plainScheme, proofChallenge(why)}
	case http.StatusForbidden:
		if failure.Code != fault.Denied || !credential {
			return nil
		}
		why := `error="insufficient_scope", error_description="the credential does not allow this"`
		if proves(sent) {
			return []string{proofChallenge(why)}
		}
		return []string{join(plainScheme, why)}
	default:
		return nil
	}
}

// located returns challenges that say, to who is refused with 401, where it stands how they
// come to a token (RFC 9728 section 5.1).
func (a *answers) located(r *http.Request, status int, challenges []string) []string {
	if status != http.StatusUnauthorized {
		return challenges
	}
	at := a.resource
	if path := r.URL.Path; path == pathExecute || path == pathPerson {
		at += path
	}
	for i, one := range challenges {
		if why, plain := strings.CutPrefix(one, plainScheme); plain {
			challenges[i] = plainScheme + `, resource_metadata="` + at + `"` + why
		}
	}
	return challenges
}

// proves reports whether a request came with a proof, or should have.
func proves(sent http.Header) bool {
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

// reasonOf returns the error part of the challenge of a 401. A request that carried no
// credential is told none, unless its proof is wrong. One whose login is too old is
// told how old it may be (RFC 9470).
func reasonOf(failure *fault.Error, credential bool) string {
	word, why := oauthWord(failure.Message)
	switch {
	case word == "invalid_dpop_proof", word == "invalid_token":
		return `error="` + word + `", error_description="` + describe(why) + `"`
	case errors.Is(failure, access.ErrNotRecent):
		return fmt.Sprintf(`error="insufficient_user_authentication", error_description="a recent login is needed", max_age=%d`, access.RecentFor/time.Second)
	case failure.Code == fault.TokenExpired:
		return `error="invalid_token", error_description="the access token has expired"`
	case failure.Code == fault.TokenInvalid:
		return `error="invalid_token", error_description="the access token is not valid"`
	case credential:
		return `error="invalid_token", error_description="the credential is not accepted"`
	default:
		return ""
	}
}
