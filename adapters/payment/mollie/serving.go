package mollie

import (
	"context"
	"io"
	"net/http"
	"net/url"

	api "github.com/VictorAvelar/mollie-api-go/v4/mollie"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/ports/outbound/commerce"
)

// CreatePortal fails, because Mollie has no customer portal.
func (*Mollie) CreatePortal(context.Context, commerce.PortalOrder, string) (commerce.Portal, error) {
	return commerce.Portal{}, billing.Unable(Name, billing.CanPortal)
}

// UpdateCustomer updates the name and email address, which is all that Mollie stores of a customer.
func (m *Mollie) UpdateCustomer(ctx context.Context, of billing.CustomerSnapshot, key string) error {
	if of.Name == "" && of.Email == "" {
		return nil
	}
	body := api.UpdateCustomer{Name: of.Name, Email: of.Email}
	response, _, err := m.api.Customers.Update(once(ctx, key, http.MethodPatch, of.ProcessorID), url.PathEscape(of.ProcessorID), body)
	return apiError(response, err)
}

// ReportUsage fails, because Mollie has no metered prices.
func (*Mollie) ReportUsage(context.Context, commerce.UsageReport, string) error {
	return billing.Unable(Name, billing.CanMeter)
}

// InvoicePDF fails with billing.ErrNoDocument, because Mollie has no invoices.
func (*Mollie) InvoicePDF(context.Context, string) (io.ReadCloser, error) {
	return nil, billing.ErrNoDocument
}
