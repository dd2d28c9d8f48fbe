package app

import (
	"maps"
	"regexp"
	"slices"

	"gatehouse.internal/domain/fault"
)

// Bounds of custom claims.
const (
	maxClaims     = 20
	maxClaimName  = 128
	maxExpression = 1024
)

// A claim has a plain name or a URI (RFC 3986) for a name, as RFC 7519 section 4.2
// has it.
var (
	plainClaim = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]*$`)
	uriClaim   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:[!#-\[\]-~]+$`)
)

// CheckClaims refuses names that cannot be had, and too many or too long claims, with
// a validation fault. It does not look into expressions.
func CheckClaims(claims map[string]string) error {
	if len(claims) > maxClaims {
		return fault.Unfit("/claims", "must have at most 20 claims")
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
	case len(name) > maxClaimName || !plainClaim.MatchString(name) && !uriClaim.MatchString(name):
		return "is not a valid claim name: use a URI, or letters, digits, _, . and - after a letter, at most 128 characters"
	case ReservedClaim(name) && !PersonClaim(name):
		return "is a reserved claim name: use another, such as a URI you control"
	case expression == "":
		return "must not be empty"
	case len(expression) > maxExpression:
		return "must have at most 1,024 bytes"
	}
	return ""
}

// TokenClaims returns the names of the custom claims that tokens of the app carry (of
// which only those of people carry a PersonClaim), in order, and of those that they do not, though they were set: reserved ones, and those
// beyond the first 20. Both were once allowed.
func (s Snapshot) TokenClaims() (carried, dropped []string) {
	for _, name := range slices.Sorted(maps.Keys(s.Claims)) {
		if ReservedClaim(name) && !PersonClaim(name) || len(carried) == maxClaims {
			dropped = append(dropped, name)
		} else {
			carried = append(carried, name)
		}
	}
	return carried, dropped
}
