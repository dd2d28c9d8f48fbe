package m2m

import (
	"slices"
	"strings"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
)

// scopeOf gives the scopes of a token for an app, and how many those are: what was
// asked for or, when nothing was said, all that is granted. An empty list asks for
// none, as APP.PREVIEW_TOKEN has it. A scope that the app may not have refuses the
// whole (RFC 6749 section 5.2).
func scopeOf(of app.Snapshot, asked []app.Scope) (scope string, count int, err error) {
	given := of.Scopes
	if asked != nil {
		given = once(app.Texts(asked))
		allowed := access.Remaining(given, of.Scopes, of.Listed, of.Withdrawn)
		for _, one := range given {
			if !slices.Contains(allowed, one) {
				return "", 0, fault.New(fault.Validation, "invalid_scope: the app has no grant of "+one+": see APP.SCOPE_GRANT")
			}
		}
	}
	scope = strings.Join(given, " ")
	return scope, len(given), nil
}

// once gives each text once, where it stood first.
func once(texts []string) []string {
	kept := make([]string, 0, len(texts))
	for _, text := range texts {
		if !slices.Contains(kept, text) {
			kept = append(kept, text)
		}
	}
	return kept
}
