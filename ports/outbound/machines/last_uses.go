package machines

import "context"

// LastUses records when credentials were used, with a precision of a minute, outside
// any transaction. Concurrent calls share one commit.
type LastUses interface {
	// Touch records the use of the credential with this identifier. It accesses the
	// store at most once a minute for each, so it may be called for each request. It
	// never decreases a time.
	Touch(ctx context.Context, subject string) error
}
