package ops

import "context"

// Reencryption encrypts every sealed value with the newest key, including those stored
// in plain text before a key was configured; without keys, it decrypts them all. It
// runs beside a running service, and never undoes concurrent writes.
type Reencryption interface {
	// Batch processes the next rows after a cursor, which is "" at first.
	Batch(ctx context.Context, after string) (ReencryptStep, error)
}

// ReencryptStep is the result of a batch.
type ReencryptStep struct {
	// Next is the cursor of the next batch.
	Next string
	// Read is the number of rows read, and Changed that of rows written.
	Read, Changed int
	// Done reports whether this was the last batch.
	Done bool
}
