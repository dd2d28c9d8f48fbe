package mollie

import (
	"context"
	"io"
	"net/http"
	"net/url"

	"gatehouse.internal/domain/billing"
	ports "gatehouse.internal/ports/outbound/billing"
)

// CreatePortal is nothing that Mollie can do.
func (*Mollie) CreatePortal(context.Context, ports.PortalOrder, string) (ports.Portal, error) {
	return ports.Portal{}, billing.Unable(Name, billing.CanPortal)
}

// UpdateCustomer passes on name and email, which is all that Mollie keeps of a customer.
func (m *Mollie) UpdateCustomer(ctx context.Context, of billing.CustomerSnapshot, key string) error {
	body := object{}
	if of.Name != "" {
		body["name"] = of.Name
	}
	if of.Email != "" {
		body["email"] = of.Email
	}
	if len(body) == 0 {
		return nil
	}
	return m.do(ctx, act{http.MethodPatch, "customers/" + url.PathEscape(of.ProcessorID), key, body}, &named{})
}

// ReportUsage is nothing that Mollie can do.
func (*Mollie) ReportUsage(context.Context, ports.UsageReport, string) error {
	return billing.Unable(Name, billing.CanMeter)
}

// InvoicePDF fails: Mollie writes no invoices.
func (*Mollie) InvoicePDF(context.Context, string) (io.ReadCloser, error) {
	return nil, billing.ErrNoDocument
}
