package outbound

import "context"

// Fetcher gets small documents from addresses that users chose. It refuses
// addresses within private networks, follows no redirect, and bounds time and size.
type Fetcher interface {
	// Fetch gives the body of a GET that was answered with 200.
	Fetch(ctx context.Context, url string) ([]byte, error)
}
