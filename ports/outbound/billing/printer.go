package billing

import "gatehouse.internal/domain/billing"

// Printer prints what processors have no document of.
type Printer interface {
	// Invoice returns an invoice as a PDF.
	Invoice(p Paper) ([]byte, error)
}

// Paper is what stands on an invoice.
type Paper struct {
	Invoice billing.InvoiceSnapshot
	// Seller is the name of the workspace; Buyer are the lines of the address.
	Seller string
	Buyer  []string
}
