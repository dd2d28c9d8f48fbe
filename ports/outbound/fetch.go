package outbound

import (
	"context"
	"errors"
	"time"
)

// ErrInward is returned for an address of this machine or of a private network.
var ErrInward = errors.New("the URL points to this machine or a private network")

// Fetcher fetches small documents from addresses chosen by users. It rejects addresses
// in private networks, does not follow redirects, and limits time and size.
type Fetcher interface {
	// Fetch returns the body of a GET response with status 200; it fails for any other
	// status.
	Fetch(ctx context.Context, url string) ([]byte, error)
}

// DocumentFetcher fetches client metadata documents, with the restrictions of a
// Fetcher.
type DocumentFetcher interface {
	// Document returns the body of a GET response with status 200 and JSON, and for how
	// long it may be cached.
	Document(ctx context.Context, url string) (body []byte, keep time.Duration, err error)
}

// Picture is a small picture.
type Picture struct {
	// Type is its media type: PNG, WebP, JPEG, GIF or SVG. SVG may contain scripts.
	Type string
	Body []byte
	// Keep is for how long it may be cached.
	Keep time.Duration
}

// PictureFetcher fetches logos, with the restrictions of a Fetcher.
type PictureFetcher interface {
	// Picture returns the picture in a GET response with status 200. It fails if the
	// response contains anything else.
	Picture(ctx context.Context, url string) (Picture, error)
}

// AddressGuard validates addresses chosen by users before they are stored.
type AddressGuard interface {
	// Check returns ErrInward for an address whose host is literally an inward one. It
	// resolves no names; the Fetcher checks resolved addresses when it connects.
	Check(address string) error
}
