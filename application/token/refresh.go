package token

import (
	"gatehouse.internal/domain/mac"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/ports/outbound"
)

// Refresh makes and reads refresh tokens. A token is `rt_` and three parts in
// base64url: the session's identifier, 256 random bits, and a MAC over both.
//
// # Decision
//
// Context: the store keeps the SHA-256 of a token alone, rotates it with every
// use, and must tell a token that was used before (it leaked: the session ends)
// from one that somebody made up (it must not be able to end anything). With
// the identifier in the token, a rotation touches no index; with the MAC, a
// forged token is refused before the store is asked, and cannot pass for a
// leaked one. The random part is still what is secret: the store compares its
// digest. What would change our mind: a need to revoke the server key alone.
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
// a retry, on whichever replica, is answered with the same one; and out of what the store
// keeps, so that a session is rotated by a command that is not given the token.
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
	return opaque{prefix: "rt_", label: "token", succeeding: "successor", key: r.Key}
}
