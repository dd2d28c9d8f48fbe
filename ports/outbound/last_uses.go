package outbound

import "context"

// LastUses records when credentials were used, to the minute, outside any
// transaction. Calls that wait together share one commit.
type LastUses interface {
	// Touch notes that the credential with this identifier was used now. It writes
	// at most once a minute for each, and it never moves a time back.
	Touch(ctx context.Context, subject string) error
}
