package billing

import (
	"context"
	"encoding/base64"
	"net/url"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/payment"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/ports/outbound/commerce"
)

// InvoiceGetParams are the parameters of BILLING.INVOICE_GET.
type InvoiceGetParams struct {
	InvoiceID  billing.InvoiceID `json:"invoice_id" doc:"ID of the invoice."`
	IncludePDF bool              `json:"include_pdf,omitzero" doc:"Whether to include the PDF in the result."`
}

// InvoiceGetResult is the result of BILLING.INVOICE_GET.
type InvoiceGetResult struct {
	Invoice Invoice        `json:"invoice" doc:"The invoice."`
	Lines   []billing.Line `json:"lines" doc:"Lines of the invoice, with amounts in minor units of its currency."`
	PDFURL  string         `json:"pdf_url" doc:"URL of the PDF, for a browser with your session."`
	PDF     string         `json:"pdf,omitzero" doc:"The PDF in base64. Present if include_pdf is true."`
}

func (s *Service) invoiceGet() command.Definition {
	return command.Define(command.Spec[InvoiceGetParams, InvoiceGetResult]{
		Name:    "BILLING.INVOICE_GET",
		Summary: "Retrieve an invoice with its lines and PDF.",
		Description: "You can retrieve the invoices of your own purchases. With `billing:read`, you can also retrieve the invoices of your workspace's " +
			"purchases and sales.",
		Access: access.User(),
		Effect: command.Reads,
		Handle: func(ctx context.Context, call command.Call, p InvoiceGetParams) (InvoiceGetResult, error) {
			found, err := s.Sales.Invoices(ctx, commerce.SaleQuery{ID: p.InvoiceID.String(), Limit: 1})
			if err == nil && (len(found) == 0 || !sees(call.Caller, found[0].Sale)) {
				err = billing.ErrNoInvoice
			}
			if err != nil {
				return InvoiceGetResult{}, err
			}
			of := found[0]
			result := InvoiceGetResult{
				Invoice: showInvoice(of), Lines: append([]billing.Line{}, of.Lines...),
				PDFURL: s.Host + "/account/billing/invoices/" + url.PathEscape(of.ID.String()) + "/pdf",
			}
			if p.IncludePDF {
				result.PDF, err = s.print(ctx, of)
			}
			return result, err
		},
	})
}

// print returns an invoice as a PDF in base64: the processor's where it has one, else ours.
func (s *Service) print(ctx context.Context, of billing.InvoiceSnapshot) (string, error) {
	document, err := s.Payments.Document(ctx, of, s.pause(ctx))
	if err != nil || document != nil {
		return base64.StdEncoding.EncodeToString(document), err
	}
	seller, err := s.Workspaces.Find(ctx, of.OrgID)
	if err != nil {
		return "", err
	}
	paper := commerce.InvoiceDocument{Invoice: of, Seller: seller.Name}
	err = s.Paying.Do(ctx, func(tx payment.Repos) error {
		buyer, err := tx.Customers.ByID(ctx, of.CustomerID)
		if err == nil {
			paper.Buyer = buyer.Snapshot().Lines()
		}
		return err
	})
	if err != nil {
		return "", err
	}
	printed, err := s.Printer.Invoice(paper)
	return base64.StdEncoding.EncodeToString(printed), err
}
