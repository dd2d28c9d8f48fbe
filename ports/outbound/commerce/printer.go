package commerce

import "gatehouse.internal/domain/billing"

// Printer renders documents that processors do not provide.
type Printer interface {
	// Invoice returns an invoice as a PDF.
	Invoice(p InvoiceDocument) ([]byte, error)
}

// InvoiceDocument is the content of an invoice.
type InvoiceDocument struct {
	Invoice billing.InvoiceSnapshot
	// Seller is the name of the workspace, and Buyer the lines of the address.
	Seller string
	Buyer  []string
}
