package m2m

import (
	"slices"
	"strings"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/outbound"
)

// scopeOf returns the scopes of a token for a client, and how many those are: what was
// asked for or, when nothing was said, all that is granted and means something to the
// audience. An empty list asks for none, as APP.PREVIEW_TOKEN has it. A scope that the
// token may not carry refuses the whole (RFC 6749 section 5.2).
func scopeOf(of outbound.Client, asked []app.Scope) (scope string, count int, err error) {
	given := of.Audience.Remaining(of.App, of.App.Scopes)
	if asked != nil {
		given = once(app.Texts(asked))
		allowed := of.Audience.Remaining(of.App, given)
		for _, one := range given {
			if !slices.Contains(allowed, one) {
				return "", 0, refused(of, one)
			}
		}
	}
	scope = strings.Join(given, " ")
	return scope, len(given), nil
}

// refused says why a token may not carry a scope.
func refused(of outbound.Client, scope string) error {
	if held := of.Audience; held != nil && len(held.Scopes) > 0 && !access.IsOwn(scope) && !slices.Contains(held.Scopes, scope) {
		return fault.New(fault.Validation, "invalid_scope: the API of this audience has no scope "+scope+"; see OAUTH.RESOURCE_UPDATE")
	}
	if held := of.Audience; held != nil && held.OrgID == "" && !access.IsOwn(scope) {
		return fault.New(fault.Validation, "invalid_scope: the API belongs to the instance, so a superadmin must grant "+scope+" to the app; see APP.SCOPE_GRANT")
	}
	return fault.New(fault.Validation, "invalid_scope: the app is not granted "+scope+"; see APP.SCOPE_GRANT")
}

// once returns each text once, where it stood first.
func once(texts []string) []string {
	kept := make([]string, 0, len(texts))
	for _, text := range texts {
		if !slices.Contains(kept, text) {
			kept = append(kept, text)
		}
	}
	return kept
}
