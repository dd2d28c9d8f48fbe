package app

import (
	"slices"
	"time"

	"gatehouse.internal/domain/fault"
)

// maxScopes is how many scopes one app may have.
const maxScopes = 200

// ErrScopes says that an app would have too many scopes.
var ErrScopes = fault.Invalid("/scopes", "an app may have at most 200 scopes")

// Scope is one scope, a scope-token of RFC 6749 section 3.3.
type Scope string

// SchemaFragment describes the scope in a JSON Schema.
func (Scope) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "string", "minLength": 1, "maxLength": 128, "pattern": `^[!#-\[\]-~]+$`,
		"examples": []any{"invoices:read"},
	}
}

// Texts gives scopes or addresses as plain texts; nil stays nil.
func Texts[T ~string](list []T) []string {
	if list == nil {
		return nil
	}
	texts := make([]string, len(list))
	for i, one := range list {
		texts[i] = string(one)
	}
	return texts
}

// Grant gives the app scopes. Whether the giver holds them is the caller's to
// check. It fails with ErrScopes. Scopes it has already change nothing.
func (a *App) Grant(scopes []string, now time.Time) error {
	fresh := sorted(scopes)
	fresh = slices.DeleteFunc(fresh, func(scope string) bool { return slices.Contains(a.s.Scopes, scope) })
	if len(a.s.Scopes)+len(fresh) > maxScopes {
		return ErrScopes
	}
	if len(fresh) == 0 {
		return nil
	}
	a.s.Scopes, a.s.UpdatedAt = sorted(slices.Concat(a.s.Scopes, fresh)), now
	a.Raise(ScopesGranted{AppID: a.s.ID, OrgID: a.s.OrgID, Scopes: fresh})
	return nil
}

// Withdraw takes scopes back. Those it does not have change nothing.
func (a *App) Withdraw(scopes []string, now time.Time) {
	gone := slices.DeleteFunc(sorted(scopes), func(scope string) bool { return !slices.Contains(a.s.Scopes, scope) })
	if len(gone) == 0 {
		return
	}
	a.s.Scopes = slices.DeleteFunc(slices.Clone(a.s.Scopes), func(scope string) bool { return slices.Contains(gone, scope) })
	a.s.UpdatedAt = now
	a.Raise(ScopesRevoked{AppID: a.s.ID, OrgID: a.s.OrgID, Scopes: gone})
}

// sorted gives scopes in order, each once.
func sorted(scopes []string) []string {
	ordered := slices.Clone(scopes)
	slices.Sort(ordered)
	return slices.Compact(ordered)
}
