// Package pdf prints invoices. What is printed of one is the same to the byte whenever, and on
// whichever replica, that is done.
package pdf

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"

	"gatehouse.internal/domain/money"
	"gatehouse.internal/ports/outbound/commerce"
)

// Measures in millimetres and points.
const (
	margin    = 20
	width     = 210 - 2*margin
	quantity  = 20
	amount    = 45
	described = width - quantity - amount
	line      = 6
	small     = 10
	large     = 20
	gap       = 8
)

const (
	font    = "go"
	regular = ""
	bold    = "B"
)

// Printer prints invoices.
type Printer struct{}

var _ commerce.Printer = Printer{}

// Invoice prints an invoice.
func (Printer) Invoice(p commerce.InvoiceDocument) ([]byte, error) {
	doc := fpdf.New("P", "mm", "A4", "")
	doc.SetCreationDate(p.Invoice.IssuedAt)
	doc.SetModificationDate(p.Invoice.IssuedAt)
	doc.SetCatalogSort(true)
	doc.SetTitle("Invoice "+clean(p.Invoice.Number), true)
	doc.AddUTF8FontFromBytes(font, regular, goregular.TTF)
	doc.AddUTF8FontFromBytes(font, bold, gobold.TTF)
	doc.SetMargins(margin, margin, margin)
	doc.SetAutoPageBreak(true, margin)
	doc.AddPage()
	head(doc, p)
	lines(doc, p)
	sums(doc, p)
	var out bytes.Buffer
	if err := doc.Output(&out); err != nil {
		return nil, fmt.Errorf("print an invoice: %w", err)
	}
	return out.Bytes(), nil
}

func head(doc *fpdf.Fpdf, p commerce.InvoiceDocument) {
	doc.SetFont(font, bold, large)
	doc.MultiCell(width, gap, clean(p.Seller), "", "L", false)
	doc.Ln(gap)
	doc.SetFont(font, bold, small)
	doc.MultiCell(width, line, "Invoice "+clean(p.Invoice.Number), "", "L", false)
	doc.SetFont(font, regular, small)
	say := func(what string) {
		if what != "" {
			doc.MultiCell(width, line, clean(what), "", "L", false)
		}
	}
	say("Date: " + day(p.Invoice.IssuedAt))
	if p.Invoice.PeriodEnd.After(p.Invoice.PeriodStart) {
		say("Period: " + day(p.Invoice.PeriodStart) + " to " + day(p.Invoice.PeriodEnd))
	}
	if p.Invoice.PaidAt.IsZero() {
		say("Status: " + string(p.Invoice.Status))
	} else {
		say("Paid: " + day(p.Invoice.PaidAt))
	}
	doc.Ln(line)
	for _, one := range p.Buyer {
		say(one)
	}
	doc.Ln(gap)
}

func lines(doc *fpdf.Fpdf, p commerce.InvoiceDocument) {
	doc.SetFont(font, bold, small)
	doc.CellFormat(described, line, "Description", "B", 0, "L", false, 0, "")
	doc.CellFormat(quantity, line, "Quantity", "B", 0, "R", false, 0, "")
	doc.CellFormat(amount, line, "Amount", "B", 1, "R", false, 0, "")
	doc.SetFont(font, regular, small)
	for _, one := range p.Invoice.Lines {
		// The last line of a long description has its amounts.
		parts := doc.SplitText(clean(one.Description), described)
		for len(parts) > 1 {
			doc.CellFormat(described, line, parts[0], "", 1, "L", false, 0, "")
			parts = parts[1:]
		}
		doc.CellFormat(described, line, strings.Join(parts, ""), "", 0, "L", false, 0, "")
		doc.CellFormat(quantity, line, strconv.FormatInt(one.Quantity, 10), "", 0, "R", false, 0, "")
		doc.CellFormat(amount, line, money.Of(one.Amount, p.Invoice.Total.Currency).String(), "", 1, "R", false, 0, "")
	}
}

func sums(doc *fpdf.Fpdf, p commerce.InvoiceDocument) {
	of, in := p.Invoice, p.Invoice.Total.Currency
	row := func(label string, minor int64, border string) {
		doc.CellFormat(described+quantity, line, label, border, 0, "R", false, 0, "")
		doc.CellFormat(amount, line, money.Of(minor, in).String(), border, 1, "R", false, 0, "")
	}
	row("Subtotal", of.Subtotal, "T")
	if of.Discount != 0 {
		row("Discount", -of.Discount, "")
	}
	row("Tax", of.Tax, "")
	doc.SetFont(font, bold, small)
	row("Total", of.Total.Minor, "T")
}

// clean replaces what the library cannot print: what is no text, controls, and characters
// beyond the basic plane.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r):
			return ' '
		case r > math.MaxUint16:
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(text, string(unicode.ReplacementChar)))
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }
