package app

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"gatehouse.internal/domain/fault"
)

// Bounds of custom claims.
const (
	maxClaims     = 32
	maxExpression = 1024
)

var claimName = regexp.MustCompile(`^[!#-\[\]-~]{1,128}$`)

// reservedClaims are those that the service itself fills, or verifiers give a
// meaning of their own (RFC 7519 section 4.1, RFC 9068, RFC 8693). They cannot be
// had in another case either: there are verifiers that would take one for the other.
func reservedClaims() []string {
	return []string{
		"acr", "act", "amr", "aud", "auth_time", "azp", "client_id", "cnf", "email", "exp", "iat", "iss", "jti",
		"may_act", "nbf", "org_id", "roles", "scope", "sid", "sub", "typ",
	}
}

// CheckClaims refuses names that cannot be had, and too many or too long claims, with
// a validation fault. It does not look into expressions.
func CheckClaims(claims map[string]string) error {
	if len(claims) > maxClaims {
		return fault.Unfit("/claims", "must have at most 32 members")
	}
	var complaints []fault.Field
	for _, name := range slices.Sorted(maps.Keys(claims)) {
		if wrong := claimFault(name, claims[name]); wrong != "" {
			complaints = append(complaints, fault.Field{Path: "/claims" + fault.Pointer(name), Message: wrong})
		}
	}
	if len(complaints) > 0 {
		return fault.Refuse(complaints...)
	}
	return nil
}

func claimFault(name, expression string) string {
	switch {
	case !claimName.MatchString(name):
		return `a name of a claim has 1 to 128 visible ASCII characters, without " and \`
	case slices.ContainsFunc(reservedClaims(), func(reserved string) bool { return strings.EqualFold(reserved, name) }):
		return "is a registered claim, which the service fills itself"
	case expression == "":
		return "must not be empty"
	case len(expression) > maxExpression:
		return "must have at most 1024 bytes"
	}
	return ""
}
