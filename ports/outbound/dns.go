package outbound

import "context"

// DNS queries DNS records.
type DNS interface {
	// TXT returns the TXT records of a name; none if the name or the records do not
	// exist. It fails if there is no response in time.
	TXT(ctx context.Context, name string) ([]string, error)
}
