package outbound

import (
	"context"
	"errors"
	"time"
)

// ErrInward is returned for an address that leads to this machine or into a private
// network.
var ErrInward = errors.New("the address leads to this machine or into a private network")

// Fetcher gets small documents from addresses that users chose. It refuses
// addresses within private networks, follows no redirect, and bounds time and size.
type Fetcher interface {
	// Fetch returns the body of a GET that was answered with 200.
	Fetch(ctx context.Context, url string) ([]byte, error)
}

// DocumentFetcher gets the descriptions of clients, as a Fetcher does.
type DocumentFetcher interface {
	// Document returns the body of a GET that was answered with 200 and JSON, and for how long
	// it may be kept.
	Document(ctx context.Context, url string) (body []byte, keep time.Duration, err error)
}

// AddressGuard checks addresses that users chose, before they are stored.
type AddressGuard interface {
	// Check returns ErrInward for an address whose host is an inward one by its form
	// alone. It looks no name up: what a name stands for is checked by the Fetcher
	// whenever it connects.
	Check(address string) error
}
