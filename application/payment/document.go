package payment

import (
	"context"
	"errors"
	"io"

	"gatehouse.internal/domain/billing"
)

// mostDocument bounds the document of an invoice, in bytes.
const mostDocument = 10 << 20

var errDocument = errors.New("the invoice document is larger than 10 MB")

// Document returns the document that the processor has of an invoice; nil where it has none,
// or is not configured any more. It fails with billing.ErrSilent.
func (s *Service) Document(ctx context.Context, of billing.InvoiceSnapshot, pause Pause) (document []byte, err error) {
	at, err := s.Of(of.Account)
	if err != nil || Able(at, billing.CanPDF) != nil {
		return nil, nil //nolint:nilerr // the invoice is printed here then
	}
	err = pause(func() error {
		outside, cancel := away(ctx, s.Patience)
		defer cancel()
		body, err := at.Serving().InvoicePDF(outside, of.Remote.ID)
		if err != nil {
			return err
		}
		defer body.Close()
		document, err = io.ReadAll(io.LimitReader(body, mostDocument+1))
		if err == nil && len(document) > mostDocument {
			err = errDocument
		}
		return err
	})
	if errors.Is(err, billing.ErrNoDocument) {
		return nil, nil
	}
	if err != nil {
		return nil, billing.ErrSilent.Because(err)
	}
	return document, nil
}
