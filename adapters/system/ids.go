package system

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"go.jetify.com/typeid"

	"gatehouse.internal/ports/outbound"
)

// IDs mints identifiers from UUIDv7 (RFC 9562), each with a greater time than the
// one minted before it, also within one millisecond and across goroutines. Its
// zero value goes by the machine's clock, and all zero values of a process mint in
// one order; NewIDs gives one that goes by another clock.
type IDs struct{ made *ticking }

var _ outbound.IDs = IDs{}

// NewIDs returns identifiers that carry the time of a clock; nil is the machine's.
// They rise also while that clock stands still or after it stepped back. The order
// is that of this source and its copies: a clock that a test moves ahead does not
// move the identifiers of another test.
func NewIDs(clock outbound.Clock) IDs {
	if clock == nil {
		clock = Clock{}
	}
	return IDs{&ticking{clock: clock}}
}

// Mint returns a TypeID with this prefix: lower-case letters and inner
// underscores, 63 at most (TypeID specification 0.3). Any other prefix is a
// mistake in the program and panics.
func (i IDs) Mint(prefix string) string {
	plain := i.newUUID()
	minted, err := typeid.FromUUIDBytesWithPrefix(prefix, plain[:])
	if err != nil {
		panic(fmt.Sprintf("system: mint an identifier: %v", err))
	}
	return minted.String()
}

// UUID returns a UUIDv7 in its plain form of 36 characters.
func (i IDs) UUID() string { return i.newUUID().String() }

// newUUID never fails: the system's source of randomness ends the process
// before it would give an error.
func (i IDs) newUUID() uuid.UUID {
	if i.made == nil {
		return uuid.Must(uuid.NewV7())
	}
	const version, variant = 0x7000, 0x80
	var made uuid.UUID
	tick := uint64(i.made.next())
	binary.BigEndian.PutUint64(made[:8], tick>>fineBits<<16|version|tick&(1<<fineBits-1))
	_, _ = rand.Read(made[8:])
	made[8] = made[8]&0x3f | variant
	return made
}

// fineBits is how many bits a millisecond is divided into: the clock goes on in
// them, to a quarter of a microsecond (RFC 9562 section 6.2, method 3).
const fineBits = 12

// ticking returns rising times of a clock.
type ticking struct {
	clock outbound.Clock
	last  atomic.Int64
}

// next returns the clock's time, or the least one later than any given before.
func (t *ticking) next() int64 {
	now := ticks(t.clock.Now())
	for {
		last := t.last.Load()
		next := max(now, last+1)
		if t.last.CompareAndSwap(last, next) {
			return next
		}
	}
}

// ticks returns a time since the Unix epoch: milliseconds and their fraction.
func ticks(now time.Time) int64 {
	fraction := int64(now.Nanosecond()) % int64(time.Millisecond)
	return now.UnixMilli()<<fineBits | fraction<<fineBits/int64(time.Millisecond)
}
