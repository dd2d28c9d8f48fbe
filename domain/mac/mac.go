// Package mac makes keyed digests: HMAC-SHA256 (RFC 2104, FIPS 180-4).
package mac

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"hash"
	"sync"
)

// Key computes keyed digests. It is safe for concurrent use.
type Key struct {
	// states have the key already in them: putting it in costs more than a short text.
	states *sync.Pool
}

// New makes a Key of secret bytes, which it copies.
func New(secret []byte) Key {
	secret = bytes.Clone(secret)
	return Key{&sync.Pool{New: func() any { return hmac.New(sha256.New, secret) }}}
}

// Sum returns the 32 bytes of the digest of a text for a purpose. A purpose holds no
// zero byte; texts of different purposes have nothing to do with each other.
func (k Key) Sum(purpose, text string) []byte {
	state := k.states.Get().(hash.Hash) //nolint:forcetypeassert // New makes them
	defer k.states.Put(state)
	state.Reset()
	_, _ = state.Write([]byte(purpose + "\x00" + text))
	return state.Sum(nil)
}

// String hides the secret in formatted output.
func (Key) String() string { return "key" }

// GoString is String.
func (k Key) GoString() string { return k.String() }
