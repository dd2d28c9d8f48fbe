package stripe

import (
	"context"
	"io"
	"net/url"
	"time"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
	ports "gatehouse.internal/ports/outbound/billing"
)

// portalLife is how long a portal waits for who is sent there.
const portalLife = 5 * time.Minute

// CreatePortal makes a session of the customer portal.
func (s *Stripe) CreatePortal(ctx context.Context, order ports.PortalOrder, key string) (ports.Portal, error) {
	var made portal
	fields := url.Values{"customer": {order.CustomerID}, "return_url": {order.ReturnURL}}
	if err := s.post(ctx, "billing_portal/sessions", fields, key, &made); err != nil {
		return ports.Portal{}, err
	}
	return ports.Portal{URL: made.URL, ExpiresAt: s.options.Clock.Now().Add(portalLife)}, nil
}

// UpdateCustomer passes on what invoices show. The tax number is a field of the invoice: of
// what kind it is, which Stripe's own wants to know, nobody said.
func (s *Stripe) UpdateCustomer(ctx context.Context, of billing.CustomerSnapshot, key string) error {
	a := of.Address
	fields := url.Values{
		"name": {of.Name}, "email": {of.Email}, "address[line1]": {a.Line1}, "address[line2]": {a.Line2}, "address[postal_code]": {a.PostalCode},
		"address[city]": {a.City}, "address[state]": {a.State}, "address[country]": {a.Country},
	}
	if of.TaxID != "" {
		fields.Set("invoice_settings[custom_fields][0][name]", "Tax ID")
		fields.Set("invoice_settings[custom_fields][0][value]", of.TaxID)
	}
	return s.post(ctx, "customers/"+url.PathEscape(of.ProcessorID), fields, key, &named{})
}

// ReportUsage passes on uses as one event of their meter, which the key identifies.
func (s *Stripe) ReportUsage(ctx context.Context, report ports.UsageReport, key string) error {
	return s.post(ctx, "billing/meter_events", url.Values{
		"event_name": {report.Meter}, "identifier": {key}, "timestamp": {number(report.At.Unix())},
		"payload[stripe_customer_id]": {report.CustomerID}, "payload[value]": {number(report.Quantity)},
	}, key, &struct{}{})
}

// InvoicePDF reads the document of an invoice. Its address is Stripe's, without our key.
func (s *Stripe) InvoicePDF(ctx context.Context, id string) (io.ReadCloser, error) {
	var of bill
	if err := s.get(ctx, "invoices/"+url.PathEscape(id), nil, &of); err != nil {
		return nil, err
	}
	return payment.Document(ctx, s.http, of.PDF)
}
