package pages

import (
	"net/http"
	"strconv"
)

// invoicePDF answers the PDF of an invoice, with the rights of the person whose session it is.
func (v *visit) invoicePDF() error {
	var got struct {
		PDF []byte `json:"pdf"`
	}
	if err := v.call("BILLING.INVOICE_GET", params{"invoice_id": v.r.PathValue("id"), "include_pdf": true}, &got); err != nil {
		return err
	}
	header := v.w.Header()
	header.Set("Content-Type", "application/pdf")
	header.Set("Content-Disposition", "attachment; filename="+strconv.Quote("invoice-"+v.r.PathValue("id")+".pdf"))
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Length", strconv.Itoa(len(got.PDF)))
	v.w.WriteHeader(http.StatusOK)
	_, _ = v.w.Write(got.PDF) // the browser has gone
	return nil
}
