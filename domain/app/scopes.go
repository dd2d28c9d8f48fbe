package app

import (
	"slices"
	"time"

	"gatehouse.internal/domain/fault"
)

// maxScopes is how many scopes one app may have.
const maxScopes = 200

var (
	// ErrScopes is returned if an app would have too many scopes.
	ErrScopes = fault.Invalid("/scopes", "an app can have at most 200 scopes")
	// ErrWithdrawn is returned if too many scopes would be withdrawn.
	ErrWithdrawn = fault.Invalid("/scopes", "an app without a scope list can have at most 200 scopes revoked: register an app with a scope list")
)

// Scope is one scope, a scope-token of RFC 6749 section 3.3.
type Scope string

// SchemaFragment describes the scope in a JSON Schema.
func (Scope) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "string", "minLength": 1, "maxLength": 128, "pattern": `^[!#-\[\]-~]+$`,
		"examples": []any{"invoices:read"},
	}
}

// Texts returns scopes or addresses as plain texts; nil stays nil.
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

// Grant adds scopes to the app; vouched reports whether a superadmin grants them. The
// caller must check that the granter holds them. It fails with ErrScopes. Scopes that
// the app has, vouched alike, change nothing.
func (a *App) Grant(scopes []string, vouched bool, now time.Time) error {
	wanted := sorted(scopes)
	fresh := without(wanted, a.s.Scopes)
	if len(a.s.Scopes)+len(fresh) > maxScopes {
		return ErrScopes
	}
	granted := fresh
	if vouched {
		granted = without(wanted, a.s.Vouched)
		a.s.Vouched = sorted(slices.Concat(a.s.Vouched, granted))
	}
	if len(granted) == 0 {
		return nil
	}
	a.s.Scopes, a.s.UpdatedAt = sorted(slices.Concat(a.s.Scopes, fresh)), now
	a.s.Withdrawn = without(a.s.Withdrawn, fresh)
	a.Raise(ScopesGranted{AppID: a.s.ID, OrgID: a.s.OrgID, Scopes: granted})
	return nil
}

// Withdraw removes scopes. Scopes that the app does not have change nothing, except for
// free ones, which apps may request without a grant: they need one from then on. It
// fails with ErrWithdrawn.
func (a *App) Withdraw(scopes, free []string, now time.Time) error {
	kept, barred := without(a.s.Scopes, scopes), without(sorted(free), a.s.Withdrawn)
	if len(a.s.Withdrawn)+len(barred) > maxScopes {
		return ErrWithdrawn
	}
	gone := sorted(slices.Concat(without(a.s.Scopes, kept), barred))
	if len(gone) == 0 {
		return nil
	}
	a.s.Scopes, a.s.UpdatedAt = kept, now
	a.s.Withdrawn = sorted(slices.Concat(a.s.Withdrawn, barred))
	a.s.Vouched = without(a.s.Vouched, gone)
	a.Raise(ScopesRevoked{AppID: a.s.ID, OrgID: a.s.OrgID, Scopes: gone})
	return nil
}

// SetScopes replaces the scopes of the app; with nil it lists none from now on. Which of them it may
// have is the caller's to check. It fails with ErrScopes. The same again changes nothing.
func (a *App) SetScopes(scopes []string, now time.Time) error {
	next, listed := sorted(scopes), scopes != nil
	if len(next) > maxScopes {
		return ErrScopes
	}
	gained, lost := without(next, a.s.Scopes), without(a.s.Scopes, next)
	if len(gained)+len(lost) > 0 || listed != a.s.Listed {
		a.s.UpdatedAt = now
	}
	a.s.Scopes, a.s.Vouched = next, without(a.s.Vouched, lost)
	if len(gained) > 0 {
		a.Raise(ScopesGranted{AppID: a.s.ID, OrgID: a.s.OrgID, Scopes: gained})
	}
	if len(lost) > 0 {
		a.Raise(ScopesRevoked{AppID: a.s.ID, OrgID: a.s.OrgID, Scopes: lost})
	}
	if listed != a.s.Listed {
		a.s.Listed = listed
		a.Raise(Updated{AppID: a.s.ID, OrgID: a.s.OrgID, Changed: []string{"scopes_listed"}, Enabled: a.s.Enabled})
	}
	return nil
}

// without returns scopes but for some.
func without(scopes, some []string) []string {
	return slices.DeleteFunc(slices.Clone(scopes), func(scope string) bool { return slices.Contains(some, scope) })
}

// sorted returns scopes in order, each once.
func sorted(scopes []string) []string {
	ordered := slices.Clone(scopes)
	slices.Sort(ordered)
	return slices.Compact(ordered)
}
