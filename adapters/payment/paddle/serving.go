package paddle

import (
	"context"
	"io"
	"iter"
	"net/url"
	"time"

	api "github.com/PaddleHQ/paddle-go-sdk/v4"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/ports/outbound/commerce"
)

// portalLife is how long the address of a portal session is used.
const portalLife = 5 * time.Minute

// CreatePortal creates a session of the customer portal. Paddle takes no address to return to.
func (p *Paddle) CreatePortal(ctx context.Context, order commerce.PortalOrder, _ string) (commerce.Portal, error) {
	made, err := present(p.api.CreateCustomerPortalSession(ctx, &api.CreateCustomerPortalSessionRequest{CustomerID: url.PathEscape(order.CustomerID)}))
	if err != nil {
		return commerce.Portal{}, err
	}
	return commerce.Portal{URL: made.URLs.General.Overview, ExpiresAt: p.options.Clock.Now().Add(portalLife)}, nil
}

// UpdateCustomer updates the data that invoices show. At Paddle the address, and the business with its tax number,
// are separate objects. All that the customer has are updated, or the first is created.
func (p *Paddle) UpdateCustomer(ctx context.Context, of billing.CustomerSnapshot, _ string) error {
	id := url.PathEscape(of.ProcessorID)
	if of.Name != "" || of.Email != "" {
		body := &api.UpdateCustomerRequest{CustomerID: id}
		if of.Name != "" {
			body.Name = api.NewPtrPatchField(of.Name)
		}
		if of.Email != "" {
			body.Email = api.NewPatchField(of.Email)
		}
		if _, err := p.api.UpdateCustomer(ctx, body); err != nil {
			return err
		}
	}
	if of.Address.Country != "" {
		if err := p.address(ctx, id, of.Address); err != nil {
			return err
		}
	}
	if of.TaxID != "" && of.Name != "" {
		return p.business(ctx, id, of.Name, of.TaxID)
	}
	return nil
}

// address updates all addresses of a customer, or creates the first.
func (p *Paddle) address(ctx context.Context, customer string, a billing.Address) error {
	country := api.CountryCode(a.Country)
	first, err := p.api.ListAddresses(ctx, &api.ListAddressesRequest{CustomerID: customer, PerPage: new(longPage)})
	return updateOrCreate(list(ctx, first, err), func(one *api.Address) error {
		_, err := p.api.UpdateAddress(ctx, &api.UpdateAddressRequest{
			CustomerID: customer, AddressID: one.ID, CountryCode: api.NewPatchField(country), FirstLine: api.NewPtrPatchField(a.Line1),
			SecondLine: api.NewPtrPatchField(a.Line2), City: api.NewPtrPatchField(a.City), PostalCode: api.NewPtrPatchField(a.PostalCode),
			Region: api.NewPtrPatchField(a.State),
		})
		return err
	}, func() error {
		_, err := p.api.CreateAddress(ctx, &api.CreateAddressRequest{
			CustomerID: customer, CountryCode: country, FirstLine: &a.Line1, SecondLine: &a.Line2, City: &a.City, PostalCode: &a.PostalCode, Region: &a.State,
		})
		return err
	})
}

// business updates all businesses of a customer, or creates the first.
func (p *Paddle) business(ctx context.Context, customer, name, tax string) error {
	first, err := p.api.ListBusinesses(ctx, &api.ListBusinessesRequest{CustomerID: customer, PerPage: new(longPage)})
	return updateOrCreate(list(ctx, first, err), func(one *api.Business) error {
		_, err := p.api.UpdateBusiness(ctx, &api.UpdateBusinessRequest{
			CustomerID: customer, BusinessID: one.ID, Name: api.NewPatchField(name), TaxIdentifier: api.NewPtrPatchField(tax),
		})
		return err
	}, func() error {
		_, err := p.api.CreateBusiness(ctx, &api.CreateBusinessRequest{CustomerID: customer, Name: name, TaxIdentifier: &tax})
		return err
	})
}

// updateOrCreate updates all items of a list, or creates one if it is empty.
func updateOrCreate[T any](all iter.Seq2[*T, error], change func(*T) error, create func() error) error {
	found := false
	for one, err := range all {
		if err != nil {
			return err
		}
		found = true
		if err := change(one); err != nil {
			return err
		}
	}
	if found {
		return nil
	}
	return create()
}

// ReportUsage fails, because Paddle has no metered prices.
func (*Paddle) ReportUsage(context.Context, commerce.UsageReport, string) error {
	return billing.Unable(Name, billing.CanMeter)
}

// InvoicePDF reads the document of an invoice, without credentials.
func (p *Paddle) InvoicePDF(ctx context.Context, id string) (io.ReadCloser, error) {
	of, err := present(p.api.GetTransactionInvoice(ctx, &api.GetTransactionInvoiceRequest{TransactionID: url.PathEscape(id)}))
	if err != nil {
		return nil, err
	}
	return payment.Document(ctx, p.documents, of.URL)
}
