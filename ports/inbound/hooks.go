package inbound

import (
	"context"
	"net/http"
)

// PaymentHooks receives webhooks of payment processors.
type PaymentHooks interface {
	// Take stores a webhook with its unmodified body; it is processed later. It fails
	// with AUTH_ERROR if the processor did not sign it for this instance within the
	// last minutes, and with NOT_FOUND if the processor is not configured.
	Take(ctx context.Context, processor string, header http.Header, body []byte) error
}
