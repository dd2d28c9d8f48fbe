package apikey

import (
	"net/netip"
	"slices"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/keytext"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// The bounds of keys.
const (
	// MaxActive is how many active keys a user may have, over all workspaces.
	MaxActive = 100
	// MaxYears is how far ahead a key may end.
	MaxYears = 10
	// Notice is how long before the end of a key api_key.expiring is emitted.
	Notice = 7 * 24 * time.Hour
	// MaxOverlap is how long a replaced text may go on working.
	MaxOverlap = 720 * time.Hour
)

// Errors of keys.
var (
	ErrNotFound  = fault.New(fault.NotFound, "no such API key")
	ErrEnded     = fault.New(fault.Validation, "the API key was revoked or has expired: create a new key")
	ErrTooMany   = fault.LimitReached("active API key", MaxActive, "revoke unused keys")
	ErrExpiresAt = fault.Unfit("/expires_at", "must be in the future and at most 10 years from now")
	ErrOverlap   = fault.Unfit("/overlap_hours", "must be from 0 to 720")
)

// Status is the state of a key at a time.
type Status string

// The statuses of keys.
const (
	Active  Status = "active"
	Expired Status = "expired"
	Revoked Status = "revoked"
)

// Reasons for the end of a key, in api_key.revoked.
const (
	ByUser  = "revoked"
	ByAdmin = "revoked_by_admin"
	ByLeak  = "leaked"
	// The key was revoked together with other credentials of the account.
	ByPasswordChange = "password_changed"
	ByDisable        = "user_disabled"
	ByClaim          = "account_claimed"
	// ByRemoval is that the owner belongs to the workspace no more.
	ByRemoval = "member_removed"
)

// Secret is one text of a key as it is kept.
type Secret struct {
	// Digest is keytext.Digest of the text.
	Digest string
	// ExpiresAt is the end of a text that was replaced; unset for the newest.
	ExpiresAt time.Time
}

// Snapshot is the stored state of a key.
type Snapshot struct {
	ID     ID
	UserID user.ID
	// OrgID is the workspace that the key acts in.
	OrgID workspace.ID
	Name  string
	// Prefix is the shown beginning of the newest text.
	Prefix string
	// Scopes are permissions or patterns; the key has those of them that its user
	// holds.
	Scopes []string
	// AllowedIPs are the networks that the key may be used from; none are all.
	AllowedIPs []netip.Prefix
	CreatedAt  time.Time
	// ExpiresAt is when the key ends by itself; unset for never.
	ExpiresAt time.Time
	RevokedAt time.Time
	EndReason string
	// Secrets are the texts, the newest last.
	Secrets []Secret
}

// Status returns the status of the key at a time.
func (s Snapshot) Status(now time.Time) Status {
	switch {
	case !s.RevokedAt.IsZero():
		return Revoked
	case !s.ExpiresAt.IsZero() && !now.Before(s.ExpiresAt):
		return Expired
	default:
		return Active
	}
}

// Key is one long-lived credential of a user in one workspace.
type Key struct {
	aggregate.Root
	s Snapshot
}

// Draft are the attributes of a new key.
type Draft struct {
	ID         ID
	UserID     user.ID
	OrgID      workspace.ID
	Name       string
	Scopes     []string
	AllowedIPs []netip.Prefix
	ExpiresAt  time.Time
	// Text is the key as it is handed out.
	Text secret.Shown
}

// Mint makes a key; it fails with ErrExpiresAt. That its user holds the scopes is
// the caller's to check.
func Mint(d Draft, now time.Time) (*Key, error) {
	if !d.ExpiresAt.IsZero() && !endable(d.ExpiresAt, now) {
		return nil, ErrExpiresAt
	}
	k := &Key{s: Snapshot{
		ID: d.ID, UserID: d.UserID, OrgID: d.OrgID, Name: d.Name, Scopes: sorted(d.Scopes), AllowedIPs: d.AllowedIPs,
		CreatedAt: now, ExpiresAt: d.ExpiresAt,
	}}
	k.take(d.Text)
	k.Raise(Created{KeyID: d.ID, UserID: d.UserID, OrgID: d.OrgID, Scopes: k.s.Scopes})
	return k, nil
}

// endable reports whether a key may end at a time.
func endable(at, now time.Time) bool { return at.After(now) && !at.After(now.AddDate(MaxYears, 0, 0)) }

// sorted returns each scope once, in a fixed order.
func sorted(scopes []string) []string {
	if len(scopes) == 0 {
		return nil
	}
	return slices.Compact(slices.Sorted(slices.Values(scopes)))
}

// take makes a text the newest one.
func (k *Key) take(text secret.Shown) {
	plain := string(text)
	k.s.Prefix = keytext.Hint(keytext.APIKey, plain)
	k.s.Secrets = append(k.s.Secrets, Secret{Digest: keytext.Digest(plain)})
}

// Restore returns the key that was stored.
func Restore(s Snapshot, version int64) *Key { return &Key{Root: aggregate.At(version), s: s} }

// Snapshot returns the state to store.
func (k *Key) Snapshot() Snapshot { return k.s }

// ID returns the key's identifier.
func (k *Key) ID() ID { return k.s.ID }

// OwnedBy reports whether it is a person's key.
func (k *Key) OwnedBy(person user.ID) bool { return k.s.UserID == person }

// Active reports whether the key is active at a time, apart from the state of its user.
func (k *Key) Active(now time.Time) bool { return k.s.Status(now) == Active }

// Opens reports whether the text of a digest is valid at a time.
func (k *Key) Opens(digest string, now time.Time) bool {
	return k.Active(now) && slices.ContainsFunc(k.s.Secrets, func(s Secret) bool {
		return s.Digest == digest && (s.ExpiresAt.IsZero() || now.Before(s.ExpiresAt))
	})
}

// Change is a partial update of a key; nil fields stay unchanged.
type Change struct {
	Name *string
	// Scopes replace the scopes unless they are nil; an empty list takes all away.
	Scopes []string
	// AllowedIPs replace the networks unless they are nil; an empty list allows all.
	AllowedIPs []netip.Prefix
	ExpiresAt  time.Time
}

// Update changes a key. It fails with ErrEnded or ErrExpiresAt; a change that
// changes nothing raises nothing. That its user holds the scopes is the caller's
// to check.
func (k *Key) Update(c Change, now time.Time) error {
	if !k.Active(now) {
		return ErrEnded
	}
	if !c.ExpiresAt.IsZero() && !endable(c.ExpiresAt, now) {
		return ErrExpiresAt
	}
	var changed []string
	if c.Name != nil && *c.Name != k.s.Name {
		k.s.Name, changed = *c.Name, append(changed, "name")
	}
	if scopes := sorted(c.Scopes); c.Scopes != nil && !slices.Equal(scopes, k.s.Scopes) {
		k.s.Scopes, changed = scopes, append(changed, "scopes")
	}
	if !c.ExpiresAt.IsZero() && !c.ExpiresAt.Equal(k.s.ExpiresAt) {
		k.s.ExpiresAt, changed = c.ExpiresAt, append(changed, "expires_at")
	}
	if c.AllowedIPs != nil && !slices.Equal(c.AllowedIPs, k.s.AllowedIPs) {
		k.s.AllowedIPs, changed = c.AllowedIPs, append(changed, "allowed_ips")
	}
	if len(changed) > 0 {
		k.Raise(Updated{KeyID: k.s.ID, UserID: k.s.UserID, OrgID: k.s.OrgID, Changed: changed})
	}
	return nil
}

// Rotate replaces the secret of the key. It returns until when the previous one stays
// valid: for the overlap, but not beyond the expiry of the key. The one before that
// becomes invalid, so that at most two are valid. It fails with ErrEnded or ErrOverlap.
func (k *Key) Rotate(text secret.Shown, overlap time.Duration, now time.Time) (time.Time, error) {
	switch {
	case !k.Active(now):
		return time.Time{}, ErrEnded
	case overlap < 0 || overlap > MaxOverlap:
		return time.Time{}, ErrOverlap
	}
	until := now.Add(overlap)
	if !k.s.ExpiresAt.IsZero() && k.s.ExpiresAt.Before(until) {
		until = k.s.ExpiresAt
	}
	replaced := k.s.Secrets[len(k.s.Secrets)-1]
	k.s.Secrets = nil
	if overlap > 0 {
		k.s.Secrets = []Secret{{Digest: replaced.Digest, ExpiresAt: until}}
	}
	k.take(text)
	k.Raise(Rotated{KeyID: k.s.ID, UserID: k.s.UserID, OrgID: k.s.OrgID, OverlapUntil: until})
	return until, nil
}

// End ends the key; one that has ended stays as it is.
func (k *Key) End(reason string, now time.Time) {
	if !k.Active(now) {
		return
	}
	k.s.RevokedAt, k.s.EndReason = now, reason
	k.Raise(WasRevoked{KeyID: k.s.ID, UserID: k.s.UserID, OrgID: k.s.OrgID, Reason: reason})
}

// Finding is where the text of a key was found, in the finder's words.
type Finding struct{ Source, URL string }

// Leak revokes a key whose secret was leaked. A key that has ended stays unchanged.
func (k *Key) Leak(found Finding, now time.Time) {
	if !k.Active(now) {
		return
	}
	k.Raise(LeakReported{KeyID: k.s.ID, UserID: k.s.UserID, OrgID: k.s.OrgID, Source: found.Source, URL: found.URL})
	k.End(ByLeak, now)
}
