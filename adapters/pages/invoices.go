package pages

import (
	"net/http"
	"strconv"
)

// invoicePDF serves the PDF of an invoice that the person may read.
func (v *visit) invoicePDF() error {
	var got struct {
		PDF []byte `json:"pdf"`
	}
	if err := v.call("BILLING.INVOICE_GET", params{"invoice_id": v.r.PathValue("id"), "include_pdf": true}, &got); err != nil {
		return err
	}
	return v.download("invoice-"+v.r.PathValue("id")+".pdf", "application/pdf", got.PDF)
}

// download serves a file as an attachment.
func (v *visit) download(name, kind string, content []byte) error {
	if err := v.save(); err != nil {
		return err
	}
	header := v.w.Header()
	header.Set("Content-Type", kind)
	header.Set("Content-Disposition", "attachment; filename="+strconv.Quote(name))
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Length", strconv.Itoa(len(content)))
	v.w.WriteHeader(http.StatusOK)
	_, _ = v.w.Write(content) // the client may have disconnected
	return nil
}
