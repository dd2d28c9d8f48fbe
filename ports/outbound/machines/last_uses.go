package machines

import "context"

// LastUses records when credentials were used, to the minute, outside any
// transaction. Calls that wait together share one commit.
type LastUses interface {
	// Touch notes that the credential with this identifier was used now. It writes
	// at most once a minute for each, and asks the store as rarely, so that it may be
	// called with each request. It never moves a time back.
	Touch(ctx context.Context, subject string) error
}
