package paddle

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

// CreatePortal makes a session of the customer portal, from which there is no way back to an
// address of ours.
func (p *Paddle) CreatePortal(ctx context.Context, order ports.PortalOrder, _ string) (ports.Portal, error) {
	var made portal
	if err := p.post(ctx, "customers/"+url.PathEscape(order.CustomerID)+"/portal-sessions", object{}, &made); err != nil {
		return ports.Portal{}, err
	}
	return ports.Portal{URL: made.URLs.General.Overview, ExpiresAt: p.options.Clock.Now().Add(portalLife)}, nil
}

// UpdateCustomer passes on what invoices show: the address is an object of its own at Paddle,
// as is the business with its tax number. What there is of them is changed.
func (p *Paddle) UpdateCustomer(ctx context.Context, of billing.CustomerSnapshot, _ string) error {
	path := "customers/" + url.PathEscape(of.ProcessorID)
	body := object{}
	if of.Name != "" {
		body["name"] = of.Name
	}
	if of.Email != "" {
		body["email"] = of.Email
	}
	if len(body) > 0 {
		if err := p.patch(ctx, path, body, &named{}); err != nil {
			return err
		}
	}
	if a := of.Address; a.Country != "" {
		err := put[address](ctx, p, path+"/addresses", object{
			"country_code": a.Country, "first_line": a.Line1, "second_line": a.Line2, "city": a.City, "postal_code": a.PostalCode, "region": a.State,
		})
		if err != nil {
			return err
		}
	}
	if of.TaxID != "" && of.Name != "" {
		return put[business](ctx, p, path+"/businesses", object{"name": of.Name, "tax_identifier": of.TaxID})
	}
	return nil
}

// put changes all that there is at a path, or makes the first.
func put[T listed](ctx context.Context, p *Paddle, path string, body object) error {
	there := false
	for one, err := range list[T](ctx, p, path, url.Values{}, longPage) {
		if err != nil {
			return err
		}
		there = true
		if err := p.patch(ctx, path+"/"+url.PathEscape(one.id()), body, &named{}); err != nil {
			return err
		}
	}
	if there {
		return nil
	}
	return p.post(ctx, path, body, &named{})
}

// ReportUsage is nothing that Paddle can do.
func (*Paddle) ReportUsage(context.Context, ports.UsageReport, string) error {
	return billing.Unable(Name, billing.CanMeter)
}

// InvoicePDF reads the document of an invoice. Its address is Paddle's, without our key.
func (p *Paddle) InvoicePDF(ctx context.Context, id string) (io.ReadCloser, error) {
	var of document
	if err := p.get(ctx, "transactions/"+url.PathEscape(id)+"/invoice", nil, &of); err != nil {
		return nil, err
	}
	return payment.Document(ctx, p.http, of.URL)
}
