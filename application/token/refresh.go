package token

import (
	"gatehouse.internal/domain/label"
	"gatehouse.internal/domain/mac"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/ports/outbound"
)

// Refresh creates and verifies refresh tokens. A token is `rt_` and three parts in
// base64url: the session's identifier, 256 random bits, and a MAC over both.
//
// # Decision
//
// Context: the store keeps only the SHA-256 of a token, rotates it with every use, and
// must distinguish a reused token (it leaked: the session ends) from an invented one
// (which must not be able to end anything). With the identifier in the token, a
// rotation changes no index; with the MAC, a forged token is rejected before the store
// is accessed, and cannot pass for a leaked one. The random part is still the secret:
// the store compares its digest. What would change our mind: a need to revoke the
// server key alone.
type Refresh struct {
	// Key is a server key for the MAC and for deriving successors.
	Key    mac.Key
	Random outbound.Random
}

// Make returns a fresh token for a session and its digest.
func (r *Refresh) Make(of session.ID) (secret.Shown, session.Digest) {
	text, digest := r.texts().make(of.String(), r.Random)
	return text, session.Digest(digest)
}

// Successor returns the token that replaces the one of a digest. It is derived, so that
// a retry on any replica returns the same one; and from what the store keeps, so that a
// command can rotate a session without receiving the token.
func (r *Refresh) Successor(of session.ID, replaced session.Digest) (secret.Shown, session.Digest) {
	text, digest := r.texts().successor(of.String(), string(replaced))
	return text, session.Digest(digest)
}

// Read takes a token apart. It fails with session.ErrRefresh when this service
// never made it.
func (r *Refresh) Read(presented secret.String) (session.ID, session.Digest, error) {
	text, digest, ok := r.texts().read(presented)
	of, err := session.ParseID(text)
	if !ok || err != nil {
		return "", "", session.ErrRefresh
	}
	return of, session.Digest(digest), nil
}

func (r *Refresh) texts() opaque {
	return opaque{prefix: "rt_", label: label.RefreshToken, succeeding: label.RefreshTokenSuccessor, key: r.Key}
}
