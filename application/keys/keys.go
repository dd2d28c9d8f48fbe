// Package keys generates signing keys for manual rotation, scheduled rotation and the
// first start.
package keys

import (
	"fmt"

	"gatehouse.internal/domain/signingkey"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/crypt"
)

// Maker makes signing keys.
type Maker struct {
	JOSE  crypt.JOSE
	IDs   outbound.IDs
	Clock outbound.Clock
}

// Fresh makes a key that was never used. For RS256 that takes a while, so call
// it outside any unit of work, and once however often the unit runs.
func (m Maker) Fresh(algorithm signingkey.Algorithm) (signingkey.Key, error) {
	private, err := m.JOSE.Generate(string(algorithm))
	if err != nil {
		return signingkey.Key{}, fmt.Errorf("generate a signing key: %w", err)
	}
	return signingkey.Key{
		KID: m.IDs.UUID(), Algorithm: algorithm, Private: private, CreatedAt: m.Clock.Now(),
	}, nil
}

// FoundFiles makes the first keys for license files in a ring that has none; it does
// nothing for another algorithm. Such keys take no time to make.
func (m Maker) FoundFiles(ring *signingkey.Ring, algorithm signingkey.Algorithm) error {
	if _, there := ring.ActiveOf(algorithm); there || !algorithm.Files() {
		return nil
	}
	active, err := m.Fresh(algorithm)
	if err != nil {
		return err
	}
	next, err := m.Fresh(algorithm)
	if err != nil {
		return err
	}
	ring.FoundFiles(active, next, m.Clock.Now())
	return nil
}
