package payment

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// ErrDocument says that a processor has no document of an invoice, or does not hand it out.
var ErrDocument = errors.New("the processor hands out no document of the invoice")

// Document reads the document of an invoice at the address that a processor named for it,
// without our key. It fails with ErrDocument where there is none. The caller closes it.
func Document(ctx context.Context, by *http.Client, address string) (io.ReadCloser, error) {
	if address == "" {
		return nil, ErrDocument
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("ask for a document: %w", err)
	}
	answer, err := by.Do(request)
	if err != nil {
		return nil, fmt.Errorf("ask for a document: %w", err)
	}
	if answer.StatusCode != http.StatusOK {
		_ = answer.Body.Close()
		return nil, fmt.Errorf("%w: %s", ErrDocument, answer.Status)
	}
	return answer.Body, nil
}
