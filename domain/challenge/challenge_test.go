package challenge_test

import (
	"encoding/base64"
	"testing"

	"gatehouse.internal/domain/challenge"
)

// counted draws bytes that count up, and how many were drawn.
type counted struct{ drawn int }

func (c *counted) Bytes(n int) []byte {
	c.drawn += n
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(i)
	}
	return out
}

// A handle has 256 random bits, and the store knows its digest alone.
func TestNewHandle(t *testing.T) {
	t.Parallel()
	var random counted
	handle, digest := challenge.NewHandle(&random)
	raw, err := base64.RawURLEncoding.DecodeString(string(handle))
	if err != nil || len(raw) != 32 || random.drawn != 32 {
		t.Errorf("NewHandle() = %d bytes of %d drawn, %v, want 32 of 32", len(raw), random.drawn, err)
	}
	if got := challenge.Digest(string(handle)); got != digest || len(digest) != 64 {
		t.Errorf("Digest() of the handle = %q, want %q, of 64 digits", got, digest)
	}
	// SHA-256 of "abc", FIPS 180-4.
	const want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	if got := challenge.Digest("abc"); got != want {
		t.Errorf("Digest(abc) = %s, want %s", got, want)
	}
}
