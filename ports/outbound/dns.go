package outbound

import "context"

// DNS looks records up.
type DNS interface {
	// TXT returns the texts that stand at a name itself; none where the name, or such a
	// record of it, does not exist. It fails where nobody answers that in time.
	TXT(ctx context.Context, name string) ([]string, error)
}
