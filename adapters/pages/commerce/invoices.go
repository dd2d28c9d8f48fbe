package commerce

import (
	"net/http"
	"strconv"

	"gatehouse.internal/adapters/pages/kit"
)

// invoicePDF serves the PDF of an invoice that the person may read.
func (v *visit) invoicePDF() error {
	var got struct {
		PDF []byte `json:"pdf"`
	}
	if err := v.Call("BILLING.INVOICE_GET", kit.Params{"invoice_id": v.Request.PathValue("id"), "include_pdf": true}, &got); err != nil {
		return err
	}
	return v.download("invoice-"+v.Request.PathValue("id")+".pdf", "application/pdf", got.PDF)
}

// download serves a file as an attachment.
func (v *visit) download(name, kind string, content []byte) error {
	if err := v.Save(); err != nil {
		return err
	}
	header := v.Writer.Header()
	header.Set("Content-Type", kind)
	header.Set("Content-Disposition", "attachment; filename="+strconv.Quote(name))
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Length", strconv.Itoa(len(content)))
	v.Writer.WriteHeader(http.StatusOK)
	_, _ = v.Writer.Write(content) // the client may have disconnected
	return nil
}
