package app

import (
	"crypto/subtle"
	"slices"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/id"
	"gatehouse.internal/domain/keytext"
)

// maxSecrets is how many secrets of one app are valid at a time.
const maxSecrets = 5

// ErrNoSecret is returned if the app has no such secret.
var ErrNoSecret = fault.New(fault.NotFound, "no such client secret")

type secretKind struct{}

func (secretKind) Prefix() string { return "sec" }

// SecretID identifies a secret of an app.
type SecretID = id.ID[secretKind]

// NewSecretID mints an identifier.
func NewSecretID(m id.Minter) SecretID { return id.New[secretKind](m) }

// Secret is the stored form of a secret, sufficient to verify it.
type Secret struct {
	ID SecretID `json:"id" audit:"id"`
	// Digest is that of keytext.
	Digest string `json:"digest" audit:"-"`
	// Prefix is the visible part, to distinguish secrets.
	Prefix    string    `json:"prefix"`
	CreatedAt time.Time `json:"created_at" audit:"created_at"`
	// ExpiresAt is the end of the overlap with a successor; unset before there is one.
	ExpiresAt time.Time `json:"expires_at,omitzero" audit:"expires_at"`
}

// Live reports whether the secret is valid at a time.
func (s Secret) Live(now time.Time) bool { return s.ExpiresAt.IsZero() || now.Before(s.ExpiresAt) }

// NewSecret returns the stored form of a secret.
func NewSecret(id SecretID, text string, now time.Time) Secret {
	return Secret{ID: id, Digest: keytext.Digest(text), Prefix: keytext.Hint(keytext.AppSecret, text), CreatedAt: now}
}

// LiveSecrets returns those that are valid at a time, the newest first.
func (s Snapshot) LiveSecrets(now time.Time) []Secret {
	live := slices.DeleteFunc(slices.Clone(s.Secrets), func(one Secret) bool { return !one.Live(now) })
	slices.Reverse(live)
	return live
}

// Verify reports whether a text is one of the app's secrets that are good at a
// moment, and which. It takes the same time whichever it is.
func (s Snapshot) Verify(text string, now time.Time) (SecretID, bool) {
	digest := []byte(keytext.Digest(text))
	found := -1
	for i, one := range s.Secrets {
		if subtle.ConstantTimeCompare([]byte(one.Digest), digest) == 1 && one.Live(now) {
			found = i
		}
	}
	if found < 0 || s.Type.Public() {
		return "", false
	}
	return s.Secrets[found].ID, true
}

// RotateSecret adds a secret. Previous ones end after the overlap, at once if that is
// 0, and never later than before; if there are too many, the oldest ends at once. It
// returns when the last of them ends, zero for at once. It fails with ErrPublic.
func (a *App) RotateSecret(next Secret, overlap time.Duration, now time.Time) (time.Time, error) {
	if a.s.Type.Public() {
		return time.Time{}, ErrPublic
	}
	var kept []Secret
	var until time.Time
	if overlap > 0 {
		kept = slices.DeleteFunc(slices.Clone(a.s.Secrets), func(one Secret) bool { return !one.Live(now) })
		kept = kept[max(0, len(kept)-maxSecrets+1):]
	}
	for i := range kept {
		if end := now.Add(overlap); kept[i].ExpiresAt.IsZero() || end.Before(kept[i].ExpiresAt) {
			kept[i].ExpiresAt = end
		}
		if kept[i].ExpiresAt.After(until) {
			until = kept[i].ExpiresAt
		}
	}
	a.s.Secrets, a.s.UpdatedAt = append(kept, next), now
	a.Raise(KeyRotated{AppID: a.s.ID, OrgID: a.s.OrgID, SecretID: next.ID, OverlapUntil: until})
	return until, nil
}

// RevokeSecret ends one secret at once. Without any, the app cannot log in by a
// secret. It fails with ErrNoSecret when the secret is not good any more.
func (a *App) RevokeSecret(which SecretID, now time.Time) error {
	at := slices.IndexFunc(a.s.Secrets, func(one Secret) bool { return one.ID == which && one.Live(now) })
	if at < 0 {
		return ErrNoSecret
	}
	a.s.Secrets, a.s.UpdatedAt = slices.Delete(slices.Clone(a.s.Secrets), at, at+1), now
	a.Raise(SecretRevoked{AppID: a.s.ID, OrgID: a.s.OrgID, SecretID: which})
	return nil
}
