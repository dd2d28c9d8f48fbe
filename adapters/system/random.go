package system

import (
	"crypto/rand"

	"gatehouse.internal/ports/outbound"
)

// Random is the operating system's cryptographic source. Its zero value is
// ready for use.
type Random struct{}

var _ outbound.Random = Random{}

// Bytes returns n random bytes. It never fails: without randomness the process
// ends (crypto/rand.Read). A negative n panics.
func (Random) Bytes(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b)
	return b
}
