package mollie

import (
	"context"
	"io"
	"net/http"
	"net/url"

	api "github.com/VictorAvelar/mollie-api-go/v4/mollie"

	"gatehouse.internal/domain/billing"
	ports "gatehouse.internal/ports/outbound/billing"
)

// CreatePortal is nothing that Mollie can do.
func (*Mollie) CreatePortal(context.Context, ports.PortalOrder, string) (ports.Portal, error) {
	return ports.Portal{}, billing.Unable(Name, billing.CanPortal)
}

// UpdateCustomer passes on name and email, which is all that Mollie keeps of a customer.
func (m *Mollie) UpdateCustomer(ctx context.Context, of billing.CustomerSnapshot, key string) error {
	if of.Name == "" && of.Email == "" {
		return nil
	}
	body := api.UpdateCustomer{Name: of.Name, Email: of.Email}
	by, _, err := m.api.Customers.Update(once(ctx, key, http.MethodPatch, of.ProcessorID), url.PathEscape(of.ProcessorID), body)
	return answered(by, err)
}

// ReportUsage is nothing that Mollie can do.
func (*Mollie) ReportUsage(context.Context, ports.UsageReport, string) error {
	return billing.Unable(Name, billing.CanMeter)
}

// InvoicePDF fails: Mollie writes no invoices.
func (*Mollie) InvoicePDF(context.Context, string) (io.ReadCloser, error) {
	return nil, billing.ErrNoDocument
}
