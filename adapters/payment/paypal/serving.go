package paypal

import (
	"context"
	"io"

	"gatehouse.internal/domain/billing"
	ports "gatehouse.internal/ports/outbound/billing"
)

// CreatePortal fails, because PayPal has no customer portal.
func (*PayPal) CreatePortal(context.Context, ports.PortalOrder, string) (ports.Portal, error) {
	return ports.Portal{}, billing.Unable(Name, billing.CanPortal)
}

// UpdateCustomer fails, because PayPal has no customers.
func (*PayPal) UpdateCustomer(context.Context, billing.CustomerSnapshot, string) error {
	return billing.Unable(Name, billing.CanAddress)
}

// ReportUsage fails, because PayPal has no metered prices.
func (*PayPal) ReportUsage(context.Context, ports.UsageReport, string) error {
	return billing.Unable(Name, billing.CanMeter)
}

// InvoicePDF fails with billing.ErrNoDocument, because PayPal has no invoices.
func (*PayPal) InvoicePDF(context.Context, string) (io.ReadCloser, error) {
	return nil, billing.ErrNoDocument
}
