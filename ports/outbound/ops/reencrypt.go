package ops

import "context"

// Reencryption brings every sealed value under the newest key, and those that
// were stored in clear before there was a key; without keys, it opens them all.
// It works beside a running service, whose writes it never undoes.
type Reencryption interface {
	// Batch looks through the next rows after a cursor, which is "" at first.
	Batch(ctx context.Context, after string) (ReencryptStep, error)
}

// ReencryptStep is what one batch did.
type ReencryptStep struct {
	// Next is the cursor of the next batch.
	Next string
	// Seen is how many rows were looked at, Changed how many were written.
	Seen, Changed int
	// Done reports whether there is nothing behind this batch.
	Done bool
}
