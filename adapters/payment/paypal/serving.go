package paypal

import (
	"context"
	"io"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/ports/outbound/commerce"
)

// CreatePortal fails, because PayPal has no customer portal.
func (*PayPal) CreatePortal(context.Context, commerce.PortalOrder, string) (commerce.Portal, error) {
	return commerce.Portal{}, billing.Unable(Name, billing.CanPortal)
}

// UpdateCustomer fails, because PayPal has no customers.
func (*PayPal) UpdateCustomer(context.Context, billing.CustomerSnapshot, string) error {
	return billing.Unable(Name, billing.CanAddress)
}

// ReportUsage fails, because PayPal has no metered prices.
func (*PayPal) ReportUsage(context.Context, commerce.UsageReport, string) error {
	return billing.Unable(Name, billing.CanMeter)
}

// InvoicePDF fails with billing.ErrNoDocument, because PayPal has no invoices.
func (*PayPal) InvoicePDF(context.Context, string) (io.ReadCloser, error) {
	return nil, billing.ErrNoDocument
}
