package polar

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/ports/outbound/commerce"
)

// quantity is the key in the metadata of an event that a meter sums.
const quantity = "quantity"

const (
	// documentTries is how often a document is requested until it has been generated, with
	// documentPause between two tries.
	documentTries = 5
	documentPause = 500 * time.Millisecond
)

// CreatePortal creates a session of the customer portal; for a team, that of its owner.
func (p *Polar) CreatePortal(ctx context.Context, order commerce.PortalOrder, _ string) (commerce.Portal, error) {
	var of customer
	if err := p.get(ctx, "customers/"+url.PathEscape(order.CustomerID), nil, &of); err != nil {
		return commerce.Portal{}, err
	}
	body := object{"customer_id": of.ID, "return_url": order.ReturnURL}
	if of.Type == team {
		body["external_member_id"] = of.ExternalID
	}
	var made struct {
		URL       string    `json:"customer_portal_url"`
		ExpiresAt time.Time `json:"expires_at"`
	}
	err := p.call(ctx, http.MethodPost, "customer-sessions/", body, &made)
	return commerce.Portal{URL: made.URL, ExpiresAt: made.ExpiresAt}, err
}

// UpdateCustomer updates the data that invoices show. Polar requires a country in an address, and an address for a tax
// number. The email address has to be unique, and is updated by a request of its own.
func (p *Polar) UpdateCustomer(ctx context.Context, of billing.CustomerSnapshot, _ string) error {
	a, at := of.Address, "customers/"+url.PathEscape(of.ProcessorID)
	body := object{}
	if of.Name != "" {
		body["name"] = of.Name
	}
	if a.Country != "" {
		body["billing_address"] = object{
			"line1": orNull(a.Line1), "line2": orNull(a.Line2), "postal_code": orNull(a.PostalCode), "city": orNull(a.City), "state": orNull(a.State), "country": a.Country,
		}
		body["tax_id"] = orNull(of.TaxID)
	}
	var now customer
	if err := p.call(ctx, http.MethodPatch, at, body, &now); err != nil {
		return err
	}
	if of.Email == "" || of.Email == now.Email || now.Email == "" {
		return nil
	}
	return p.call(ctx, http.MethodPatch, at, object{"email": of.Email}, nil)
}

// orNull returns a text, and nil for "".
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// ReportUsage sends usage as one event of the meter, with the key as its identifier: Polar ignores another event with
// the same one.
func (p *Polar) ReportUsage(ctx context.Context, report commerce.UsageReport, key string) error {
	whose := report.CustomerID
	if whose == "" {
		held, err := p.subscription(ctx, report.SubscriptionID)
		if err != nil {
			return err
		}
		whose = held.CustomerID
	}
	return p.call(ctx, http.MethodPost, "events/ingest", object{"events": []object{{
		"name": report.Meter, "customer_id": whose, "external_id": key, "timestamp": moment(report.At), "metadata": object{quantity: report.Quantity},
	}}}, nil)
}

// InvoicePDF reads the document of an order, which Polar generates on the first request. It fails with
// billing.ErrNoDocument if the buyer entered no name or address. The document is read without credentials.
func (p *Polar) InvoicePDF(ctx context.Context, id string) (io.ReadCloser, error) {
	at := "orders/" + url.PathEscape(id)
	var of order
	if err := p.get(ctx, at, nil, &of); err != nil {
		return nil, err
	}
	if !of.InvoiceGenerated {
		err := p.call(ctx, http.MethodPost, at+"/invoice", nil, nil)
		if errors.Is(err, billing.ErrRefused) || errors.Is(err, billing.ErrWaiting) {
			err = billing.ErrNoDocument
		}
		if err != nil {
			return nil, err
		}
	}
	address, err := p.document(ctx, at+"/invoice")
	if err != nil {
		return nil, err
	}
	return payment.Document(ctx, p.documents, address)
}

// document waits until a document has been generated, and returns its address.
func (p *Polar) document(ctx context.Context, path string) (string, error) {
	var last error
	for n := range documentTries {
		var written struct {
			URL string `json:"url"`
		}
		if last = p.get(ctx, path, nil, &written); !errors.Is(last, billing.ErrRefused) {
			return written.URL, last
		}
		if n == documentTries-1 {
			break
		}
		select {
		case <-time.After(documentPause):
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	return "", cmp.Or(last, payment.ErrDocument)
}
