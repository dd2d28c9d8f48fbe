package stripe

import (
	"context"
	"io"
	"strconv"
	"time"

	"github.com/stripe/stripe-go/v85"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/ports/outbound/commerce"
)

// portalLife is how long the address of a portal session is valid before its first use.
const portalLife = 5 * time.Minute

// CreatePortal creates a session of the customer portal.
func (s *Stripe) CreatePortal(ctx context.Context, order commerce.PortalOrder, key string) (commerce.Portal, error) {
	params := &stripe.BillingPortalSessionCreateParams{Customer: &order.CustomerID, ReturnURL: &order.ReturnURL}
	params.SetIdempotencyKey(key)
	made, err := s.api.V1BillingPortalSessions.Create(ctx, params)
	if err != nil {
		return commerce.Portal{}, apiError(err)
	}
	return commerce.Portal{URL: made.URL, ExpiresAt: s.options.Clock.Now().Add(portalLife)}, nil
}

// UpdateCustomer updates the data that invoices show. The tax number is a custom field of the invoice, because the
// tax ID of Stripe requires its type, which is not known here.
func (s *Stripe) UpdateCustomer(ctx context.Context, of billing.CustomerSnapshot, key string) error {
	a := of.Address
	params := &stripe.CustomerUpdateParams{
		Name: &of.Name, Email: &of.Email,
		Address: &stripe.AddressParams{
			Line1: &a.Line1, Line2: &a.Line2, PostalCode: &a.PostalCode, City: &a.City, State: &a.State, Country: &a.Country,
		},
	}
	if of.TaxID != "" {
		params.InvoiceSettings = &stripe.CustomerUpdateInvoiceSettingsParams{
			CustomFields: []*stripe.CustomerUpdateInvoiceSettingsCustomFieldParams{{Name: new("Tax ID"), Value: &of.TaxID}},
		}
	}
	params.SetIdempotencyKey(key)
	_, err := s.api.V1Customers.Update(ctx, of.ProcessorID, params)
	return apiError(err)
}

// ReportUsage sends usage as one event of the meter, with the key as its identifier.
func (s *Stripe) ReportUsage(ctx context.Context, report commerce.UsageReport, key string) error {
	params := &stripe.BillingMeterEventCreateParams{
		EventName: &report.Meter, Identifier: &key, Timestamp: new(report.At.Unix()),
		Payload: map[string]string{"stripe_customer_id": report.CustomerID, "value": strconv.FormatInt(report.Quantity, 10)},
	}
	params.SetIdempotencyKey(key)
	_, err := s.api.V1BillingMeterEvents.Create(ctx, params)
	return apiError(err)
}

// InvoicePDF reads the document of an invoice, without credentials.
func (s *Stripe) InvoicePDF(ctx context.Context, id string) (io.ReadCloser, error) {
	of, err := s.api.V1Invoices.Retrieve(ctx, id, nil)
	if err != nil {
		return nil, apiError(err)
	}
	return payment.Document(ctx, s.documents, of.InvoicePDF)
}
