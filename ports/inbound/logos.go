package inbound

import (
	"context"

	"gatehouse.internal/ports/outbound"
)

// Logos reads the logos of apps.
type Logos interface {
	// Logo returns the logo of an app by its client_id. It fails with a fault if the app
	// has none, or if it cannot be fetched.
	Logo(ctx context.Context, clientID string) (outbound.Picture, error)
}
