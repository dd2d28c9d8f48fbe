package commerce_test

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"strings"
	"testing"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/outbound/commerce"
	"gatehouse.internal/test/harness"
)

// An invoice has its lines, and a PDF that is the same whenever it is asked for; nobody else
// gets either.
func TestInvoices(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		s := open(t, database)
		_, page := s.begin(s.buyer, P{"price_id": s.monthly, "quantity": 3})
		s.Act(page, "pay")
		id := s.buyer.Do("BILLING.INVOICE_LIST", nil).OK().List("items")[0]["id"].(string)
		got := s.buyer.Do("BILLING.INVOICE_GET", P{"invoice_id": id}).OK()
		lines := got.List("lines")
		if len(lines) != 1 || lines[0]["description"] != "Table" || lines[0]["quantity"] != 3.0 || lines[0]["amount"] != 5700.0 {
			t.Errorf("the lines are %v", lines)
		}
		if got.Data["pdf"] != nil || got.Int("invoice.total") != 5700 || !strings.HasSuffix(got.String("pdf_url"), "/account/billing/invoices/"+id+"/pdf") {
			t.Errorf("the invoice is %v", got.Data)
		}
		first := s.buyer.Do("BILLING.INVOICE_GET", P{"invoice_id": id, "include_pdf": true}).OK().String("pdf")
		s.later(1)
		if again := s.seller.Do("BILLING.INVOICE_GET", P{"invoice_id": id, "include_pdf": true}).OK().String("pdf"); again != first {
			t.Error("the seller gets another PDF a day later")
		}
		if raw, err := base64.StdEncoding.DecodeString(first); err != nil || !strings.HasPrefix(string(raw), "%PDF-") {
			t.Errorf("the PDF is %.20q, %v", raw, err)
		}
		s.SignUp("stranger@example.com").Do("BILLING.INVOICE_GET", P{"invoice_id": id}).Fails(fault.NotFound)
	})
}

type serving = commerce.Serving

// papers is a processor with documents of its own.
type papers struct {
	commerce.Processor
	serving

	fails bool
}

func (p papers) Abilities() []billing.Ability { return append(p.Processor.Abilities(), billing.CanPDF) }

func (p papers) Serving() commerce.Serving { return p }

func (p papers) InvoicePDF(_ context.Context, id string) (io.ReadCloser, error) {
	if p.fails {
		return nil, errors.New("no answer")
	}
	return io.NopCloser(strings.NewReader("%PDF of " + id)), nil
}

// The document of an invoice is the processor's, where it has one.
func TestDocumentsOfProcessors(t *testing.T) {
	t.Parallel()
	s := open(t, harness.SQLite(t))
	_, page := s.begin(s.buyer, P{"price_id": s.once})
	s.Act(page, "pay")
	id := s.buyer.Do("BILLING.INVOICE_LIST", nil).OK().List("items")[0]["id"]
	before := s.Payments.Processors[0]
	s.Payments.Processors[0] = papers{Processor: before, serving: before.Serving()}
	printed, err := base64.StdEncoding.DecodeString(s.buyer.Do("BILLING.INVOICE_GET", P{"invoice_id": id, "include_pdf": true}).OK().String("pdf"))
	if err != nil || !strings.HasPrefix(string(printed), "%PDF of sbx_") {
		t.Errorf("the document is %.20q, %v", printed, err)
	}
	s.Payments.Processors[0] = papers{before, before.Serving(), true}
	s.buyer.Do("BILLING.INVOICE_GET", P{"invoice_id": id, "include_pdf": true}).Fails(fault.Internal)
	s.buyer.Do("BILLING.INVOICE_GET", P{"invoice_id": id}).OK()
}
