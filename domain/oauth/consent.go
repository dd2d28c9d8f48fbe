package oauth

import (
	"slices"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// ErrConsentNotFound is returned if there is no consent of the person to the app.
var ErrConsentNotFound = fault.New(fault.NotFound, "no consent for this app")

// ConsentSnapshot is the stored state of a consent.
type ConsentSnapshot struct {
	UserID user.ID
	AppID  app.ID
	OrgID  workspace.ID
	// Scopes are those that the person agreed to, sorted.
	Scopes     []string
	GrantedAt  time.Time
	LastUsedAt time.Time
}

// Consent is the consent of a person to an app.
type Consent struct {
	aggregate.Root
	s ConsentSnapshot
}

// Agree makes the first consent of a person to an app.
func Agree(person user.ID, client app.ID, org workspace.ID, scopes []string, now time.Time) *Consent {
	c := &Consent{s: ConsentSnapshot{UserID: person, AppID: client, OrgID: org, GrantedAt: now, LastUsedAt: now}}
	c.Widen(scopes, now)
	return c
}

// RestoreConsent returns the consent that was stored.
func RestoreConsent(s ConsentSnapshot, version int64) *Consent {
	return &Consent{Root: aggregate.At(version), s: s}
}

// Snapshot returns the state to store.
func (c *Consent) Snapshot() ConsentSnapshot { return c.s }

// Covers reports whether the person agreed to all of some scopes.
func (c *Consent) Covers(scopes []string) bool {
	return !slices.ContainsFunc(scopes, func(scope string) bool { return !slices.Contains(c.s.Scopes, scope) })
}

// Widen adds scopes that the person agreed to.
func (c *Consent) Widen(scopes []string, now time.Time) {
	union := append(slices.Clone(c.s.Scopes), scopes...)
	slices.Sort(union)
	c.s.Scopes, c.s.LastUsedAt = slices.Compact(union), now
	c.Raise(ConsentGranted{UserID: c.s.UserID, AppID: c.s.AppID, OrgID: c.s.OrgID, Scopes: c.s.Scopes})
}

// Revoke ends the consent. It is for the store to remove it.
func (c *Consent) Revoke() {
	c.Raise(ConsentRevoked{UserID: c.s.UserID, AppID: c.s.AppID, OrgID: c.s.OrgID})
}
