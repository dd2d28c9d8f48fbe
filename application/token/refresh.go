package token

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"

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

const (
	refreshPrefix = "rt_"
	nonceSize     = 32
	macSize       = 16
)

// Make returns a fresh token for a session and its digest.
func (r *Refresh) Make(of session.ID) (secret.Shown, session.Digest) {
	return r.compose(of, r.Random.Bytes(nonceSize))
}

// Successor returns the token that replaces the one of a digest. It is derived, so that
// a retry, on whichever replica, is answered with the same one; and out of what the store
// keeps, so that a session is rotated by a command that is not given the token.
func (r *Refresh) Successor(of session.ID, replaced session.Digest) (secret.Shown, session.Digest) {
	return r.compose(of, r.Key.Sum("successor", of.String()+" "+string(replaced)))
}

// Read takes a token apart. It fails with session.ErrRefresh when this service
// never made it.
func (r *Refresh) Read(presented secret.String) (session.ID, session.Digest, error) {
	text := presented.Reveal()
	body, isRefresh := strings.CutPrefix(text, refreshPrefix)
	raw, err := base64.RawURLEncoding.Strict().DecodeString(body)
	// The decoder skips line ends: they would make another token of the same content.
	if !isRefresh || err != nil || len(raw) <= nonceSize+macSize || strings.ContainsAny(body, "\r\n") {
		return "", "", session.ErrRefresh
	}
	signed, sum := raw[:len(raw)-macSize], raw[len(raw)-macSize:]
	if !hmac.Equal(sum, r.Key.Sum("token", string(signed))[:macSize]) {
		return "", "", session.ErrRefresh
	}
	of, err := session.ParseID(string(signed[:len(signed)-nonceSize]))
	if err != nil {
		return "", "", session.ErrRefresh
	}
	return of, digest(text), nil
}

func (r *Refresh) compose(of session.ID, nonce []byte) (secret.Shown, session.Digest) {
	signed := append([]byte(of), nonce...)
	sum := r.Key.Sum("token", string(signed))[:macSize]
	text := refreshPrefix + base64.RawURLEncoding.EncodeToString(append(signed, sum...))
	return secret.Shown(text), digest(text)
}

func digest(text string) session.Digest {
	sum := sha256.Sum256([]byte(text))
	return session.Digest(hex.EncodeToString(sum[:]))
}
