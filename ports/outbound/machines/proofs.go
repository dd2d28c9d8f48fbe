package machines

import (
	"context"
	"time"
)

// Proofs prevents replays across all replicas: of DPoP proofs (RFC 9449 section 11.1)
// and client assertions (RFC 7523 section 3). Keys of different kinds must differ, for
// example by a label that is hashed with them.
type Proofs interface {
	// Use records a key and reports whether it is new. A key stays recorded at least
	// until it expires, whatever the result of the command, and is durable before Use
	// returns. Concurrent uses share one commit; among equal keys only the first is
	// new. Inside the transaction of a whole command Use belongs to it, so that a dry
	// run records nothing.
	Use(ctx context.Context, key string, expires time.Time) (fresh bool, err error)
}
