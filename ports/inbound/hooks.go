package inbound

import (
	"context"
	"net/http"
)

// PaymentHooks takes what payment processors tell by themselves.
type PaymentHooks interface {
	// Take stores what a hook of a processor tells, whose body is as it was sent; it is
	// applied afterwards. It fails with AUTH_ERROR for a hook that the processor did not
	// sign for this instance within the last minutes, and with NOT_FOUND for another
	// processor than those that are configured.
	Take(ctx context.Context, processor string, header http.Header, body []byte) error
}
