package machines

import (
	"context"
	"time"
)

// Proofs remembers what may be used once, over all replicas: proofs of possession
// (RFC 9449 section 11.1) and client assertions (RFC 7523 section 3). A key tells
// its kind too, such as by a label under its hash, so that no kind is taken for
// another.
type Proofs interface {
	// Use takes a key and reports whether it was fresh. A key stays taken at least
	// until the time it expires, whatever becomes of the command, and that is durable
	// before the answer. Uses that wait together share one commit; of equal keys
	// among them the first is fresh. Under a transaction around a whole command it
	// belongs to that one, so that a dry run takes nothing.
	Use(ctx context.Context, key string, expires time.Time) (fresh bool, err error)
}
