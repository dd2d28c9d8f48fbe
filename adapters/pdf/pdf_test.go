package pdf_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/adapters/pdf"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/ports/outbound/commerce"
)

func paper() commerce.InvoiceDocument {
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	return commerce.InvoiceDocument{Seller: "Łódź Straße", Buyer: []string{"Ада Лавлейс"}, Invoice: billing.InvoiceSnapshot{
		Number: "shop-2026-1", Status: billing.InvoicePaid, IssuedAt: at, PaidAt: at, Subtotal: 1900, Total: money.Of(1900, "EUR"),
		Lines: []billing.Line{{Description: "Table", Quantity: 1, Amount: 1900}},
	}}
}

func printed(t *testing.T, p commerce.InvoiceDocument) []byte {
	t.Helper()
	got, err := pdf.Printer{}.Invoice(p)
	if err != nil || !bytes.HasPrefix(got, []byte("%PDF-")) || !bytes.HasSuffix(bytes.TrimSpace(got), []byte("%%EOF")) {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
	return got
}

// The same invoice is the same file, and another is another.
func TestStableBytes(t *testing.T) {
	t.Parallel()
	first := printed(t, paper())
	if !bytes.Equal(first, printed(t, paper())) {
		t.Error("two prints of one invoice differ")
	}
	other := paper()
	other.Invoice.Total.Minor++
	if bytes.Equal(first, printed(t, other)) {
		t.Error("invoices over other amounts are alike")
	}
}

// Whatever people call things, and however many lines there are, a file comes out.
func TestOddTexts(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing": "", "a long word": strings.Repeat("x", 2000), "lines": "a\nb\r\nc", "beyond the plane": "🧾 \U0001F9FE", "controls": "\x00\x1b\x7f",
		"no text": "\xff\xfe", "many words": strings.Repeat("a table ", 400), "from the right": "שלום", "brackets": `(\)`,
	} {
		p := paper()
		p.Seller, p.Buyer, p.Invoice.Number = text, []string{text}, text
		p.Invoice.Lines = nil
		for range 100 {
			p.Invoice.Lines = append(p.Invoice.Lines, billing.Line{Description: text, Quantity: money.Most, Amount: money.Most})
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			printed(t, p)
		})
	}
}
