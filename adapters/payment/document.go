package payment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"gatehouse.internal/adapters/fetch"
	"gatehouse.internal/domain/billing"
)

// ErrDocument says that a processor has no document of an invoice, or refuses it.
var ErrDocument = errors.New("the payment processor does not provide the invoice document")

// Documents returns the reader of documents at addresses that a processor sends. It reads from public
// addresses over TLS; if the options have a BaseURL, also from private ones over HTTP, for the test double
// of the processor.
func Documents(o Options) *fetch.Reader {
	by := fetch.SenderOptions{Timeout: cmp.Or(o.Patience, billing.CallTime)}
	if o.BaseURL != "" {
		by.Through, by.HTTP = fetch.Private, true
	}
	return fetch.NewReader(by)
}

// Document reads the document of an invoice at the address that a processor sent, without credentials. It
// fails with ErrDocument if there is none. The caller closes it.
func Document(ctx context.Context, by *fetch.Reader, address string) (io.ReadCloser, error) {
	if address == "" {
		return nil, ErrDocument
	}
	answer, err := by.Open(ctx, address)
	if err != nil {
		return nil, fmt.Errorf("request an invoice document: %w", err)
	}
	if answer.StatusCode != http.StatusOK {
		_ = answer.Body.Close()
		return nil, fmt.Errorf("%w: %s", ErrDocument, answer.Status)
	}
	return answer.Body, nil
}
