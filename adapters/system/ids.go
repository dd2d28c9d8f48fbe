package system

import (
	"fmt"

	"github.com/google/uuid"
	"go.jetify.com/typeid"

	"gatehouse.internal/ports/outbound"
)

// IDs mints identifiers from UUIDv7 (RFC 9562). One process mints them in
// strictly rising order, also within one millisecond and across goroutines:
// each has a greater time than the one minted before it. Its zero value is ready
// for use; the clock behind it is the machine's, without any offset.
type IDs struct{}

var _ outbound.IDs = IDs{}

// Mint gives a TypeID with this prefix: lower-case letters and inner
// underscores, 63 at most (TypeID specification 0.3). Any other prefix is a
// mistake in the program and panics.
func (IDs) Mint(prefix string) string {
	plain := newUUID()
	minted, err := typeid.FromUUIDBytesWithPrefix(prefix, plain[:])
	if err != nil {
		panic(fmt.Sprintf("system: mint an identifier: %v", err))
	}
	return minted.String()
}

// UUID gives a UUIDv7 in its plain form of 36 characters.
func (IDs) UUID() string { return newUUID().String() }

// newUUID never fails: the system's source of randomness ends the process
// before it would give an error.
func newUUID() uuid.UUID { return uuid.Must(uuid.NewV7()) }
