package paypal

import (
	"context"
	"io"

	"gatehouse.internal/domain/billing"
	ports "gatehouse.internal/ports/outbound/billing"
)

// CreatePortal is nothing that PayPal can do.
func (*PayPal) CreatePortal(context.Context, ports.PortalOrder, string) (ports.Portal, error) {
	return ports.Portal{}, billing.Unable(Name, billing.CanPortal)
}

// UpdateCustomer is nothing that PayPal can do: it knows who pays.
func (*PayPal) UpdateCustomer(context.Context, billing.CustomerSnapshot, string) error {
	return billing.Unable(Name, billing.CanAddress)
}

// ReportUsage is nothing that PayPal can do.
func (*PayPal) ReportUsage(context.Context, ports.UsageReport, string) error {
	return billing.Unable(Name, billing.CanMeter)
}

// InvoicePDF fails: PayPal has no document of a charge.
func (*PayPal) InvoicePDF(context.Context, string) (io.ReadCloser, error) {
	return nil, billing.ErrNoDocument
}
